"""The one table of what scalar ops compute, at every level.

Owns the names, and that floats of 8 bits are computed with in f32; the entries are written in
`floats`, `integers` and `casts` by kind. A dialect with
scalar ops of its own adds them with `define` when its module is imported. Structured ops and ops on
whole tensors use the same entries, since a meaning broadcasts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ktir.errors import UnsupportedError
from ktir.machine import casts, floats, integers
from ktir.machine.numerics import EIGHT_BITS, dtype_of
from ktir.machine.scalar import Factory, Meaning, Signature

_TABLE: dict[str, Factory] = {}


def define(entries: Mapping[str, Factory]) -> None:
    """Adds ops to the table. Call it when a module is imported; a name has one meaning only."""
    for name, factory in entries.items():
        assert name not in _TABLE, f"{name} has a meaning already"
        _TABLE[name] = factory


def known(name: str) -> bool:
    """Whether the table has an op of this name, such as `arith.addf`."""
    return name in _TABLE


def lookup(name: str, signature: Signature) -> Meaning:
    """The meaning of `name` for these types and attributes: a function on torch tensors that
    broadcasts.

    Raises UnsupportedError for an unknown op, type or attribute.
    """
    factory = _TABLE.get(name)
    if factory is None:
        raise UnsupportedError(f"'{name}' is not in the machine's table of scalar ops")
    widened = _widened(name, signature)
    return factory(signature) if widened is None else _rounded(factory(widened), signature)


_MOVES = frozenset({"arith.extf", "arith.truncf", "arith.bitcast", "arith.select"})
"""Ops that do not compute with floats."""


def _widened(name: str, signature: Signature) -> Signature | None:
    """The signature with f32 for floats of 8 bits; None if there are none to compute with."""
    eight = {t for t in (*signature.operands, *signature.results) if t in EIGHT_BITS}
    if not eight or name in _MOVES:
        return None
    operands, results = (
        tuple("f32" if t in eight else t for t in types)
        for types in (signature.operands, signature.results)
    )
    return Signature(operands, results, signature.attributes)


def _rounded(meaning: Meaning, signature: Signature) -> Meaning:
    """`meaning` in f32 on floats of 8 bits, its results rounded to their types."""
    dtypes = [dtype_of(type_) if type_ in EIGHT_BITS else None for type_ in signature.results]
    eight = [type_ in EIGHT_BITS for type_ in signature.operands]

    def compute(*operands: Tensor) -> Any:
        wide = [x.to(torch.float32) if e else x for x, e in zip(operands, eight, strict=True)]
        found = meaning(*wide)
        if not isinstance(found, tuple):
            return found if dtypes[0] is None else found.to(dtypes[0])
        return tuple(x if d is None else x.to(d) for x, d in zip(found, dtypes, strict=True))

    return compute


for _entries in (floats.ENTRIES, integers.ENTRIES, casts.ENTRIES):
    define(_entries)
