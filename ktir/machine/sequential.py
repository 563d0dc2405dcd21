"""Structured ops whose reduction is no sum of independent items: a fold in the order of the loops.

Owns that fold: reduction loops advance one index at a time, in lexicographic order, for all
parallel loops and cores at once. An argmax is the common case: two results that are updated
together.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from torch import Tensor

from ktir.machine.alignment import Extents, align_input, align_output
from ktir.machine.binding import Captured, LoopNest, Operands
from ktir.machine.body import Program, Target


def evaluate_in_order(
    nest: LoopNest,
) -> Callable[[Operands, Captured, Target | None], list[Tensor]]:
    """The op as a loop over the points of its reduction loops."""
    body = nest.body
    program = Program(body, body.yields)
    bind = nest.binder(program)
    accumulators = list(body.output_arguments)
    aligns = [align_input(subscripts, nest.count) for subscripts in nest.output_maps]
    places = [align_output(subscripts, nest.parallel) for subscripts in nest.output_maps]
    axes = [loop + 1 for loop in nest.reduction]
    moving = [
        number
        for number in program.leaves
        if number not in accumulators and not nest.changes[number].isdisjoint(nest.reduction)
    ]

    def run(operands: Operands, captured: Captured, target: Target | None) -> list[Tensor]:
        extents = nest.extents(operands)
        values = bind(operands, captured, extents)
        for number, align in zip(accumulators, aligns, strict=True):
            initial = operands[number]
            values[number] = initial if align is None else align(initial, extents)
        whole = {number: values[number] for number in moving}
        for point in itertools.product(*(range(extents[loop]) for loop in nest.reduction)):
            for number, array in whole.items():
                values[number] = _at(array, axes, point)
            program.run(values)
            for number, value in zip(accumulators, [values[y] for y in body.yields], strict=True):
                values[number] = value
        return [
            finished(values[number], axes, extents, nest, place)
            for number, place in zip(accumulators, places, strict=True)
        ]

    return run


def _at(array: Tensor, axes: list[int], point: tuple[int, ...]) -> Tensor:
    """The part of `array` at one point of the reduction loops; they keep size 1."""
    for axis, position in zip(axes, point, strict=True):
        if array.shape[axis] > 1:
            array = array.narrow(axis, position, 1)
    return array


def finished(
    array: Tensor, axes: list[int], extents: Extents, nest: LoopNest, place: Any
) -> Tensor:
    """A result from an array over all loops that does not change along those of the reduction."""
    sizes = [1 if loop in nest.reduction else extents[loop] for loop in range(nest.count)]
    array = array.expand(-1, *sizes).squeeze(axes)
    return array if place is None else place(array)
