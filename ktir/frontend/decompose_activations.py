"""Activation functions by torch's formulas, in f32 and rounded once for f16 and bf16 operands."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ktir.frontend.opmath import Scalar, aten, constant, decomposes, in_f32, scaled


@decomposes(aten.gelu.default)
@in_f32
def gelu(x: Tensor, approximate: str = "none") -> Tensor:
    """x times the normal distribution function of x, exact (erf) or by torch's tanh formula."""
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
        return 0.5 * x * (1.0 + torch.tanh(inner))
    return 0.5 * x * (1.0 + torch.erf(x * math.sqrt(0.5)))


@decomposes(aten.silu.default)
@in_f32
def silu(x: Tensor) -> Tensor:
    """x * sigmoid(x)."""
    return x * torch.sigmoid(x)


@decomposes(aten.sigmoid.default)
@in_f32
def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x)); an integer operand gives the default float type."""
    wide = x if x.dtype.is_floating_point else x.to(torch.get_default_dtype())
    return constant(1.0, wide) / (1.0 + torch.exp(-wide))


@decomposes(aten.softplus.default)
@in_f32
def softplus(x: Tensor, beta: Scalar = 1, threshold: Scalar = 20) -> Tensor:
    """log(1 + exp(beta * x)) / beta, and x itself where beta * x passes the threshold."""
    inner = scaled(x, beta)
    soft = torch.log1p(torch.exp(inner))
    return torch.where(inner > threshold, x, soft / beta if beta != 1 else soft)


@decomposes(aten.mish.default)
@in_f32
def mish(x: Tensor) -> Tensor:
    """x * tanh(log(1 + exp(x)))."""
    return x * torch.tanh(torch.log1p(torch.exp(x)))


@decomposes(aten.hardswish.default)
@in_f32
def hardswish(x: Tensor) -> Tensor:
    """x * clamp(x + 3, 0, 6) / 6."""
    return x * torch.clamp(x + 3.0, 0.0, 6.0) / 6.0


@decomposes(aten.hardsigmoid.default)
@in_f32
def hardsigmoid(x: Tensor) -> Tensor:
    """clamp(x + 3, 0, 6) / 6."""
    return torch.clamp(x + 3.0, 0.0, 6.0) / 6.0


@decomposes(aten.leaky_relu.default)
@in_f32
def leaky_relu(x: Tensor, negative_slope: Scalar = 0.01) -> Tensor:
    """x above zero, negative_slope * x below."""
    return torch.where(x > 0, x, x * negative_slope)


@decomposes(aten.elu.default)
@in_f32
def elu(x: Tensor, alpha: Scalar = 1, scale: Scalar = 1, input_scale: Scalar = 1) -> Tensor:
    """scale * x above zero, scale * alpha * (exp(input_scale * x) - 1) below."""
    below = scaled(torch.expm1(scaled(x, input_scale)), alpha)
    return scaled(torch.where(x > 0, x, below), scale)


@decomposes(aten.log_sigmoid_forward.default)
@in_f32
def log_sigmoid(x: Tensor) -> tuple[Tensor, Tensor]:
    """min(x, 0) - log(1 + exp(-|x|)); the second result serves torch's backward pass only."""
    return torch.clamp(x, max=0.0) - torch.log1p(torch.exp(-torch.abs(x))), x.new_zeros(0)
