"""How operands of a structured op line up with its loops.

Owns subscripts (one a dimension of an operand), the view of an operand as an array over the loops
(`align_input`), the way back to an output (`align_output`), and the extents of the loops. All
arrays keep the core axis in front.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ktir.errors import BoundsError, UnsupportedError


@dataclass(frozen=True)
class Subscript:
    """What selects an element along one dimension of an operand: a loop, a constant, or a computed
    index.

    `compute` takes the loops' indices (tensors that broadcast) and returns the index; `loops` are
    those it reads.
    """

    loop: int | None = None
    constant: int | None = None
    compute: Callable[[Sequence[Any]], Any] | None = None
    loops: frozenset[int] = frozenset()


IndexingMap = tuple[Subscript, ...]
Extents = tuple[int, ...]


def loops_of(subscripts: IndexingMap) -> frozenset[int]:
    """The loops along which an operand changes."""
    return frozenset().union(*(s.loops for s in subscripts))


def is_projected_permutation(subscripts: IndexingMap) -> bool:
    """Only loops, each at most once, and constants."""
    loops = [s.loop for s in subscripts if s.loop is not None]
    return len(set(loops)) == len(loops) and all(s.compute is None for s in subscripts)


def extent_sources(maps: Sequence[IndexingMap], loops: int) -> tuple[tuple[int, int], ...]:
    """For each loop an operand and an axis of its array that has the loop's extent.

    Raises UnsupportedError for a loop that no operand is subscripted with alone.
    """
    found: dict[int, tuple[int, int]] = {}
    for operand, subscripts in enumerate(maps):
        for axis, subscript in enumerate(subscripts, start=1):
            if subscript.loop is not None:
                found.setdefault(subscript.loop, (operand, axis))
    missing = [loop for loop in range(loops) if loop not in found]
    if missing:
        raise UnsupportedError(f"no operand has the extent of loop d{missing[0]} as a dimension")
    return tuple(found[loop] for loop in range(loops))


def iota(loop: int, extents: Extents) -> Tensor:
    """The index of a loop as an array: int64, [1, .., extent, .., 1]."""
    shape = [1] * (len(extents) + 1)
    shape[loop + 1] = extents[loop]
    return torch.arange(extents[loop]).view(shape)


Align = Callable[[Tensor, Extents], Tensor]


def align_input(subscripts: IndexingMap, loops: int) -> Align | None:
    """A function from an operand [core, dims] to a view [core, loops], size 1 along loops it lacks.

    None where the operand is that view already. The function reads extents only if the map is not a
    projected permutation.
    """
    if not is_projected_permutation(subscripts):
        return _gathering(subscripts, loops)
    fixed = [(axis, s.constant) for axis, s in enumerate(subscripts, 1) if s.constant is not None]
    present = [s.loop for s in subscripts if s.loop is not None]
    order = [0, *(1 + present.index(loop) for loop in sorted(present))]
    missing = [loop + 1 for loop in range(loops) if loop not in present]
    permuted = order != sorted(order)
    if not (fixed or permuted or missing):
        return None
    # A dimension of size 1 that is subscripted with 0 can stand for the loop at its place.
    in_place = len(subscripts) == loops and all(
        s.loop == i or s.constant == 0 for i, s in enumerate(subscripts)
    )

    def align(x: Tensor, extents: Extents) -> Tensor:
        if in_place and all(x.shape[axis] == 1 for axis, _ in fixed):
            return x
        for axis, place in reversed(fixed):
            x = x.select(axis, place)
        if permuted:
            x = x.permute(order)
        for axis in missing:
            x = x.unsqueeze(axis)
        return x

    return align


def _gathering(subscripts: IndexingMap, loops: int) -> Align:
    """Any other map: elements are gathered at computed indices."""
    last = len(subscripts) - 1

    def align(x: Tensor, extents: Extents) -> Tensor:
        counters = [iota(loop, extents)[0] for loop in range(loops)]
        chosen: list[Any] = [slice(None)]
        for axis, subscript in enumerate(subscripts):
            if subscript.compute is not None:
                index = subscript.compute(counters)
            elif subscript.loop is not None:
                index = counters[subscript.loop]
            else:
                index = torch.full((1,) * loops, subscript.constant or 0)
            _check(index, axis, x.shape[axis + 1], last)
            chosen.append(index)
        return x[tuple(chosen)]

    return align


def _check(index: Tensor, axis: int, size: int, last: int) -> None:
    if index.numel() == 0:
        return
    low, high = (int(v) for v in torch.aminmax(index))
    if low < 0 or high >= size:
        raise BoundsError(
            f"the indexing map reaches {low}..{high} in dimension {axis} of {last + 1},"
            f" which has {size} elements"
        )


def check_output(subscripts: IndexingMap, parallel: Sequence[int]) -> None:
    """Raises UnsupportedError unless the map has every parallel loop once and else only zeros."""
    loops = sorted(s.loop for s in subscripts if s.loop is not None)
    computed = any(s.compute is not None or s.constant for s in subscripts)
    if computed or loops != sorted(parallel):
        raise UnsupportedError(
            "an output must be subscripted with each parallel loop once and else with 0;"
            f" here with loops {loops} of {list(parallel)}{' and expressions' * computed}"
        )


def align_output(subscripts: IndexingMap, kept: Sequence[int]) -> Callable[[Tensor], Tensor] | None:
    """A function from an array [core, kept loops in order] to an output [core, dims]; None if
    equal.

    `subscripts` must have passed `check_output`.
    """
    present = [s.loop for s in subscripts if s.loop is not None]
    position = {loop: 1 + i for i, loop in enumerate(kept)}
    order = [0, *(position[loop] for loop in present)]
    permuted = order != sorted(order)
    fixed = [axis for axis, s in enumerate(subscripts, 1) if s.constant is not None]
    if not (permuted or fixed):
        return None

    def align(x: Tensor) -> Tensor:
        if permuted:
            x = x.permute(order)
        for axis in fixed:
            x = x.unsqueeze(axis)
        return x

    return align
