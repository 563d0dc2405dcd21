"""How much of its share a core holds in its scratchpad at a time."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import ClassVar

from ktir.errors import PlanError
from ktir.layout import round_up
from ktir.mlir import ir
from ktir.passes.base import ModulePass, option, register
from ktir.passes.defaults import PLANNABLE_BYTES
from ktir.passes.dimensions import Dimensions, tile_bytes
from ktir.passes.division.divide_work import whole_share
from ktir.passes.facts import KernelFacts, kernels_of, read_kernel
from ktir.passes.ir_utils import i64_array, i64_list
from ktir.scratchpad import Buffer, allocate, peak_live


@register
@dataclasses.dataclass(frozen=True)
class ChooseTiles(ModulePass):
    """Cut each core's share into tiles that fit the scratchpad.

    Requires: `plan.kernel` ops with a `split`.
    Rewrites: `tile` and, where a contraction does not fit otherwise, `reduction_tile`. The largest
    tile that the allocator can place wins: a dimension is halved (in whole units) where that costs
    the fewest extra bytes from device memory.
    Ensures: one core's tiles fit `capacity` bytes; with `minimal`, they are the smallest instead
    and need not fit.
    Fails when: even the smallest tile does not fit.

    Before:

        plan.kernel "pointwise_0" split = [32, 1] tile = [128, 4096] ..

    After:

        plan.kernel "pointwise_0" split = [32, 1] tile = [64, 4096] ..
    """

    NAME: ClassVar[str] = "ktir-choose-tiles"
    capacity: int = option(
        PLANNABLE_BYTES, "scratchpad bytes a kernel may use on each core", least=1
    )
    minimal: bool = option(
        False, "take the smallest tiles instead, to use as little scratchpad as can be"
    )

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for kernel in kernels_of(module):
                facts = read_kernel(kernel)
                dimensions = Dimensions(facts)
                split = i64_list(kernel, "split")
                if self.minimal:
                    tile, reduction = smallest(facts, dimensions, split), None
                else:
                    tile, reduction = choose(facts, dimensions, split, self.capacity)
                kernel.attributes["tile"] = i64_array(tile)
                if reduction is not None:
                    kernel.attributes["reduction_tile"] = ir.IntegerAttr.get(
                        ir.IntegerType.get_signless(64), reduction
                    )


def buffers(
    kernel: KernelFacts, dimensions: Dimensions, tile: Sequence[int], reduction: int | None
) -> list[Buffer]:
    """The scratchpad buffers of one core: loaded operands from the start to their last use,
    results of ops from op to last use.
    """
    last_use: dict[int, int] = {value: len(kernel.ops) for value in kernel.results}
    for index, op in enumerate(kernel.ops):
        for value in (*op.inputs, *(v for v in op.outputs if v is not None)):
            last_use[value] = max(last_use.get(value, 0), index)
    found = [(value, 0) for value in kernel.loaded]
    for index, op in enumerate(kernel.ops):
        found.extend((value, index) for value in op.results)
    return [
        Buffer(
            str(value),
            tile_bytes(kernel.value(value), dimensions, tile, reduction),
            start,
            last_use.get(value, start),
        )
        for value, start in found
    ]


def fits(
    kernel: KernelFacts,
    dimensions: Dimensions,
    tile: Sequence[int],
    reduction: int | None,
    capacity: int,
) -> bool:
    """Whether the one allocator can place the kernel's buffers within `capacity` bytes."""
    wanted = buffers(kernel, dimensions, tile, reduction)
    if peak_live(wanted) > capacity:
        return False
    try:
        allocate(wanted, capacity)
    except PlanError:
        return False
    return True


def choose(
    kernel: KernelFacts, dimensions: Dimensions, split: Sequence[int], capacity: int
) -> tuple[list[int], int | None]:
    """Tiles and the reduction tile for the given split; raises PlanError if nothing fits."""
    tile = list(whole_share(kernel, dimensions, split))
    reduction: int | None = None
    while not fits(kernel, dimensions, tile, reduction, capacity):
        smaller = _cheapest_cut(kernel, dimensions, split, tile, reduction)
        if smaller is not None:
            tile = smaller
            continue
        pieces = _smaller_reduction(kernel, reduction)
        if pieces is None:
            need = peak_live(buffers(kernel, dimensions, tile, reduction))
            least = f"{tile}" if reduction is None else f"{tile} with reduction_tile {reduction}"
            raise PlanError(
                f"kernel {kernel.name}: no tile fits the scratchpad: the smallest, {least}, "
                f"needs {need} bytes and {capacity} are there. A reduction over so long a "
                "dimension has to be split by hand."
            )
        reduction = pieces
        tile = list(whole_share(kernel, dimensions, split))
    return tile, reduction


def smallest(kernel: KernelFacts, dimensions: Dimensions, split: Sequence[int]) -> list[int]:
    """Tiles of one unit in the last dimension that can be cut; other dimensions are held whole.

    One dimension is enough to keep little in the scratchpad; cutting all would only multiply the
    number of steps.
    """
    tile = list(whole_share(kernel, dimensions, split))
    for dim in reversed(range(len(tile))):
        unit = dimensions.units[dim]
        if dimensions.cuttable[dim] and tile[dim] > unit:
            tile[dim] = unit
            break
    return tile


def _cheapest_cut(
    kernel: KernelFacts,
    dimensions: Dimensions,
    split: Sequence[int],
    tile: Sequence[int],
    reduction: int | None,
) -> list[int] | None:
    """The tile with one dimension halved that reloads the fewest bytes; None if none can be
    halved.
    """
    best: tuple[int, int] | None = None
    chosen = None
    for dim in range(len(tile)):
        unit = dimensions.units[dim]
        half = round_up(math.ceil(tile[dim] / 2), unit)
        if not dimensions.cuttable[dim] or half >= tile[dim]:
            continue
        candidate = [*tile[:dim], half, *tile[dim + 1 :]]
        key = (_loaded(kernel, dimensions, split, candidate, reduction), dim)
        if best is None or key < best:
            best, chosen = key, candidate
    return chosen


def _loaded(
    kernel: KernelFacts,
    dimensions: Dimensions,
    split: Sequence[int],
    tile: Sequence[int],
    reduction: int | None,
) -> int:
    """Bytes one core loads: an operand comes anew in every tile loop that is not inside the ones
    it varies with.
    """
    share = whole_share(kernel, dimensions, split)
    trips = [math.ceil(s / t) for s, t in zip(share, tile, strict=True)]
    total = 0
    for identity in kernel.loaded:
        value = kernel.value(identity)
        varies = [
            dim
            for d in range(len(value.shape))
            if (dim := dimensions.result_dim(identity, d)) is not None and trips[dim] > 1
        ]
        depth = max(varies, default=-1) + 1
        total += tile_bytes(value, dimensions, tile, reduction) * math.prod(trips[:depth])
    return total


def _smaller_reduction(kernel: KernelFacts, reduction: int | None) -> int | None:
    """The next smaller piece of the contraction's reduction; None if there is none."""
    for op in kernel.ops:
        if op.contraction:
            extent = op.extents[max(op.reductions)]
            half = round_up(math.ceil((reduction or extent) / 2), 64)
            return half if half < (reduction or extent) else None
    return None
