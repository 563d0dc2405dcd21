"""A structured op's loops, operands and body, ready to be evaluated in part.

Owns the loops (`LoopNest`): which are parallel, where their extents come from, which values of the
body change along which of them; and binding: turning operands into the arrays that a `Program`
starts from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from ktir.errors import UnsupportedError
from ktir.machine.alignment import (
    Extents,
    IndexingMap,
    align_input,
    check_output,
    extent_sources,
    iota,
    is_projected_permutation,
    loops_of,
)
from ktir.machine.body import Body, Program

Operands = Sequence[Tensor]
"""Inputs then outputs, each [1 or C, dims ..]."""

Captured = Sequence[Any]
"""What the body reads from around it: scalars [1 or C], then tensors [1 or C, dims ..]."""

Bind = Callable[[Operands, Captured, Extents], list[Any]]
"""Arrays by value number, for a program to run on."""

Evaluate = Callable[[Operands, Captured, Extents], Tensor]
"""One result of an op, or a part of it."""


class LoopNest:
    """The loops of a structured op and how its body hangs on them.

    `iterators`: "parallel" or "reduction", one a loop. `maps`: one an operand, inputs then outputs.
    Raises UnsupportedError for other iterators, and for a loop whose extent no operand has,
    and for an output map that is not a projected permutation of all parallel loops.
    """

    def __init__(self, iterators: Sequence[str], maps: Sequence[IndexingMap], body: Body) -> None:
        unknown = set(iterators) - {"parallel", "reduction"}
        if unknown:
            raise UnsupportedError(f"iterator type {unknown.pop()}; known: parallel, reduction")
        self.body = body
        self.count = len(iterators)
        self.parallel = tuple(i for i, kind in enumerate(iterators) if kind == "parallel")
        self.reduction = tuple(i for i, kind in enumerate(iterators) if kind == "reduction")
        self.maps = tuple(maps)
        for subscripts in self.output_maps:
            check_output(subscripts, self.parallel)
        self.changes = _changes(body, maps)
        self._sources = extent_sources(maps, self.count)
        self._aligns = [align_input(m, self.count) for m in maps]
        self._template: list[Any] = [None] * len(body.types)
        for number, constant in body.constants.items():
            self._template[number] = constant.view((1,) * (self.count + 1))

    @property
    def output_maps(self) -> tuple[IndexingMap, ...]:
        """The maps of the outputs."""
        return self.maps[self.body.inputs :]

    def extents(self, operands: Operands) -> Extents:
        """The extents of the loops, from the operands' shapes."""
        return tuple(operands[operand].shape[axis] for operand, axis in self._sources)

    def reads_extents(self, program: Program) -> bool:
        """Whether binding for `program` needs the extents."""
        arguments = [n for n in range(len(self.maps)) if n in program.leaves]
        irregular = any(not is_projected_permutation(self.maps[n]) for n in arguments)
        return irregular or not program.leaves.isdisjoint(self.body.indices)

    def binder(self, program: Program) -> Bind:
        """A function that lines the operands up with the loops, as far as `program` reads them."""
        body = self.body
        operands = [(n, self._aligns[n]) for n in range(len(self.maps)) if n in program.leaves]
        indices = [(n, loop) for n, loop in body.indices.items() if n in program.leaves]
        captured = [
            (i, n, n in body.scalars)
            for i, n in enumerate((*body.scalars, *body.tensors))
            if n in program.leaves
        ]
        template = self._template
        ones = (1,) * self.count

        def bind(arrays: Operands, around: Captured, extents: Extents) -> list[Any]:
            values = template.copy()
            for number, align in operands:
                array = arrays[number]
                values[number] = array if align is None else align(array, extents)
            for number, loop in indices:
                values[number] = iota(loop, extents)
            for i, number, is_scalar in captured:
                values[number] = around[i].view(-1, *ones) if is_scalar else around[i]
            return values

        return bind


def _changes(body: Body, maps: Sequence[IndexingMap]) -> list[frozenset[int]]:
    """The loops along which each value of the body may change."""
    loops: list[frozenset[int]] = [frozenset()] * len(body.types)
    for number, subscripts in enumerate(maps):
        loops[number] = loops_of(subscripts)
    for number, loop in body.indices.items():
        loops[number] = frozenset({loop})
    for node in body.nodes:
        read = frozenset[int]().union(*(loops[o] for o in node.operands))
        for result in node.results:
            loops[result] = read - node.settles
    return loops
