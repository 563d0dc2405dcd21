"""scaled_dot_product_attention as products, a softmax in f32 and a product.

Follows torch 2.13 on the CPU: scores and softmax in f32, weights rounded to the dtype of the values
before they meet them, rows whose every key is masked give 0.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ktir.frontend.decompose_contractions import contract
from ktir.frontend.opmath import aten, constant, decomposes, widen


@decomposes(aten.scaled_dot_product_attention.default)
def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query @ key.T * scale, masked) @ value.

    query [.., H, L, E], key [.., G, S, E], value [.., G, S, V] -> [.., H, L, V]; H is a multiple of
    G with `enable_gqa`, equal to it otherwise. `scale` is 1 / sqrt(E) unless given. A bool mask
    keeps where it is true, a float mask is added. `dropout_p` is 0: random
    numbers were refused before (`graph.py`).
    """
    scores = _grouped(query, key.transpose(-2, -1), enable_gqa)
    scores = scores * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if is_causal:
        scores = _hide(scores, _causal(query.shape[-2], key.shape[-2], query.device))
    if attn_mask is not None:
        scores = _masked(scores, attn_mask)
    weights = _softmax(scores, may_hide_all=attn_mask is not None)
    return _grouped(weights.to(value.dtype), value, enable_gqa).to(query.dtype)


def _grouped(a: Tensor, b: Tensor, enable_gqa: bool) -> Tensor:
    """a @ b where several consecutive heads of `a` may share one head of `b`.

    The rows of those heads are stacked into one taller matrix, so that the shared operand is read
    once and never repeated: [.., H, M, K] -> [.., G, (H / G) * M, K].
    """
    if not enable_gqa or a.shape[-3] == b.shape[-3]:
        return contract(a, b)
    heads, rows, inner = a.shape[-3:]
    shared = b.shape[-3]
    stacked = a.reshape(*a.shape[:-3], shared, heads // shared * rows, inner)
    return contract(stacked, b).view(*a.shape[:-3], heads, rows, b.shape[-1])


def _causal(rows: int, columns: int, device: torch.device) -> Tensor:
    """True where the key does not come after the query, both counted from 0."""
    query_index = torch.arange(rows, device=device).unsqueeze(-1)
    return query_index >= torch.arange(columns, device=device)


def _hide(scores: Tensor, kept: Tensor) -> Tensor:
    return torch.where(kept, scores, constant(-math.inf, scores))


def _masked(scores: Tensor, mask: Tensor) -> Tensor:
    return _hide(scores, mask) if mask.dtype == torch.bool else scores + widen(mask)


def _softmax(scores: Tensor, may_hide_all: bool) -> Tensor:
    """Softmax over the last dimension; rows of -inf alone give 0 where `may_hide_all`.

    Such a row has the largest element -inf. With 0 in its place every weight is exp(-inf) = 0, and
    so is their sum, for which 1 stands in as the divisor.
    """
    largest = torch.amax(scores, [-1], True)
    if may_hide_all:
        largest = torch.where(largest == -math.inf, constant(0.0, largest), largest)
    weights = torch.exp(scores - largest)
    total = torch.sum(weights, [-1], True)
    if may_hide_all:
        total = torch.where(total == 0.0, constant(1.0, total), total)
    return weights / total
