"""What normalisation says about an op it cannot take: name, types and the model's source line."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.passes.ir_utils import AnyOp, functions_of, place_of

ELEMENT_TYPES = frozenset({"f16", "bf16", "f32", "f64", "i1", "i8", "i16", "i32", "i64"})
# Problems quoted in one error.
LISTED = 8


def describe(op: AnyOp) -> str:
    """`'tensor.pad' (tensor<4xf16>) -> (tensor<7xf16>) at model.py:12 (pad)`."""
    operation = op.operation
    operands = ", ".join(str(value.type) for value in operation.operands)
    results = ", ".join(str(value.type) for value in operation.results)
    return f"'{operation.name}' ({operands}) -> ({results}) at {place_of(op)}"


def refuse(problems: list[str]) -> None:
    """Raises UnsupportedError that quotes the first problems, if there are any."""
    if problems:
        more = [f"and {len(problems) - LISTED} more"] if len(problems) > LISTED else []
        raise UnsupportedError("\n".join([*problems[:LISTED], *more]))


def refuse_ops(module: ir.Operation, problem_of_op: Callable[[AnyOp], str | None]) -> None:
    """Raises UnsupportedError if a function has several blocks, or arguments or ops with a problem;
    `problem_of_op` says what is wrong with one op.
    """
    refuse(
        [
            problem
            for function in functions_of(module)
            for problem in _of_function(function, problem_of_op)
        ]
    )


def _of_function(
    function: ir.Operation, problem_of_op: Callable[[AnyOp], str | None]
) -> Iterator[str]:
    blocks = list(function.regions[0].blocks)
    if len(blocks) != 1:
        yield f"{describe(function)}: control flow is not supported; found {len(blocks)} blocks"
        return
    for number, argument in enumerate(blocks[0].arguments):
        if (problem := problem_of_type(argument.type)) is not None:
            yield f"{describe(function)}: argument {number}: {problem}"
    for op in blocks[0].operations:
        if (problem := problem_of_op(op)) is not None:
            yield f"{describe(op)}: {problem}"


def problem_of_types(op: AnyOp) -> str | None:
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
