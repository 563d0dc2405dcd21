"""Attention: whole, causal, grouped, paged, one row; rotary embeddings; writes to a cache."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as attention

from .launch import Launch, blank, launches, normal


def _flash(heads: int, kept: int, causal: bool) -> Launch:
    q = normal(heads, 64, 32)
    k, v = normal(kept, 64, 32, seed=1), normal(kept, 64, 32, seed=2)
    keys, values = (x.float().repeat_interleave(heads // kept, 0) for x in (k, v))
    expected = attention(q.float(), keys, values, is_causal=causal).half()
    return Launch({"q": q, "k": k, "v": v, "o": blank(heads, 64, 32)}, {"o": expected}, 4e-3)


@launches
def flash_causal_gqa() -> Launch:
    return _flash(4, 2, True)


@launches
def flash_full_mha() -> Launch:
    return _flash(2, 2, False)


@launches
def paged_attention() -> Launch:
    q, keys, values = normal(3, 32), normal(10, 8, 32, seed=1), normal(10, 8, 32, seed=2)
    tables = torch.tensor([[3, 9, 1, 7], [0, 4, 8, 2], [5, 3, 9, 1]], dtype=torch.int32)
    lengths = torch.tensor([5, 17, 32], dtype=torch.int32)

    def row(s: int) -> Tensor:
        length = int(lengths[s])
        k, v = (x[tables[s].long()].flatten(0, 1)[:length].float() for x in (keys, values))
        return torch.softmax(q[s].float() @ k.T, 0) @ v

    expected = torch.stack([row(s) for s in range(3)]).half()
    given = {"q": q, "kc": keys, "vc": values, "bt": tables, "len": lengths, "o": blank(3, 32)}
    return Launch(given, {"o": expected}, 4e-3)


@launches
def attention_row_bf16() -> Launch:
    q, k = normal(2, 32, dtype=torch.bfloat16), normal(16, 32, dtype=torch.bfloat16, seed=1)
    expected = torch.softmax(q.float() @ k.float().T, 1).bfloat16()
    return Launch({"q": q, "k": k, "o": blank(2, 16, dtype=torch.bfloat16)}, {"o": expected}, 8e-3)


@launches
def rope_interleaved() -> Launch:
    x, cos, sin = normal(16, 64), normal(16, 32, seed=1), normal(16, 32, seed=2)
    even, odd = x[:, ::2], x[:, 1::2]
    turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).reshape(16, 64)
    return Launch({"x": x, "c": cos, "s": sin, "y": blank(16, 64)}, {"y": turned})


@launches
def rope_half() -> Launch:
    x, cos, sin = normal(16, 64), normal(16, 64, seed=1), normal(16, 64, seed=2)
    turned = x * cos + torch.cat([-x[:, 32:], x[:, :32]], 1) * sin
    return Launch({"x": x, "c": cos, "s": sin, "y": blank(16, 64)}, {"y": turned})


@launches
def kv_cache_write() -> Launch:
    k, cache = normal(8, 64), normal(32, 64, seed=1)
    slots = torch.tensor([31, 2, 17, 0, 9, 5, 30, 11], dtype=torch.int32)
    expected = cache.clone()
    expected[slots.long()] = k
    return Launch({"k": k, "slot": slots, "cache": cache}, {"cache": expected})
