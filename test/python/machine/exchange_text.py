"""Pieces of kernels whose cores exchange tiles of 4 x 8, and their runs.

Each core loads its rows of the input %x as %d and stores what it gets, %r, in its place of %y.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from kernel_text import run
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.machine.kernel import Result

CORES = 8
FOURS = "affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>"
STRIDED = "affine_set<(i)[g] : ((i - g) mod 2 == 0)>"
FIRSTS = "affine_set<(i)[g] : (i - 4 * g == 0)>"
LASTS = "affine_set<(i)[g] : (i - 4 * g - 2 >= 0, -i + 4 * g + 3 >= 0)>"
TWO = "affine_set<(g) : (g >= 0, -g + 1 >= 0)>"
TILE = "tensor<4x8xf32>"

Array = npt.NDArray[Any]


def start(cores: int = CORES) -> str:
    """%d: rows 4 id .. 4 id + 3 of the input."""
    whole = f"{4 * cores}x8xf32"
    return (
        "%id = ktdp.get_compute_tile_id : index\n%c1 = arith.constant 1 : index\n"
        "%c4 = arith.constant 4 : index\n%row = arith.muli %id, %c4 : index\n"
        + view("in", "%x", f"{4 * cores}, 8", "8, 1", box(4 * cores, 8), whole)
        + tile("from", "%in[%row, %c0]", whole, box(4, 8), identity(2), "4x8")
        + load("d", "from", "4x8", "f32")
    )


def finish(shape: str, cores: int = CORES, value: str = "r") -> str:
    """Writes %r of each core to its place in the output [cores, *shape]."""
    sizes = [int(size) for size in shape.split("x")]
    strides = [int(np.prod(sizes[i:])) for i in range(len(sizes) + 1)]
    place = "%id, " + ", ".join(["%c0"] * len(sizes))
    whole = f"{cores}x{shape}xf32"
    return (
        f"%w = tensor.expand_shape %{value} [[0, 1], [2]] output_shape [1, "
        f"{', '.join(map(str, sizes))}] : tensor<{shape}xf32> into tensor<1x{shape}xf32>\n"
        + view(
            "out",
            "%y",
            ", ".join(map(str, [cores, *sizes])),
            ", ".join(map(str, strides)),
            box(cores, *sizes),
            whole,
        )
        + tile(
            "to", f"%out[{place}]", whole, box(1, *sizes), identity(len(sizes) + 1), f"1x{shape}"
        )
        + store("w", "to", f"1x{shape}", "f32")
    )


def produce(who: str = FOURS, groups: str = TWO, value: str = "%d") -> str:
    return (
        f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {who} -> <({TILE}), "
        f"groups = {groups}> {{\n^bb0(%gid: index):\n  ktdp.yield_partial {value} : {TILE}\n}}\n"
    )


def deliver(
    op: str, who: str, clauses: str, shape: str, groups: str = TWO, region: str = ""
) -> str:
    return (
        f"%r = ktdp.inter_tile_{op}(%f) consumer_tiles_per_group = {who}{clauses} : <({TILE}), "
        f"groups = {groups}> -> tensor<{shape}xf32>{region}\n"
    )


SUM = (
    " {\n^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):\n"
    "  %s = arith.addf %a, %b : tensor<4x8xf32>\n  ktdp.yield_reduced %s : tensor<4x8xf32>\n}"
)
ZERO = "%zero = arith.constant dense<0.0> : tensor<4x8xf32>\n"


def x_of(cores: int = CORES) -> Array:
    return np.random.default_rng(0).integers(-50, 50, (cores, 4, 8)).astype(np.float32)


def exchange(
    body: str, shape: tuple[int, ...], cores: int = CORES, **options: Any
) -> tuple[Array, Result]:
    text = kernel(body, grid=f"[{cores}]")
    result = run(text, args=[x_of(cores), np.zeros((cores, *shape), np.float32)], **options)
    return result.arrays["y"], result
