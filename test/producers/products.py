"""Products of matrices, convolutions as products and as loops, experts."""

from __future__ import annotations

import torch
from torch.nn import functional

from .launch import Launch, blank, launches, normal, whole


@launches
def matmul_swizzle_persistent() -> Launch:
    a, b = normal(50, 40), normal(40, 70, seed=1)
    given = {"a": a, "b": b, "c": blank(50, 70), "M": 50, "N": 70, "K": 40}
    return Launch(given, {"c": (a.float() @ b.float()).half()}, 4e-3)


@launches
def batch_matmul_3d_grid() -> Launch:
    a = normal(3, 16, 24, dtype=torch.bfloat16)
    b = normal(3, 24, 16, dtype=torch.bfloat16, seed=1)
    given = {"a": a, "b": b, "c": blank(3, 16, 16, dtype=torch.float32)}
    return Launch(given, {"c": a.float() @ b.float()}, 1e-5)


@launches
def matmul_int8_scales() -> Launch:
    a = whole(-128, 128, 32, 96, dtype=torch.int8)
    w = whole(-128, 128, 32, 96, dtype=torch.int8, seed=1)
    rows, columns = (normal(32, dtype=torch.float32, seed=s).abs() * 0.01 for s in (2, 3))
    expected = ((a.int() @ w.int().T).float() * rows[:, None] * columns).half()
    given = {"a": a, "w": w, "sa": rows, "sw": columns, "y": blank(32, 32)}
    return Launch(given, {"y": expected})


@launches
def matmul_exp2_f16() -> Launch:
    x, w = normal(8, 16) * 0.1, normal(16, 8, seed=1) * 0.1
    expected = torch.exp(x.float() @ w.float()).half()
    return Launch({"x": x, "w": w, "y": blank(8, 8)}, {"y": expected}, 4e-3)


@launches
def cumsum_triangle() -> Launch:
    x = normal(5, 48, dtype=torch.float32)
    return Launch({"x": x, "y": blank(5, 48, dtype=torch.float32)}, {"y": x.cumsum(1)}, 1e-5)


@launches
def conv1d_im2col() -> Launch:
    x, w = normal(4, 20), normal(6, 4, 3, seed=1)
    expected = functional.conv1d(x.float()[None], w.float(), padding=1)[0]
    return Launch({"x": x, "w": w, "y": blank(6, 20, dtype=torch.float32)}, {"y": expected}, 1e-5)


@launches
def conv_generic_maps() -> Launch:
    x, w = normal(3, 12), normal(2, 3, 3, seed=1)
    expected = functional.conv1d(x.float()[None], w.float(), stride=2)[0]
    return Launch({"x": x, "w": w, "y": blank(2, 5, dtype=torch.float32)}, {"y": expected}, 1e-5)


@launches
def conv2d_rows() -> Launch:
    x, w = normal(6, 8, dtype=torch.float32), normal(3, 3, dtype=torch.float32, seed=1)
    expected = functional.conv2d(x[None, None], w[None, None])[0, 0]
    return Launch({"x": x, "w": w, "y": blank(4, 6, dtype=torch.float32)}, {"y": expected}, 1e-5)


@launches
def experts_gather_scatter() -> Launch:
    x, w = normal(8, 32), normal(3, 32, 16, seed=1)
    order = torch.tensor([6, 0, 3, 7, 1, 5, 2, 4], dtype=torch.int32)
    experts = torch.tensor([0, 0, 1, 2, 2, 2, 0, 1], dtype=torch.int32)
    gates = normal(8, dtype=torch.float32, seed=2).abs()
    expected = blank(8, 16)
    for token, expert, gate in zip(order.tolist(), experts.tolist(), gates, strict=True):
        expected[token] = ((x[token].float() @ w[expert].float()) * gate).half()
    given = {"x": x, "ord": order, "exp": experts, "gw": gates, "w": w, "y": blank(8, 16)}
    return Launch(given, {"y": expected}, 2e-3)


@launches
def route_top_2() -> Launch:
    x = normal(4, 8, dtype=torch.float32)
    weights, chosen = torch.softmax(x, 1).topk(2)
    weights /= weights.sum(1, keepdim=True)
    given = {"x": x, "w": blank(4, 2, dtype=torch.float32), "i": blank(4, 2, dtype=torch.int32)}
    return Launch(given, {"w": weights, "i": chosen}, 1e-6)
