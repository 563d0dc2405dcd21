"""Whether a plan, perhaps edited by hand, can be met."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import ClassVar

from ktir.errors import PlanError
from ktir.mlir import ir
from ktir.passes.base import ModulePass, option, register
from ktir.passes.defaults import CORES, PLANNABLE_BYTES
from ktir.passes.dimensions import Dimensions
from ktir.passes.facts import KernelFacts, kernels_of, read_kernel, reduction_tile
from ktir.passes.ir_utils import i64_list, place_of
from ktir.passes.tiling.choose_tiles import buffers
from ktir.scratchpad import allocate


@register
@dataclasses.dataclass(frozen=True)
class CheckPlan(ModulePass):
    """Refuse a plan that cannot be met, naming the constraint.

    Requires: `plan.kernel` ops, perhaps edited by hand.
    Rewrites: nothing.
    Ensures: every cut dimension can be cut, tiles are whole units, the cores are there, and one
    core's tiles fit its scratchpad; applying the plan cannot fail after this.
    Fails when: a constraint is broken. It says the kernel, the constraint, what was found and what
    would be legal.

    Before, on a softmax of rows:

        plan.kernel "softmax_0" split = [1, 2] tile = [64, 128] ..

    Refused with:

        plan.kernel "softmax_0" at m.py:7 (softmax): split = 2, tile = 128 cuts dimension 1 (extent
        256), which cannot be cut: it is reduced by linalg.generic at m.py:7 (softmax); legal is
        split = 1, tile = 256
    """

    NAME: ClassVar[str] = "ktir-check-plan"
    cores: int = option(CORES, "cores there are", least=1)
    capacity: int = option(
        PLANNABLE_BYTES, "scratchpad bytes a kernel may use on each core", least=1
    )

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for kernel in kernels_of(module):
                facts = read_kernel(kernel)
                where = f'plan.kernel "{facts.name}" at {place_of(kernel)}'
                split, tile = i64_list(kernel, "split"), i64_list(kernel, "tile")
                problem = find_problem(
                    facts, split, tile, reduction_tile(kernel), self.cores, self.capacity
                )
                if problem is not None:
                    raise PlanError(f"{where}: {problem}")


def find_problem(
    kernel: KernelFacts,
    split: Sequence[int],
    tile: Sequence[int],
    reduction: int | None,
    cores: int,
    capacity: int,
) -> str | None:
    """The first constraint that a plan breaks, in words; None for a plan that can be met."""
    dimensions = Dimensions(kernel)
    if math.prod(split) > cores:
        return f"split {list(split)} uses {math.prod(split)} cores, there are {cores}"
    for dim, extent in enumerate(kernel.first_result.shape):
        problem = _dimension_problem(kernel, dimensions, dim, extent, split[dim], tile[dim])
        if problem is not None:
            return problem
    if reduction is not None and not any(op.contraction for op in kernel.ops):
        return f"reduction_tile = {reduction} needs a contraction in the kernel, and there is none"
    return _scratchpad_problem(kernel, dimensions, tile, reduction, capacity)


def _dimension_problem(
    kernel: KernelFacts, dimensions: Dimensions, dim: int, extent: int, split: int, tile: int
) -> str | None:
    unit = dimensions.units[dim]
    pieces = math.ceil(extent / unit)
    cut = split > 1 or tile < extent
    if cut and dimensions.obstacles[dim] is not None:
        return (
            f"split = {split}, tile = {tile} cuts dimension {dim} (extent {extent}), "
            f"which cannot be cut: {dimensions.obstacles[dim]}; legal is split = 1, tile = {extent}"
        )
    if split > pieces:
        return (
            f"split = {split} along dimension {dim}: "
            f"there are only {pieces} units of {unit} elements"
        )
    if tile != extent and tile % unit:
        return (
            f"tile = {tile} of dimension {dim} is not a multiple of its unit, {unit} elements "
            f"(a stick), nor the whole extent {extent}"
        )
    if tile == extent and split > 1:
        return (
            f"tile = {tile} of dimension {dim} leaves nothing to the other {split - 1} "
            f"of its {split} cores"
        )
    return None


def _scratchpad_problem(
    kernel: KernelFacts,
    dimensions: Dimensions,
    tile: Sequence[int],
    reduction: int | None,
    capacity: int,
) -> str | None:
    try:
        allocate(buffers(kernel, dimensions, tile, reduction), capacity)
    except PlanError as error:
        return f"tile = {list(tile)} does not fit the scratchpad: {error}; choose a smaller tile"
    return None
