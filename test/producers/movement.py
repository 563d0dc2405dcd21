"""Tiles that move: tails, halos, strides, permutations, windows, places in memory."""

from __future__ import annotations

import torch
from torch.nn import functional

from .launch import Launch, blank, launches, normal, whole


@launches
def vector_add_tail() -> Launch:
    x, y = normal(777), normal(777, seed=1)
    return Launch({"x": x, "y": y, "z": blank(777), "n": 777}, {"z": x + y})


@launches
def scale_i32_size() -> Launch:
    x = normal(300, dtype=torch.float32)
    given = {"x": x, "y": blank(300, dtype=torch.float32), "n": 300, "alpha": 1.5}
    return Launch(given, {"y": x * 1.5})


@launches
def locations_and_notes() -> Launch:
    x = normal(32)
    return Launch({"arg0": x, "arg1": blank(32)}, {"arg1": x + 1})


@launches
def halo_negative() -> Launch:
    x = normal(29, dtype=torch.float32)
    wide = functional.pad(x, (1, 1))
    expected = wide[:-2] + wide[1:-1] + wide[2:]
    return Launch({"x": x, "y": blank(29, dtype=torch.float32), "n": 29}, {"y": expected})


@launches
def inplace_rows_strided() -> Launch:
    x = normal(5, 40, dtype=torch.float32)
    expected = torch.cat([x[:, :20] * 2, x[:, 20:]], 1)
    return Launch({"x": x, "rows": 5, "stride": 40, "cols": 20}, {"x": expected})


@launches
def pointer_offset() -> Launch:
    x = normal(192)
    return Launch({"x": x, "y": blank(192)}, {"y": x.abs()})


@launches
def permute_4d() -> Launch:
    x = whole(-999, 999, 2, 3, 4, 5, dtype=torch.int16)
    expected = x.permute(0, 3, 1, 2)
    return Launch({"x": x, "y": blank(2, 5, 3, 4, dtype=torch.int16)}, {"y": expected})


@launches
def permute_by_strides() -> Launch:
    x = normal(3, 4, 5)
    return Launch({"x": x, "y": blank(5, 3, 4)}, {"y": x.permute(2, 0, 1)})


@launches
def maxpool_slices() -> Launch:
    x = normal(8, 10)
    expected = functional.max_pool2d(x.float()[None], 2)[0].half()
    return Launch({"x": x, "y": blank(4, 5)}, {"y": expected})


@launches
def forall_tiles() -> Launch:
    x = normal(12, 16, dtype=torch.float32)
    corner = (torch.arange(12) // 4 * 4)[:, None] + torch.arange(16) // 8 * 8
    return Launch({"x": x, "y": blank(12, 16, dtype=torch.float32)}, {"y": x + corner})


@launches
def embedding_backward() -> Launch:
    grad, ids = normal(12, 32, dtype=torch.float32), whole(0, 6, 12, dtype=torch.int32)
    expected = blank(6, 32, dtype=torch.float32)
    for row, place in zip(grad, ids.tolist(), strict=True):
        expected[place] += row
    return Launch(
        {"g": grad, "ids": ids, "dw": blank(6, 32, dtype=torch.float32)}, {"dw": expected}
    )


@launches
def pointer_bump_loop() -> Launch:
    x = normal(5, 32, dtype=torch.float32)
    given = {"x": x, "y": blank(32, dtype=torch.float32), "n": 5}
    return Launch(given, {"y": x.sum(0)}, 1e-5)


@launches
def pointer_select() -> Launch:
    q, k = normal(16), normal(16, seed=1)
    return Launch({"q": q, "k": k, "y": blank(2, 16)}, {"y": torch.stack([q, k])})


@launches
def pointer_if() -> Launch:
    q, k = normal(16), normal(16, seed=1)
    return Launch({"q": q, "k": k, "y": blank(16), "w": False}, {"y": k})


@launches
def affine_bases() -> Launch:
    x = normal(9, 32)
    expected = torch.stack([x[1, 8:16], x[5, 8:16]])
    return Launch({"x": x, "y": blank(2, 8)}, {"y": expected})


@launches
def mask_2d() -> Launch:
    x = normal(21, 30)
    given = {"x": x, "y": blank(21, 30, dtype=torch.float32), "M": 21, "N": 30}
    return Launch(given, {"y": x.float() + 1})


@launches
def scratchpad_accumulator() -> Launch:
    x = normal(2, 4, 32, dtype=torch.float32)
    return Launch({"x": x, "y": blank(2, 32, dtype=torch.float32)}, {"y": x.sum(1)}, 1e-5)


@launches
def scalar_view() -> Launch:
    x = normal(1)
    return Launch({"x": x, "y": blank(1)}, {"y": x + x})


@launches
def gather_clamped() -> Launch:
    x = normal(10, dtype=torch.float32)
    places = torch.tensor([0, -1, 9, 10, 100, 3, -7, 5], dtype=torch.int32)
    legal = (places >= 0) & (places < 10)
    expected = torch.where(legal, x[places.clamp(0, 9).long()], torch.tensor(-1.0))
    given = {"x": x, "i": places, "y": blank(8, dtype=torch.float32)}
    return Launch(given, {"y": expected})
