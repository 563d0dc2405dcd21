"""The one table of what scalar ops compute, at every level.

Owns the names; the entries are written in `floats`, `integers` and `casts` by kind. A dialect with
scalar ops of its own adds them with `define` when its module is imported. Structured ops and ops on
whole tensors use the same entries, since a meaning broadcasts.
"""

from __future__ import annotations

from collections.abc import Mapping

from ktir.errors import UnsupportedError
from ktir.machine import casts, floats, integers
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
    return factory(signature)


for _entries in (floats.ENTRIES, integers.ENTRIES, casts.ENTRIES):
    define(_entries)
