"""Softmax, norms, losses and activations."""

from __future__ import annotations

import torch
from torch.nn import functional

from .launch import Launch, blank, launches, normal, whole


@launches
def softmax_online() -> Launch:
    x = normal(10, 150)
    given = {"x": x, "y": blank(10, 150), "M": 10, "N": 150}
    return Launch(given, {"y": torch.softmax(x.float(), 1).half()}, 2e-3)


def _norm(centred: bool) -> Launch:
    x, w, b = normal(8, 96), normal(96, seed=1), normal(96, seed=2)
    wide = x.float()
    rest = wide - wide.mean(1, keepdim=True) if centred else wide
    scale = torch.rsqrt((rest**2).mean(1, keepdim=True) + 1e-5)
    expected = (rest * scale * w.float() + b.float()).half()
    given = {"x": x, "w": w, "b": b, "y": blank(8, 96), "rows": 8}
    return Launch(given, {"y": expected}, 3e-3)


@launches
def layer_norm() -> Launch:
    return _norm(True)


@launches
def rms_norm() -> Launch:
    return _norm(False)


@launches
def group_norm() -> Launch:
    x = normal(2, 8, 4, 5)
    expected = functional.group_norm(x.float(), 4).half()
    return Launch({"x": x, "y": blank(2, 8, 4, 5)}, {"y": expected}, 3e-3)


@launches
def welford() -> Launch:
    x = normal(9, 32, dtype=torch.float32)
    expected = {"m": x.mean(0), "v": x.var(0, unbiased=False)}
    row = blank(1, 32, dtype=torch.float32)
    return Launch({"x": x, "m": row, "v": row}, expected, 1e-5)


@launches
def cross_entropy() -> Launch:
    x, labels = normal(10, 70, dtype=torch.float32), whole(0, 70, 10, dtype=torch.int64)
    labels[3] = -100
    expected = functional.cross_entropy(x, labels, reduction="none")
    given = {"x": x, "lab": labels, "y": blank(10, dtype=torch.float32), "rows": 10}
    return Launch(given, {"y": expected}, 1e-5)


@launches
def activations() -> Launch:
    x = normal(7, 33, dtype=torch.float32) * 3
    expected = {
        "g": functional.gelu(x, approximate="tanh"),
        "e": functional.gelu(x),
        "s": functional.silu(x),
        "c": 3 * torch.tanh(x / 3),
    }
    out = blank(7, 33, dtype=torch.float32)
    return Launch({"x": x, "g": out, "e": out, "s": out, "c": out}, expected, 2e-6)


@launches
def call_helpers() -> Launch:
    x = normal(20, dtype=torch.float32)
    expected = torch.cat([torch.zeros(4), functional.silu(x[4:])])
    return Launch({"x": x, "y": blank(20, dtype=torch.float32)}, {"y": expected}, 1e-6)


@launches
def add_relu_row_max() -> Launch:
    x, w = normal(10, 20), normal(20, seed=1)
    y = (x + w).relu()
    given = {"x": x, "w": w, "y": blank(10, 20), "m": blank(10, dtype=torch.float32)}
    return Launch(given, {"y": y, "m": y.float().amax(1)})
