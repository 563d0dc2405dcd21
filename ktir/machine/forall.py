"""`scf.forall` and `scf.parallel`: independent iterations, run one after the other.

A shared output is copied once; every iteration writes its slices into the copy when it ends.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.machine.block import Block, Step
from ktir.machine.decode import Scope, decode_block, handler, terminators
from ktir.machine.frame import Frame
from ktir.machine.slices import DYNAMIC, Mixed, decode_box, segments, static_ints

terminators("scf.reduce", "scf.reduce.return")


@handler("scf.forall")
def decode_forall(op: Any, scope: Scope) -> Step:
    """Iterations in row-major order of the induction variables."""
    low, high, steps, outputs = segments(op)
    bounds = [
        Mixed(static_ints(op, name), scope.slots(values))
        for name, values in (
            ("staticLowerBound", low),
            ("staticUpperBound", high),
            ("staticStep", steps),
        )
    ]
    shared = scope.slots(outputs)
    block = decode_block(op.regions[0].blocks[0], scope)
    inductions = block.arguments[: len(block.arguments) - len(shared)]
    arguments = block.arguments[len(inductions) :]
    results = scope.define_all(list(op.results))

    def run(frame: Frame) -> None:
        copies = [_copy(frame[slot], frame.group.size) for slot in shared]
        for slot, copy in zip(arguments, copies, strict=True):
            frame[slot] = copy
        for point in _points(*(bound.ints(frame) for bound in bounds)):
            for slot, value in zip(inductions, point, strict=True):
                frame[slot] = torch.tensor([value])
            block.run(frame)
        for slot, copy in zip(results, copies, strict=True):
            frame[slot] = copy

    return run


def _copy(x: Tensor, cores: int) -> Tensor:
    return x.expand(cores, *x.shape[1:]).clone(memory_format=torch.contiguous_format)


def _points(low: Sequence[int], high: Sequence[int], step: Sequence[int]) -> Any:
    return itertools.product(*(range(*bounds) for bounds in zip(low, high, step, strict=True)))


@handler("scf.forall.in_parallel")
def decode_in_parallel(op: Any, scope: Scope) -> Step:
    """The slices that an iteration writes when it ends."""
    return decode_block(op.regions[0].blocks[0], scope).run


@handler("tensor.parallel_insert_slice")
def decode_parallel_insert(op: Any, scope: Scope) -> Step:
    """Writes into the copy of the shared output, which only `scf.forall` holds."""
    source, destination, *groups = segments(op)
    box = decode_box(op, groups, source[0].type, scope)
    part, whole = scope.slot(source[0]), scope.slot(destination[0])

    def step(frame: Frame) -> None:
        place = box.at(frame)
        place.check(frame[whole].shape[1:])
        place.write(frame[whole], frame[part])

    return step


@handler("scf.parallel")
def decode_parallel(op: Any, scope: Scope) -> Step:
    """Iterations in row-major order; each reduces what it contributes into the results so far."""
    low, high, steps, initial = (scope.slots(values) for values in segments(op))
    bounds = [Mixed([DYNAMIC] * len(slots), slots) for slots in (low, high, steps)]
    block = decode_block(op.regions[0].blocks[0], scope)
    *_, reduce = op.regions[0].blocks[0].operations
    combiners = [decode_block(region.blocks[0], scope) for region in reduce.regions]
    results = scope.define_all(list(op.results))

    def run(frame: Frame) -> None:
        so_far = [frame[slot] for slot in initial]
        for point in _points(*(bound.ints(frame) for bound in bounds)):
            for slot, value in zip(block.arguments, point, strict=True):
                frame[slot] = torch.tensor([value])
            block.run(frame)
            parts = [frame[slot] for slot in block.results]
            so_far = [
                _combined(frame, *entry) for entry in zip(combiners, so_far, parts, strict=True)
            ]
        for slot, value in zip(results, so_far, strict=True):
            frame[slot] = value

    return run


def _combined(frame: Frame, combiner: Block, so_far: Any, part: Any) -> Any:
    """What the region of a reduction makes of two values."""
    for slot, value in zip(combiner.arguments, (so_far, part), strict=True):
        frame[slot] = value
    combiner.run(frame)
    return frame[combiner.results[0]]
