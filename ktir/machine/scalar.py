"""How the meaning of a scalar op is written down.

Owns the types that the table's entries share. A meaning works on torch tensors of the dtypes that
`numerics` maps the op's types to, broadcasts its operands, and returns one tensor or, for an op of
several results, a tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ktir.machine.numerics import dtype_of

Meaning = Callable[..., Any]
"""Tensors in, one tensor or a tuple of tensors out."""


@dataclass(frozen=True)
class Signature:
    """What decides an op's meaning: element types, as MLIR spells them, and attributes."""

    operands: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of the first operand."""
        return dtype_of(self.operands[0])

    @property
    def result_dtype(self) -> torch.dtype:
        """The dtype of the first result."""
        return dtype_of(self.results[0])


Factory = Callable[[Signature], Meaning]
"""Chooses the meaning for types and attributes; raises UnsupportedError for unknown ones."""

FLOAT_BITS = {
    torch.float16: torch.int16,
    torch.bfloat16: torch.int16,
    torch.float32: torch.int32,
    torch.float64: torch.int64,
}
"""The integers of a float's width, to read and set its bits."""

HALVES = (torch.float16, torch.bfloat16)
"""Types whose arithmetic is done in f32 and rounded once."""


def always(meaning: Meaning) -> Factory:
    """An op that means the same for all types."""
    return lambda signature: meaning


def broadcast(*operands: Tensor) -> tuple[Tensor, ...]:
    """The operands as views of one shape."""
    return tuple(torch.broadcast_tensors(*operands))  # type: ignore[no-untyped-call]


def unless_bool(meaning: Meaning, on_bool: Meaning) -> Factory:
    """An integer op with its own meaning for i1."""
    return lambda signature: on_bool if signature.dtype is torch.bool else meaning


def contiguous(function: Callable[[Tensor], Tensor]) -> Factory:
    """A function whose last bits torch keeps equal for all shapes of contiguous operands."""
    return always(lambda x: function(x.contiguous()))


def through_f32(function: Callable[[Tensor], Tensor]) -> Factory:
    """A function that torch evaluates unevenly in 16 bits: computed on f32 and rounded once."""

    def choose(signature: Signature) -> Meaning:
        dtype = signature.dtype
        if dtype not in HALVES:
            return lambda x: function(x.contiguous())
        return lambda x: function(x.to(torch.float32).contiguous()).to(dtype)

    return choose


_BLOCK = 32768
"""The least elements torch gives a thread (at::internal::GRAIN_SIZE): a block is not divided."""

_VECTOR = 64
"""A multiple of the elements that torch's vectorised loops take at a time, for every dtype."""


def whole_vectors(function: Meaning) -> Factory:
    """A function whose vectorised and scalar versions in torch differ in the last bit.

    Operands are broadcast, flattened, padded to whole vectors and passed in blocks that torch gives
    to one thread, so that the vectorised version computes every element.
    """

    def meaning(*operands: Tensor) -> Tensor:
        operands = broadcast(*operands)
        shape, size = operands[0].shape, operands[0].numel()
        flat = [x.reshape(-1) for x in operands]
        if size % _VECTOR:
            flat = [torch.constant_pad_nd(x, (0, -size % _VECTOR)) for x in flat]
        if size <= _BLOCK:
            result: Tensor = function(*flat)
        else:
            parts = zip(*(torch.split(x, _BLOCK) for x in flat), strict=True)
            result = torch.cat([function(*part) for part in parts])
        return result[:size].view(shape)

    return always(meaning)
