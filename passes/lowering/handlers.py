"""Who lowers which op: the table of handlers, by op and by dialect.

A handler takes the selection and one op, appends steps and binds the op's tensor results. Handlers
stand in a file for each family: `memory` (ktdp), `structured` (linalg and elementwise ops),
`tensors`, `scalars` and `control` among them. An op without a handler is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from ktir.mlir import ir

if TYPE_CHECKING:
    from ktir.passes.lowering.selection import Selection

Handler = Callable[["Selection", ir.Operation], None]

HANDLERS: dict[str, Handler] = {}
"""Handlers by op name; filled when the files of the families are imported."""

DIALECT_HANDLERS: dict[str, Handler] = {}
"""Handlers of all other ops of a dialect."""

H = TypeVar("H", bound=Handler)


def lowers(*names: str) -> Callable[[H], H]:
    """Decorator: makes a function the handler of the ops `names`."""

    def enter(handler: H) -> H:
        for name in names:
            assert name not in HANDLERS, f"{name} has a handler already"
            HANDLERS[name] = handler
        return handler

    return enter


def lowers_rest_of(*dialects: str) -> Callable[[H], H]:
    """Decorator: makes a function the handler of all ops of `dialects` without one of their own."""

    def enter(handler: H) -> H:
        for dialect in dialects:
            assert dialect not in DIALECT_HANDLERS, f"{dialect} has a handler already"
            DIALECT_HANDLERS[dialect] = handler
        return handler

    return enter


def handler_of(op: ir.Operation) -> Handler | None:
    """Who lowers this op; None if nobody does."""
    return HANDLERS.get(op.name) or DIALECT_HANDLERS.get(op.name.split(".")[0])
