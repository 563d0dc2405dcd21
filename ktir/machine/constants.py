"""Constants: `arith.constant` and its like, as tensors that are in the frame from the start.

Owns the reading of constant attributes. Splats are held as one element repeated with stride 0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ktir.errors import UnsupportedError
from ktir.machine.block import Step
from ktir.machine.decode import Scope, handler, scalar_type
from ktir.machine.numerics import EIGHT_BITS, dtype_of
from ktir.mlir import ir
from ktir.resources import is_resource, resource_bytes

_HEX_BLOB = re.compile(r'^dense<"0x([0-9A-Fa-f]*)">')
_NUMBER = re.compile(r"0x[0-9A-Fa-f]+|[-+]?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?")
_BYTES = {1: torch.uint8, 2: torch.int16}


@handler("arith.constant", "index.constant", "spyreop.constant")
def decode_constant(op: Any, scope: Scope) -> Step | None:
    """Scalars become [1], tensors [1, dims ..]."""
    scope.constant(op.results[0], constant_tensor(op.attributes["value"], op.results[0].type))
    return None


def constant_tensor(attribute: ir.Attribute, mlir_type: ir.Type) -> Tensor:
    """The value of a scalar or dense attribute of this type, with a core axis of length 1.

    Raises UnsupportedError for other attributes.
    """
    type_text = scalar_type(mlir_type)
    if isinstance(attribute, (ir.BoolAttr, ir.IntegerAttr, ir.FloatAttr)):
        return _scalar(attribute.value, type_text)
    shape = (1, *mlir_type.shape) if isinstance(mlir_type, ir.RankedTensorType) else (1,)
    if isinstance(attribute, ir.DenseElementsAttr):
        if attribute.is_splat:
            ones = (1,) * len(shape)
            return _splat(attribute, type_text).view(ones).expand(shape)
        return _dense(attribute, type_text).reshape(shape)
    if is_resource(attribute):
        return torch.frombuffer(resource_bytes(attribute), dtype=dtype_of(type_text)).reshape(shape)
    raise UnsupportedError(f"constant {attribute} is of an unknown kind")


def _scalar(value: float, type_text: str) -> Tensor:
    dtype = dtype_of(type_text)
    if not dtype.is_floating_point and dtype is not torch.bool:
        bits = torch.iinfo(dtype).bits
        value = (int(value) + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    return torch.tensor([value], dtype=torch.float64 if dtype.is_floating_point else dtype).to(
        dtype
    )


def _splat(attribute: Any, type_text: str) -> Tensor:
    if type_text in _NOT_IN_BUFFERS:
        return _parsed(str(attribute), dtype_of(type_text))
    return _scalar(attribute.get_splat_value().value, type_text)


def _dense(attribute: Any, type_text: str) -> Tensor:
    dtype = dtype_of(type_text)
    if type_text in _NOT_IN_BUFFERS:
        return _parsed(str(attribute), dtype)
    return torch.from_numpy(np.array(attribute)).to(dtype)


_NOT_IN_BUFFERS = ("bf16", *EIGHT_BITS)
"""Element types that the bindings cannot give out as arrays; their text is read instead."""


def _parsed(text: str, dtype: torch.dtype) -> Tensor:
    """The elements of a printed dense attribute: decimal, or hexadecimal digits of the bits."""
    bits = _BYTES[dtype.itemsize]
    blob = _HEX_BLOB.match(text)
    if blob:
        return torch.frombuffer(bytearray.fromhex(blob.group(1)), dtype=bits).view(dtype)
    tokens: Sequence[str] = _NUMBER.findall(text[: text.rindex(">", 0, text.rindex(" : "))])
    return torch.cat(
        [_token(token, dtype, bits) for token in tokens] or [torch.empty(0, dtype=dtype)]
    )


def _token(token: str, dtype: torch.dtype, bits: torch.dtype) -> Tensor:
    if not token.startswith("0x"):
        return torch.tensor([float(token)], dtype=torch.float64).to(dtype)
    pattern = int(token, 16).to_bytes(dtype.itemsize, "little")
    return torch.frombuffer(bytearray(pattern), dtype=bits).view(dtype)
