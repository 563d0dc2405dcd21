"""Control flow that data decides: segments, lists, searches, stores in branches."""

from __future__ import annotations

import torch

from .launch import Launch, blank, launches, normal, whole


@launches
def segment_sum() -> Launch:
    x, ends = normal(20, 16, dtype=torch.float32), torch.tensor([0, 7, 7, 20])
    parts = [x[ends[i] : ends[i + 1]].sum(0) for i in range(3)]
    given = {"x": x, "off": ends, "y": blank(3, 16, dtype=torch.float32)}
    return Launch(given, {"y": torch.stack(parts)}, 1e-5)


@launches
def varlen_mean() -> Launch:
    x, ends = normal(23, 8), torch.tensor([0, 3, 12, 23], dtype=torch.int32)
    parts = [x[ends[i] : ends[i + 1]].float().mean(0) for i in range(3)]
    given = {"x": x, "cu": ends, "y": blank(3, 8), "maxlen": 16}
    return Launch(given, {"y": torch.stack(parts).half()}, 2e-3)


@launches
def dynamic_tensor() -> Launch:
    x = normal(8, dtype=torch.float32)
    given = {"x": x, "y": blank(1, dtype=torch.float32), "n": 5}
    return Launch(given, {"y": x[:5].sum().reshape(1)}, 1e-6)


@launches
def linked_list_while() -> Launch:
    following = torch.tensor([3, -1, 5, 2, 0, 1, 0, 0], dtype=torch.int32)
    values = normal(8, dtype=torch.float32)
    expected = values[torch.tensor([0, 3, 2, 5, 1])].sum().reshape(1)
    given = {"nx": following, "v": values, "y": blank(1, dtype=torch.float32)}
    return Launch(given, {"y": expected}, 1e-6)


@launches
def newton_while() -> Launch:
    x = torch.tensor([2.0, 9.0, 0.5, 100.0])
    return Launch({"x": x, "y": blank(4, dtype=torch.float32)}, {"y": x.sqrt()}, 1e-5)


@launches
def store_in_if() -> Launch:
    x = normal(4, 16)
    expected = torch.stack([x[0], x[1], -x[2], torch.zeros(16).half()])
    return Launch({"x": x, "y": blank(4, 16), "flag": True}, {"y": expected})


@launches
def insertion_sort() -> Launch:
    x = normal(8, dtype=torch.float32)
    return Launch({"x": x, "y": blank(8, dtype=torch.float32)}, {"y": x.sort()[0]})


@launches
def callee_builds_views() -> Launch:
    x = normal(16)
    return Launch({"x": x, "y": blank(4)}, {"y": x[8:12]})


@launches
def callee_takes_view() -> Launch:
    x = normal(16)
    return Launch({"x": x, "y": blank(4)}, {"y": x[8:12]})


@launches
def callee_stores() -> Launch:
    x = normal(16)
    return Launch({"x": x, "y": blank(16)}, {"y": x})


@launches
def forall_stores() -> Launch:
    x = normal(4, 16)
    return Launch({"x": x, "y": blank(4, 16)}, {"y": -x})


@launches
def forall_dynamic_bounds() -> Launch:
    x, expected = normal(4, 16), blank(4, 16)
    expected[1:3] = x[1:3]
    return Launch({"x": x, "y": blank(4, 16), "n": 3}, {"y": expected})


@launches
def parallel_stores() -> Launch:
    x = normal(4, 16)
    return Launch({"x": x, "y": blank(4, 16)}, {"y": x})


@launches
def switch_stores() -> Launch:
    x, expected = normal(4, 16), blank(4, 16)
    expected[1], expected[2] = x[1], -x[2]
    return Launch({"x": x, "y": blank(4, 16)}, {"y": expected})


@launches
def execute_region_blocks() -> Launch:
    x = normal(4, 16)
    return Launch({"x": x, "y": blank(4, 16), "t": True}, {"y": -x})


@launches
def generic_with_if() -> Launch:
    x = normal(4, 16)
    roots = x.float().clamp(min=0).sqrt().half()
    return Launch({"x": x, "y": blank(4, 16)}, {"y": torch.where(x > 0, roots, x * x)})


@launches
def generic_with_for() -> Launch:
    x = normal(4, 16)
    return Launch({"x": x, "y": blank(4, 16)}, {"y": x + x + x + x})


@launches
def while_on_tensor_any() -> Launch:
    x = whole(0, 1000, 4, 16, dtype=torch.int32)
    halvings = int(x.max()).bit_length()
    return Launch({"x": x, "y": torch.zeros_like(x)}, {"y": torch.full_like(x, halvings)})
