"""KTIR kernels as text, for tests of the lowering: a frame to put bodies into."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from ktdp_text import box, identity

Arguments = dict[str, Any]


def view(name: str, pointer: str, shape: tuple[int, ...], element: str) -> str:
    """A row-major view of device memory."""
    strides = [int(np.prod(shape[i + 1 :])) for i in range(len(shape))]
    type_ = "x".join(map(str, shape)) + f"x{element}"
    return (
        f"%{name} = ktdp.construct_memory_view %{pointer}, sizes: {list(shape)}, "
        f"strides: {strides} {{coordinate_set = {box(*shape)}, "
        f"memory_space = #ktdp.spyre_memory_space<HBM>}} : memref<{type_}>\n"
    )


def tile(name: str, of: str, at: str, of_type: str, shape: tuple[int, ...]) -> str:
    """A box of the view `of`, from `at` on."""
    type_ = "x".join(map(str, shape)) + "xindex"
    return (
        f"%{name} = ktdp.construct_access_tile %{of}[{at}] {{access_tile_set = {box(*shape)}, "
        f"access_tile_order = {identity(len(shape))}}} : memref<{of_type}> -> "
        f"!ktdp.access_tile<{type_}>\n"
    )


def half(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(int(np.prod(shape)))
    return torch.randn(*shape, generator=generator).half()


def square_kernel(body: str, cores: int = 4) -> str:
    """A kernel on 8 x 64 tiles of f16, one a core: loads %a and %b, stores %r."""
    whole, part, whole_type = (8 * cores, 64), (8, 64), f"{8 * cores}x64xf16"
    return (
        f"func.func @kernel(%x: index, %y: index, %z: index) attributes {{grid = [{cores}]}} {{\n"
        "%core = ktdp.get_compute_tile_id : index\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        "%c3 = arith.constant 3 : index\n%c8 = arith.constant 8 : index\n"
        "%row = arith.muli %core, %c8 : index\n"
        + "".join(
            view(f"{n}v", n, whole, "f16") + tile(f"{n}t", f"{n}v", "%row, 0", whole_type, part)
            for n in "xyz"
        )
        + "%a = ktdp.load %xt : <8x64xindex> -> tensor<8x64xf16>\n"
        "%b = ktdp.load %yt : <8x64xindex> -> tensor<8x64xf16>\n"
        f"{body}\n"
        "ktdp.store %r, %zt : tensor<8x64xf16>, <8x64xindex>\nreturn\n}\n" + BESIDE
    )


BESIDE = """
func.func private @beside(%t: tensor<8x64xf16>, %n: index) -> (tensor<8x64xf16>, f16) {
  %i = arith.index_cast %n : index to i32
  %f = arith.sitofp %i : i32 to f16
  %p = tensor.splat %f : tensor<8x64xf16>
  %s = arith.mulf %t, %p : tensor<8x64xf16>
  return %s, %f : tensor<8x64xf16>, f16
}
"""
"""A function that bodies may call."""


def square_arguments(cores: int = 4) -> Arguments:
    return {"x": half(8 * cores, 64), "y": half(8 * cores, 64) + 1, "z": half(8 * cores, 64)}


T = "tensor<8x64xf16>"
