"""Small models and texts that the tests of the API share."""

from __future__ import annotations

import torch
from torch import Tensor, nn

RELU = """
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%x: tensor<5x65xf16> {ktir.name = "x"}) -> tensor<5x65xf16> {
    %zero = arith.constant 0.0 : f16
    %0 = tensor.empty() : tensor<5x65xf16>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<5x65xf16>) outs(%0 : tensor<5x65xf16>) {
    ^bb0(%in: f16, %out: f16):
      %2 = arith.maximumf %in, %zero : f16
      linalg.yield %2 : f16
    } -> tensor<5x65xf16>
    return %1 : tensor<5x65xf16>
  }
}
"""
"""Level `linalg`: max(x, 0)."""

KERNEL = """
#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#row = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @double(%x_ptr: index, %y_ptr: index) attributes {grid = [4]} {
    %c0 = arith.constant 0 : index
    %core = ktdp.get_compute_tile_id : index
    %x = ktdp.construct_memory_view %x_ptr, sizes: [4, 64], strides: [64, 1] {
      coordinate_set = #rows, memory_space = #ktdp.spyre_memory_space<HBM> } : memref<4x64xf16>
    %y = ktdp.construct_memory_view %y_ptr, sizes: [4, 64], strides: [64, 1] {
      coordinate_set = #rows, memory_space = #ktdp.spyre_memory_space<HBM> } : memref<4x64xf16>
    %xt = ktdp.construct_access_tile %x[%core, %c0] {
      access_tile_set = #row, access_tile_order = #id } : memref<4x64xf16> -> <1x64xindex>
    %yt = ktdp.construct_access_tile %y[%core, %c0] {
      access_tile_set = #row, access_tile_order = #id } : memref<4x64xf16> -> <1x64xindex>
    %a = ktdp.load %xt : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
    %b = arith.addf %a, %a : tensor<1x64xf16>
    ktdp.store %b, %yt : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
    return
  }
}
"""
"""Level `ktir`, by another tool: y = x + x on four cores."""


class Affine(nn.Module):
    """A linear layer and a buffer; two outputs by name, one of them int64."""

    scale: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(65, 96).half()
        self.register_buffer("scale", torch.arange(96).half() / 64)

    def forward(self, x: Tensor, shift: Tensor) -> dict[str, Tensor]:
        y = self.layer(x) * self.scale + shift
        return {"hidden": y, "best": y.argmax(-1)}


def affine() -> tuple[Affine, tuple[Tensor, Tensor]]:
    """The module in eval mode and inputs, always the same."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return Affine().eval(), (torch.randn(5, 65).half(), torch.randn(96).half())
