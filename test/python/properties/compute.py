"""Random computation on tensors: one of all steps."""

from __future__ import annotations

from .elementwise import (
    Step,
    binary,
    convert,
    from_scalar,
    inexact,
    mask,
    set_element,
    ternary,
    unary,
)
from .kernel import Builder, Scope, Value
from .movement import (
    broadcast,
    concat,
    cut,
    gather,
    generate,
    pad,
    put,
    recast,
    reshape,
    scatter,
    transpose,
)
from .structured import (
    generic,
    largest,
    named,
    named_unary,
    product,
    reduce,
    softmax,
    window,
)

STEPS: tuple[Step, ...] = (
    binary, binary, binary, unary, ternary, mask, convert, convert, inexact, from_scalar,
    set_element, generic, generic, named, named_unary, softmax, largest, window, reduce, reduce,
    product, product, transpose, broadcast, reshape, recast, cut, put, concat, pad, generate,
    gather, scatter,
)  # fmt: skip
"""All steps; those that are listed twice are drawn more often."""


def compute(builder: Builder, scope: Scope, value: Value) -> Value:
    """A new value from one in scope, which joins the scope."""
    made = builder.pick(STEPS)(builder, scope, value) or value
    if made is not value:
        scope.values.append(made)
    return made
