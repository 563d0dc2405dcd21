"""Meanings of `spyreop`: the device's intrinsics, as far as public text defines them on values.

Functions are evaluated in the next wider type (f16 in f32, f32 in f64) and rounded once, but for
those of `math` and `arith` that they are other names of. How exact the device's own instructions
are is not public. What has no public meaning is refused here, by name. A fused pair is one complex
number, the mean its real part; it lives inside a body or beside scalars, no memory holds it.

Source of formulas: torch-spyre/ktir-mlir-frontend, include/ktir/Dialect/SpyreOp/SpyreOp.td.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import NoReturn

import torch
from torch import Tensor

from ktir.errors import UnsupportedError
from ktir.machine import floats, table
from ktir.machine.numerics import Kind, dtype_of, reduce_tree
from ktir.machine.scalar import Factory, Meaning, Signature, always

STATISTICS = frozenset(f"spyreop.exx2{form}" for form in ("", "_fused", "_zeromean_fused"))
"""Ops whose result, in the body of a reduction, is of all elements that are reduced."""

_WIDER = {torch.float16: torch.float32, torch.float32: torch.float64}
_PREDICATE = re.compile(r"#spyreop\.compare_predicate<(\w+)>")


def _differ(a: Tensor, b: Tensor) -> Tensor:
    """Numbers that are not equal; a NaN differs from nothing."""
    return (a < b) | (a > b)


_COMPARISONS: dict[str, Meaning] = {
    "equal": torch.eq,
    "notequal": _differ,
    "greaterthan": torch.gt,
    "greaterequal": torch.ge,
    "lesserthan": torch.lt,
    "lesserequal": torch.le,
}


def _rounded_once(function: Callable[[Tensor], Tensor]) -> Factory:
    """A function evaluated in the next wider type."""

    def choose(signature: Signature) -> Meaning:
        dtype = signature.dtype
        wide = _WIDER[dtype]
        return lambda x: function(x.to(wide).contiguous()).to(dtype)

    return choose


def _sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x)): 0 at -inf, 1 at inf."""
    return 1 / (1 + torch.exp(-x))


def _silu(x: Tensor) -> Tensor:
    """x / (1 + exp(-x)): NaN at -inf, as in PyTorch."""
    return x / (1 + torch.exp(-x))


def _gelu(x: Tensor) -> Tensor:
    """x * CDF(x), with erfc so that no digit is lost on the left; NaN at -inf, as in PyTorch."""
    return 0.5 * x * torch.erfc(x * -math.sqrt(0.5))


def _softplus(signature: Signature) -> Meaning:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x is above the threshold, as in
    PyTorch."""
    beta = float(signature.attributes["beta"])
    threshold = float(signature.attributes["threshold"])

    def softplus(x: Tensor) -> Tensor:
        scaled = x * beta
        return torch.where(scaled > threshold, x, torch.log1p(torch.exp(scaled)) / beta)

    return _rounded_once(softplus)(signature)


def _compare(signature: Signature) -> Meaning:
    """1 or 0. Every predicate is ordered, `notequal` too: 0 where an operand is NaN
    (`SpyreOp.td` of torch-spyre/ktir-mlir-frontend).
    """
    match = _PREDICATE.fullmatch(str(signature.attributes["predicate"]))
    assert match is not None, signature.attributes
    holds, dtype = _COMPARISONS[match[1]], signature.dtype
    return lambda a, b: holds(a, b).to(dtype)


def _select(condition: Tensor, if_so: Tensor, if_not: Tensor) -> Tensor:
    """Neither 0 nor -0 chooses the first value; NaN does."""
    return torch.where(condition != 0, if_so, if_not)


def _address(signature: Signature) -> Meaning:
    """base + stride * index, modulo 2^32."""
    if len(signature.operands) == 3:
        return lambda index, base, stride: base + stride * index
    base, stride = (int(signature.attributes[f"static_{name}"]) for name in ("base", "stride"))
    return lambda index: index * stride + base


def statistics(name: str, signature: Signature, axes: Sequence[int] = ()) -> Meaning:
    """The meaning of an op of `STATISTICS` over these axes, which keep size 1.

    The sums are trees (`numerics.reduce_tree`) in the next wider type, divided by the number of
    elements there; mean and mean of squares are rounded once each. Without axes an element is its
    own mean.
    """
    dtype = signature.dtype
    wide = _WIDER[dtype]

    def mean(x: Tensor) -> Tensor:
        if not axes:
            return x.to(dtype)
        shape = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
        total = reduce_tree(x, Kind.ADDF, axes)
        return (total / math.prod(x.shape[axis] for axis in axes)).to(dtype).view(shape)

    def both(x: Tensor) -> tuple[Tensor, Tensor]:
        x = x.to(wide)
        return mean(x), mean(x * x)

    if name == "spyreop.exx2":
        return both
    if name == "spyreop.exx2_fused":
        return lambda x: _pair(*both(x))
    return lambda x: _pair(torch.zeros(()), mean(x.to(wide) ** 2))


def _pair(mean: Tensor, squares: Tensor) -> Tensor:
    """One value of two; f16 numbers are exact in it."""
    squares = squares.to(torch.float32)
    return torch.complex(mean.to(torch.float32).expand_as(squares), squares)


def _elementwise_statistics(name: str) -> Factory:
    return lambda signature: statistics(name, signature)


def _scale_of(mean: Tensor, squares: Tensor) -> Tensor:
    return torch.rsqrt((squares - mean * mean).contiguous())


def _scale(signature: Signature) -> Meaning:
    """1 / sqrt(squares - mean * mean): inf for a row of equal elements, NaN where rounding made the
    mean of squares too small. The op has no epsilon."""
    if len(signature.operands) != 2:
        raise UnsupportedError(
            "with one operand it is not defined which statistic that is; give `squares` too"
        )
    dtype = signature.dtype
    wide = _WIDER[dtype]
    return lambda mean, squares: _scale_of(mean.to(wide), squares.to(wide)).to(dtype)


def _fused_scale(signature: Signature) -> Meaning:
    """As of two operands."""
    dtype = signature.result_dtype
    wide = _WIDER[dtype]
    return lambda pair: _scale_of(pair.real.to(wide), pair.imag.to(wide)).to(dtype)


def _refused(reason: str) -> Factory:
    def choose(signature: Signature) -> NoReturn:
        raise UnsupportedError(reason)

    return choose


def _on_known_types(factory: Factory) -> Factory:
    """Refuses `!spyreop.df16`, in pairs too."""

    def choose(signature: Signature) -> Meaning:
        for type_text in (*signature.operands, *signature.results):
            if "_fused" not in type_text or "df16" in type_text:
                dtype_of(type_text)
        return factory(signature)

    return choose


_ENTRIES: dict[str, Factory] = {
    "spyreop.addi32toi32": always(torch.add),
    "spyreop.addi64toi64": always(torch.add),
    "spyreop.muli32toi32": always(torch.mul),
    "spyreop.idx32toaddr": _address,
    "spyreop.compare": _compare,
    "spyreop.select": always(_select),
    "spyreop.realdiv": always(torch.div),
    "spyreop.reciprocal": always(torch.reciprocal),
    "spyreop.exp": floats.ENTRIES["math.exp"],
    "spyreop.sqrt": floats.ENTRIES["math.sqrt"],
    "spyreop.rsqrt": floats.ENTRIES["math.rsqrt"],
    "spyreop.sigmoid": _rounded_once(_sigmoid),
    "spyreop.silu": _rounded_once(_silu),
    "spyreop.gelu": _rounded_once(_gelu),
    "spyreop.softplus": _softplus,
    **{name: _elementwise_statistics(name) for name in STATISTICS},
    "spyreop.layernormscale": _scale,
    "spyreop.layernormscale_fused": _fused_scale,
    "spyreop.layernormnorm": _refused(
        "public texts differ on whether `squares` is the mean or the mean of squares, and "
        "no row can be normalised from the latter; write it with arith"
    ),
    "spyreop.slice_reduction": _refused(
        "how wide a slice of a register is, and what its other elements hold, is not public"
    ),
}

table.define({name: _on_known_types(factory) for name, factory in _ENTRIES.items()})
