"""Where in a program an op stands. The text is made when a message needs it only."""

from __future__ import annotations

from typing import NamedTuple

from ktir.locations import source_of
from ktir.mlir import ir


class Place(NamedTuple):
    """An op's name and location; neither keeps the op alive."""

    op: str
    location: ir.Location

    @classmethod
    def of(cls, op: ir.OpView | ir.Operation) -> Place:
        """The place of an op."""
        return cls(op.operation.name, op.location)

    def __str__(self) -> str:
        """`'linalg.generic' at model.py:12 (relu in encoder.layer.0)`; the name only if the
        location says nothing.
        """
        source = source_of(str(self.location))
        return f"'{self.op}' at {source}" if source else f"'{self.op}'"
