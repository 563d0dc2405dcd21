"""How many cores work along each dimension of a kernel."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

from ktir.layout import padded_bytes, round_up
from ktir.mlir import ir
from ktir.passes.base import ModulePass, option, register
from ktir.passes.defaults import CORES
from ktir.passes.dimensions import Dimensions, tile_shape
from ktir.passes.facts import KernelFacts, kernels_of, read_kernel
from ktir.passes.ir_utils import i64_array


@register
@dataclasses.dataclass(frozen=True)
class DivideWork(ModulePass):
    """Divide each kernel over cores, in whole sticks.

    Requires: `plan.kernel` ops.
    Rewrites: their `split`, and `tile` to a core's whole share. Of the divisions that leave the
    busiest core least to do it takes the one that moves the fewest bytes from device memory.
    Ensures: at most `cores` cores; only dimensions that every op of the kernel computes in parallel
    are cut; the last dimension in whole sticks.
    Never fails: one core is always legal.

    Before:

        plan.kernel "matmul_0" split = [1, 1] tile = [256, 384] ..

    After:

        plan.kernel "matmul_0" split = [8, 4] tile = [32, 96] ..
    """

    NAME: ClassVar[str] = "ktir-divide-work"
    cores: int = option(CORES, "cores to use at most", least=1)

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for kernel in kernels_of(module):
                facts = read_kernel(kernel)
                dimensions = Dimensions(facts)
                split = divide(facts, dimensions, self.cores)
                kernel.attributes["split"] = i64_array(split)
                kernel.attributes["tile"] = i64_array(whole_share(facts, dimensions, split))


def divide(kernel: KernelFacts, dimensions: Dimensions, cores: int) -> list[int]:
    """The split that leaves the busiest core least work and, of those, moves the fewest bytes."""
    best: tuple[int, int, int] | None = None
    chosen = [1] * len(kernel.first_result.shape)
    for split in _splits(_pieces(kernel, dimensions), cores):
        share = whole_share(kernel, dimensions, split)
        work = math.prod(round_up(size, dimensions.units[dim]) for dim, size in enumerate(share))
        key = (work, traffic(kernel, dimensions, split, share), math.prod(split))
        if best is None or key < best:
            best, chosen = key, list(split)
    return chosen


def whole_share(
    kernel: KernelFacts, dimensions: Dimensions, split: Sequence[int]
) -> tuple[int, ...]:
    """What one core owns of each dimension: whole units, or the whole extent where the dimension
    is not cut.
    """
    shape = kernel.first_result.shape
    share = []
    for dim, (extent, cores) in enumerate(zip(shape, split, strict=True)):
        unit = dimensions.units[dim]
        share.append(extent if cores == 1 else math.ceil(math.ceil(extent / unit) / cores) * unit)
    return tuple(share)


def traffic(
    kernel: KernelFacts, dimensions: Dimensions, split: Sequence[int], tile: Sequence[int]
) -> int:
    """Bytes that all cores together move if each loads its share of every operand once and stores
    its results once.
    """
    total = 0
    for identity in (*kernel.loaded, *kernel.results):
        value = kernel.value(identity)
        shape = tile_shape(value, dimensions, tile, None)
        total += padded_bytes(shape, value.element) * math.prod(split)
    return total


def _pieces(kernel: KernelFacts, dimensions: Dimensions) -> list[int]:
    """Into how many pieces each dimension can be cut."""
    return [
        math.ceil(extent / dimensions.units[dim]) if dimensions.cuttable[dim] else 1
        for dim, extent in enumerate(kernel.first_result.shape)
    ]


def _splits(pieces: Sequence[int], cores: int) -> Iterator[tuple[int, ...]]:
    """Every assignment of cores to dimensions that no smaller one equals: the last core along a
    dimension has work.
    """
    if not pieces:
        yield ()
        return
    for count in range(1, min(pieces[0], cores) + 1):
        share = math.ceil(pieces[0] / count)
        if math.ceil(pieces[0] / share) != count:
            continue
        for rest in _splits(pieces[1:], cores // count):
            yield (count, *rest)
