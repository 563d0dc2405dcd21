"""Reductions as torch computes them: sums, means, norms, softmax, extremes, scans.

f16 and bf16 operands are accumulated in f32 and the result is rounded once; torch-mlir accumulates
in the type of the operand. Variances take two passes in f32 (torch-mlir: f64). An index of an
extreme is a reduction of its own, so that every reduction has one result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.frontend.opmath import Scalar, aten, constant, decomposes, in_f32, widen


def _all_dims(x: Tensor, dims: Sequence[int] | int | None) -> list[int]:
    """The reduced dimensions as non-negative numbers; None and an empty list mean all of them."""
    if isinstance(dims, int):
        dims = [dims]
    if not dims:
        return list(range(x.dim()))
    return [d % x.dim() if x.dim() else 0 for d in dims]


def _count(x: Tensor, dims: Sequence[int]) -> int:
    """How many elements one result stands for."""
    return math.prod(x.shape[d] for d in dims)


# ---- sums and means --------------------------------------------------------------------


@decomposes(aten.sum.dim_IntList)
def sum_dims(
    x: Tensor,
    dim: Sequence[int] | None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> Any:
    """Sum over dimensions: in f32 for narrow floats, in int64 for integers and bools."""
    result = dtype or (x.dtype if x.dtype.is_floating_point else torch.int64)
    if x.dim() == 0:
        return x.to(result, copy=True)
    working = widen(x.to(result))
    if working is x:
        return NotImplemented
    return torch.sum(working, _all_dims(x, dim), keepdim).to(result)


@decomposes(aten.sum.default)
def sum_all(x: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    """Sum of all elements."""
    return torch.sum(x, list(range(x.dim())), dtype=dtype)


@decomposes(aten.mean.dim)
def mean_dims(
    x: Tensor,
    dim: Sequence[int] | None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """The sum in f32 divided by the number of elements, rounded once."""
    result = dtype or x.dtype
    wide = widen(x.to(result))
    dims = _all_dims(x, dim)
    return (torch.sum(wide, dims, keepdim) / _count(x, dims)).to(result)


@decomposes(aten.mean.default)
def mean_all(x: Tensor, *, dtype: torch.dtype | None = None) -> Tensor:
    """Mean of all elements."""
    return mean_dims(x, None, dtype=dtype)


# ---- variance and norms ----------------------------------------------------------------


def _centred(x: Tensor, dims: list[int]) -> tuple[Tensor, Tensor, Tensor]:
    """(mean, x - mean, sum of the squares of that), reduced dimensions kept."""
    mean = torch.sum(x, dims, True) / _count(x, dims)
    offset = x - mean
    return mean, offset, torch.sum(offset * offset, dims, True)


@decomposes(aten.var_mean.correction)
@in_f32
def var_mean(
    x: Tensor,
    dim: Sequence[int] | None = None,
    *,
    correction: Scalar | None = None,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    """(variance, mean); the divisor is the count less the correction, which is 1 unless given."""
    dims = _all_dims(x, dim)
    mean, _, squares = _centred(x, dims)
    divisor = max(_count(x, dims) - (1 if correction is None else correction), 0)
    variance = squares / float(divisor)
    if keepdim:
        return variance, mean
    return torch.squeeze(variance, dims), torch.squeeze(mean, dims)


@decomposes(aten.var.correction)
def var(
    x: Tensor,
    dim: Sequence[int] | None = None,
    *,
    correction: Scalar | None = None,
    keepdim: bool = False,
) -> Tensor:
    """The variance alone."""
    variance: Tensor = var_mean(x, dim, correction=correction, keepdim=keepdim)[0]
    return variance


@decomposes(aten.std.correction)
@in_f32
def std(
    x: Tensor,
    dim: Sequence[int] | None = None,
    *,
    correction: Scalar | None = None,
    keepdim: bool = False,
) -> Tensor:
    """The square root of the variance, rounded once."""
    variance: Tensor = var_mean(x, dim, correction=correction, keepdim=keepdim)[0]
    return torch.sqrt(variance)


@decomposes(aten.native_layer_norm.default)
def layer_norm(
    x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """((x - mean) * rsqrt(variance + eps) * weight + bias, mean, rsqrt) over the last dimensions.

    `shape` are the extents of those; computed in f32.
    """
    wide = widen(x)
    dims = list(range(x.dim() - len(shape), x.dim()))
    mean, offset, squares = _centred(wide, dims)
    scale = torch.rsqrt(squares / _count(x, dims) + eps)
    result = offset * scale
    if weight is not None:
        result = result * widen(weight)
    if bias is not None:
        result = result + widen(bias)
    return result.to(x.dtype), mean, scale


@decomposes(aten.rms_norm.default)
def rms_norm(
    x: Tensor, shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """x * rsqrt(mean(x * x) + eps) * weight over the last dimensions, in f32.

    `shape` are the extents of those; eps is the machine epsilon of f32 unless given.
    """
    wide = widen(x)
    dims = list(range(x.dim() - len(shape), x.dim()))
    epsilon = torch.finfo(wide.dtype).eps if eps is None else eps
    squares = torch.sum(wide * wide, dims, True) / _count(x, dims)
    result = wide * torch.rsqrt(squares + epsilon)
    if weight is not None:
        result = result * widen(weight)
    return result.to(x.dtype)


@decomposes(aten.linalg_vector_norm.default)
def vector_norm(
    x: Tensor,
    ord: Scalar = 2,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """sum(|x| ** ord) ** (1 / ord) and its limits at 0 and the infinities, in f32, rounded once."""
    result = dtype or x.dtype
    wide = widen(x.to(result))
    dims = _all_dims(x, dim)
    if ord == math.inf:
        norm = torch.amax(torch.abs(wide), dims, keepdim)
    elif ord == -math.inf:
        norm = torch.amin(torch.abs(wide), dims, keepdim)
    elif ord == 0:
        norm = torch.sum((wide != 0).to(wide.dtype), dims, keepdim)
    elif ord == 1:
        norm = torch.sum(torch.abs(wide), dims, keepdim)
    elif ord == 2:
        norm = torch.sqrt(torch.sum(wide * wide, dims, keepdim))
    else:
        norm = torch.sum(torch.abs(wide) ** ord, dims, keepdim) ** (1.0 / ord)
    return norm.to(result)


@decomposes(aten.linalg_norm.default)
def linalg_norm(
    x: Tensor,
    ord: Scalar | None = None,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> Any:
    """The vector norm of all elements or along one dimension; matrix norms are not decomposed."""
    if ord is None or (dim is not None and len(dim) == 1) or (dim is None and x.dim() == 1):
        return vector_norm(x, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
    return NotImplemented


@decomposes(aten.norm.ScalarOpt_dim)
def norm_dims(x: Tensor, p: Scalar | None, dim: Sequence[int], keepdim: bool = False) -> Tensor:
    """The vector norm of order p, 2 unless given."""
    return vector_norm(x, 2 if p is None else p, dim, keepdim)


@decomposes(aten.norm.Scalar)
def norm_all(x: Tensor, p: Scalar = 2) -> Tensor:
    """The vector norm over all elements."""
    return vector_norm(x, p, None)


# ---- softmax ---------------------------------------------------------------------------


@decomposes(aten._softmax.default)
def softmax(x: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """exp(x - max) over its sum; a row of -inf gives NaN, as torch's does."""
    wide = widen(x)
    weights = torch.exp(wide - torch.amax(wide, [dim], True))
    result = weights / torch.sum(weights, [dim], True)
    return result if half_to_float else result.to(x.dtype)


@decomposes(aten._log_softmax.default)
def log_softmax(x: Tensor, dim: int, half_to_float: bool) -> Tensor:
    """x - max - log(sum(exp(x - max)))."""
    wide = widen(x)
    shifted = wide - torch.amax(wide, [dim], True)
    result = shifted - torch.log(torch.sum(torch.exp(shifted), [dim], True))
    return result if half_to_float else result.to(x.dtype)


@decomposes(aten.logsumexp.default)
@in_f32
def logsumexp(x: Tensor, dim: Sequence[int], keepdim: bool = False) -> Tensor:
    """log(sum(exp(x))) by way of the largest element, which is the result where it is infinite."""
    dims = _all_dims(x, dim)
    largest = torch.amax(x, dims, True)
    zero = constant(0.0, x)
    largest = torch.where(torch.abs(largest) == math.inf, zero, largest)
    result = torch.log(torch.sum(torch.exp(x - largest), dims, True)) + largest
    return result if keepdim else torch.squeeze(result, dims)


# ---- extremes and their places ---------------------------------------------------------


def first_hit(x: Tensor, best: Tensor, dim: int, among: Tensor | None = None) -> Tensor:
    """The first index along `dim` where `x` is `best`, as int64, the dimension kept.

    Where `best` is NaN it equals nothing and the NaN elements, which differ from themselves, are
    the hits; elsewhere there are none of those. Every other index is replaced by the extent, above
    all of them. `among` leaves only some elements to choose from.
    """
    hits = x == best
    if x.dtype.is_floating_point:
        hits = hits | (x != x)
    if among is not None:
        hits = hits & among
    extent = x.shape[dim]
    index = torch.arange(extent, device=x.device)
    index = index.view([extent if d == dim else 1 for d in range(x.dim())])
    return torch.amin(torch.where(hits, index, constant(extent, index)), [dim], True)


def _place(extreme: Any, x: Tensor, dim: int, keepdim: bool) -> Tensor:
    """The first index of the extreme of each row, NaN counting as the extreme."""
    dim = dim % x.dim()
    place = first_hit(x, extreme(x, [dim], True), dim)
    return place if keepdim else torch.squeeze(place, dim)


def _place_or_flat(extreme: Any, x: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    if x.dim() == 0:
        return torch.zeros((), dtype=torch.int64, device=x.device)
    if dim is not None:
        return _place(extreme, x, dim, keepdim)
    place = _place(extreme, x.reshape(-1), 0, False)
    return place.reshape([1] * x.dim()) if keepdim else place


@decomposes(aten.argmax.default)
def argmax(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The first index of the largest element."""
    return _place_or_flat(torch.amax, x, dim, keepdim)


@decomposes(aten.argmin.default)
def argmin(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The first index of the smallest element."""
    return _place_or_flat(torch.amin, x, dim, keepdim)


@decomposes(aten.max.dim)
def max_dim(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """(largest element, its first index)."""
    return torch.amax(x, [dim], keepdim), argmax(x, dim, keepdim)


@decomposes(aten.min.dim)
def min_dim(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """(smallest element, its first index)."""
    return torch.amin(x, [dim], keepdim), argmin(x, dim, keepdim)


# ---- scans -----------------------------------------------------------------------------


def _scan(combine: Any, x: Tensor, dim: int, neutral: Scalar) -> Tensor:
    """Prefix combination by doubling: step k combines each element with the one 2**k before it."""
    extent = x.shape[dim]
    step = 1
    while step < extent:
        shape = list(x.shape)
        shape[dim] = step
        head = torch.full(shape, neutral, dtype=x.dtype, device=x.device)
        x = combine(x, torch.cat([head, torch.narrow(x, dim, 0, extent - step)], dim))
        step *= 2
    return x


def _cumulative(
    combine: Any, x: Tensor, dim: int, neutral: Scalar, dtype: torch.dtype | None
) -> Tensor:
    result = dtype or (x.dtype if x.dtype.is_floating_point else torch.int64)
    if x.dim() == 0 or x.shape[dim] == 1:
        return x.to(result, copy=True)
    return _scan(combine, widen(x.to(result)), dim % x.dim(), neutral).to(result)


@decomposes(aten.cumsum.default)
def cumsum(x: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Tensor:
    """Running sum along `dim`, in f32 for narrow floats; added as a tree, not in torch's order."""
    return _cumulative(torch.add, x, dim, 0, dtype)


@decomposes(aten.cumprod.default)
def cumprod(x: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Tensor:
    """Running product along `dim`, in f32 for narrow floats."""
    return _cumulative(torch.mul, x, dim, 1, dtype)
