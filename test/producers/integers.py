"""Integers: hashes, packed formats, counts, sorting, searches."""

from __future__ import annotations

import numpy as np
import torch

from .launch import Launch, blank, launches, normal, whole


@launches
def dropout_hash() -> Launch:
    x = normal(128, dtype=torch.float32)
    bits = np.arange(128) ^ 1234
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        bits = (bits ^ (bits >> shift)) * factor % 2**32
    drawn = (bits ^ (bits >> 16)).astype(np.float32) * np.float32(2.3283064365386963e-10)
    kept = x.numpy() / (np.float32(1) - np.float32(0.3))
    expected = torch.from_numpy(np.where(drawn > np.float32(0.3), kept, np.float32(0)))
    given = {"x": x, "y": blank(128, dtype=torch.float32), "seed": 1234, "p": 0.3}
    return Launch(given, {"y": expected})


@launches
def fp8_e4m3_decode() -> Launch:
    x = torch.arange(256).to(torch.uint8)
    expected = x.view(torch.float8_e4m3fn).half()
    return Launch({"x": x.view(torch.int8), "y": blank(256)}, {"y": expected})


@launches
def int4_dequant() -> Launch:
    w, scale = whole(-128, 128, 8, 16, dtype=torch.int8), normal(8)
    low, high = (w.int() << 28) >> 28, w.int() >> 4
    expected = torch.stack([low, high], -1).reshape(8, 32).half() * scale[:, None]
    return Launch({"w": w, "s": scale, "y": blank(8, 32)}, {"y": expected})


@launches
def quantize_rows() -> Launch:
    x = normal(4, 64)
    scale = x.float().abs().amax(1) / 127
    expected = {"q": torch.round(x.float() / scale[:, None]).clamp(-128, 127), "s": scale}
    given = {"x": x, "q": blank(4, 64, dtype=torch.int8), "s": blank(4, dtype=torch.float32)}
    return Launch(given, expected)


def _histogram(dtype: torch.dtype) -> Launch:
    x = whole(0, 8, 100, dtype=dtype)
    expected = torch.bincount(x.long(), minlength=8)
    return Launch({"x": x, "y": blank(8, dtype=torch.int32)}, {"y": expected})


@launches
def histogram() -> Launch:
    return _histogram(torch.int8)


@launches
def histogram_onehot() -> Launch:
    return _histogram(torch.int32)


@launches
def scan_hillis_steele() -> Launch:
    x = whole(-50, 50, 32, dtype=torch.int32)
    return Launch({"x": x, "y": blank(32, dtype=torch.int32)}, {"y": x.cumsum(0)})


@launches
def parallel_sum_of_squares() -> Launch:
    x = whole(-9, 9, 8, 4, dtype=torch.int32)
    return Launch({"x": x, "y": blank(1, dtype=torch.int32)}, {"y": (x * x).sum().reshape(1)})


@launches
def bitonic_sort() -> Launch:
    x = normal(16, dtype=torch.float32)
    return Launch({"x": x, "y": blank(16, dtype=torch.float32)}, {"y": x.sort()[0]})


@launches
def top_k() -> Launch:
    x = normal(3, 40, dtype=torch.float32)
    values, places = x.topk(4)
    given = {"x": x, "v": blank(3, 4, dtype=torch.float32), "i": blank(3, 4, dtype=torch.int32)}
    return Launch(given, {"v": values, "i": places})


@launches
def argmax_argmin() -> Launch:
    x = normal(6, 50)
    given = {"x": x, "a": blank(6, dtype=torch.int64), "i": blank(6, dtype=torch.int32)}
    return Launch(given, {"a": x.float().argmax(1), "i": x.float().argmin(1)})


@launches
def table_lookup() -> Launch:
    x = whole(0, 16, 24, dtype=torch.int32)
    return Launch({"x": x, "y": blank(24)}, {"y": (x * x).half()})
