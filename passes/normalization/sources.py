"""What normalisation says about an op it cannot take: name, types and the model's source line."""

from __future__ import annotations

from ktir.errors import UnsupportedError
from ktir.locations import source_of
from ktir.mlir import ir

ELEMENT_TYPES = frozenset({"f16", "bf16", "f32", "f64", "i1", "i8", "i16", "i32", "i64"})
# Problems quoted in one error.
LISTED = 8


def describe(op: ir.OpView | ir.Operation) -> str:
    """`'tensor.pad' (tensor<4xf16>) -> (tensor<7xf16>) at model.py:12 (pad)`."""
    operation = op.operation
    operands = ", ".join(str(value.type) for value in operation.operands)
    results = ", ".join(str(value.type) for value in operation.results)
    place = source_of(str(operation.location)) or "an unknown place"
    return f"'{operation.name}' ({operands}) -> ({results}) at {place}"


def refuse(problems: list[str]) -> None:
    """Raises UnsupportedError that quotes the first problems, if there are any."""
    if problems:
        more = [f"and {len(problems) - LISTED} more"] if len(problems) > LISTED else []
        raise UnsupportedError("\n".join([*problems[:LISTED], *more]))


def problem_of_types(op: ir.OpView) -> str | None:
    """What is wrong with the types of an op's operands and results; None if nothing is."""
    problems = (problem_of_type(value.type) for value in (*op.operands, *op.results))
    return next((problem for problem in problems if problem is not None), None)


def problem_of_type(kind: ir.Type) -> str | None:
    """What is wrong with a type at the `linalg` level; None if nothing is."""
    if isinstance(kind, ir.RankedTensorType):
        if not kind.has_static_shape:
            return f"dynamic shapes are not supported: {kind}"
        kind = kind.element_type
    elif isinstance(kind, ir.ShapedType):
        return f"only ranked tensors are supported, not {kind}"
    if str(kind) not in ELEMENT_TYPES and not isinstance(kind, ir.IndexType):
        known = ", ".join(sorted(ELEMENT_TYPES))
        return f"element type {kind} is not supported; supported are {known}"
    return None
