"""What normalisation says about an op it cannot take: name, types and the model's source line."""

from __future__ import annotations

from ktir.errors import UnsupportedError
from ktir.mlir import ir


def describe(op: ir.OpView | ir.Operation) -> str:
    """`'tensor.pad' (tensor<4xf16>) -> tensor<7xf16> at model.py:12`."""
    operation = op.operation
    operands = ", ".join(str(value.type) for value in operation.operands)
    results = ", ".join(str(value.type) for value in operation.results)
    return f"'{operation.name}' ({operands}) -> ({results}) at {source_line(operation.location)}"


def source_line(location: ir.Location) -> str:
    """The innermost file position of a location, then the callers', or 'an unknown location'."""
    lines = _lines(location)
    if not lines:
        return "an unknown location"
    return lines[0] if len(lines) == 1 else f"{lines[0]} (called from {lines[-1]})"


def _lines(location: ir.Location) -> list[str]:
    if location.is_a_file():
        return [f"{location.filename}:{location.start_line}"]
    if location.is_a_callsite():
        return _lines(location.callee) + _lines(location.caller)
    if location.is_a_name():
        return _lines(location.child_loc) or [location.name_str]
    if location.is_a_fused():
        return next((lines for inner in location.locations if (lines := _lines(inner))), [])
    return []


def require_static(op: ir.OpView) -> None:
    """Raises UnsupportedError unless all tensors at `op` have static shapes."""
    for value in (*op.operands, *op.results):
        if isinstance(value.type, ir.ShapedType) and not value.type.has_static_shape:
            raise UnsupportedError(f"{describe(op)}: dynamic shapes are not supported")
