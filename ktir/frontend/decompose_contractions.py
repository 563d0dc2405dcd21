"""Matrix products with f32 accumulation and one rounding, and data movement that torch-mlir gets
wrong.

A product of f16 or bf16 operands is written as the product of their f32 copies, which is what torch
computes (the f32 products of narrow operands are exact), so the graph still runs in torch.
`graph.py` takes the copies out again before torch-mlir sees the graph: a matmul of f16 operands
with an f32 result is a mixed-precision `linalg.matmul`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.frontend.opmath import Scalar, aten, decomposes, is_narrow, widen


def contract(a: Tensor, b: Tensor) -> Tensor:
    """a @ b over the last two dimensions, batch dimensions broadcast; narrow operands give an f32
    result.

    [..., M, K] @ [..., K, N] -> [..., M, N]. Reshaped to the rank-3 product that torch-mlir lowers.
    """
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])  # type: ignore[no-untyped-call]
    if not batch:
        return torch.mm(widen(a), widen(b))
    count = math.prod(batch)
    flat_a = a.expand(*batch, *a.shape[-2:]).reshape(count, *a.shape[-2:])
    flat_b = b.expand(*batch, *b.shape[-2:]).reshape(count, *b.shape[-2:])
    product = torch.bmm(widen(flat_a), widen(flat_b))
    return product.view(*batch, a.shape[-2], b.shape[-1])


@decomposes(aten.matmul.default)
def matmul(a: Tensor, b: Tensor) -> Tensor:
    """torch.matmul for all ranks; all rows that meet one matrix are one product."""
    dtype = torch.result_type(a, b)
    if a.dim() == 1 and b.dim() == 1:
        return contract(a.unsqueeze(0), b.unsqueeze(1)).reshape(()).to(dtype)
    if a.dim() == 1:
        return contract(a.unsqueeze(0), b).squeeze(-2).to(dtype)
    if b.dim() == 1:
        return matmul(a, b.unsqueeze(1)).squeeze(-1)
    if b.dim() == 2 and a.dim() > 2:
        rows = a.reshape(-1, a.shape[-1])
        return contract(rows, b).view(*a.shape[:-1], b.shape[-1]).to(dtype)
    return contract(a, b).to(dtype)


@decomposes(aten.linear.default)
def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x @ weight.T + bias, the bias added in f32 before the one rounding."""
    rows = x.reshape(-1, x.shape[-1])
    product = contract(rows, weight.t())
    if bias is not None:
        product = product + widen(bias)
    return product.to(x.dtype).view(*x.shape[:-1], weight.shape[0])


def _plus_product(bias: Tensor, product: Tensor, beta: Scalar, alpha: Scalar) -> Tensor:
    """beta * bias + alpha * product in the dtype of the bias; a beta of 0 hides NaN in the bias."""
    result = product if alpha == 1 else product * alpha
    if beta != 0:
        result = result + (widen(bias) if beta == 1 else widen(bias) * beta)
    return result.to(bias.dtype)


@decomposes(aten.addmm.default)
def addmm(bias: Tensor, a: Tensor, b: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """beta * bias + alpha * (a @ b) of matrices."""
    return _plus_product(bias, contract(a, b), beta, alpha)


@decomposes(aten.baddbmm.default)
def baddbmm(bias: Tensor, a: Tensor, b: Tensor, *, beta: Scalar = 1, alpha: Scalar = 1) -> Tensor:
    """beta * bias + alpha * (a @ b) of batches of matrices."""
    return _plus_product(bias, contract(a, b), beta, alpha)


@decomposes(aten.mm.default, aten.bmm.default)
def product(a: Tensor, b: Tensor) -> Any:
    """A product of narrow operands, rounded once."""
    if is_narrow(a) and is_narrow(b):
        return contract(a, b).to(a.dtype)
    return NotImplemented


@decomposes(aten.constant_pad_nd.default)
def constant_pad(x: Tensor, pad: Sequence[int], value: Scalar = 0) -> Any:
    """Padding by constants; negative widths cut first, because torch-mlir would pad by a negative
    width.

    `pad` holds (before, after) of the last dimension, then of the one before it, and so on.
    """
    if all(width >= 0 for width in pad):
        return NotImplemented
    for place in range(len(pad) // 2):
        dim = x.dim() - 1 - place
        before, after = (max(-width, 0) for width in pad[2 * place : 2 * place + 2])
        x = torch.narrow(x, dim, before, x.shape[dim] - before - after)
    widths = [max(width, 0) for width in pad]
    return aten.constant_pad_nd(x, widths, value) if any(widths) else x.clone()


@decomposes(aten.cat.default)
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Any:
    """Concatenation with operands of one dtype, without the empty rank-1 ones torch lets pass."""
    kept = [t for t in tensors if tuple(t.shape) != (0,)] or list(tensors[:1])
    dtype = kept[0].dtype
    for tensor in tensors:
        dtype = torch.promote_types(dtype, tensor.dtype)
    if len(kept) == len(tensors) and all(t.dtype == dtype for t in tensors):
        return NotImplemented
    return torch.cat([t.to(dtype) for t in kept], dim)
