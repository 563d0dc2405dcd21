"""Calls of functions in kernels: their bodies take the place of the call.

Owns the look-up of a function. Every call gets ops of its own, so that what is known of a value
holds wherever it is used.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.errors import UnsupportedError
from ktir.inside import ops_inside
from ktir.mlir import ir
from ktir.passes.ir_utils import clone_into, place_of
from ktir.plain_control import has_other_control, make_control_plain


def inline_calls(kernel: ir.Operation, callers: Sequence[str] = ()) -> None:
    """Puts the bodies of functions in the place of their calls, those inside them first.

    Raises UnsupportedError for a function that has no body, or that calls itself.
    """
    callers = (*callers, ir.StringAttr(kernel.attributes["sym_name"]).value)
    for call in _calls(kernel):
        callee = ir.FlatSymbolRefAttr(call.attributes["callee"]).value
        if callee in callers:
            raise _refusal(callers[0], call, f"@{callee} calls itself; use a loop")
        function = symbol(call, "func.func", callee)
        if function is None or len(function.regions[0].blocks) == 0:
            raise _refusal(callers[0], call, f"@{callee} is no function with a body")
        if has_other_control(function):
            make_control_plain(function)
        inline_calls(function, callers)
        _inline(call, function)


def symbol(op: ir.Operation, kind: str, name: str) -> ir.Operation | None:
    """The op `kind` that a name in `op` stands for: of the modules around it, the innermost that
    has one."""
    scope = op.parent
    while scope is not None:
        for other in scope.regions[0].blocks[0] if scope.name == "builtin.module" else ():
            found = other.operation
            if found.name == kind and ir.StringAttr(found.attributes["sym_name"]).value == name:
                return found
        scope = scope.parent
    return None


def _inline(call: ir.Operation, function: ir.Operation) -> None:
    block = function.regions[0].blocks[0]
    mapping: dict[ir.Value, ir.Value] = dict(zip(block.arguments, call.operands, strict=True))
    *ops, end = (inner.operation for inner in block)
    for inner in ops:
        clone_into(inner, mapping, ir.InsertionPoint(call))
    for result, value in zip(call.results, end.operands, strict=True):
        result.replace_all_uses_with(mapping.get(value, value))
    call.erase()


def _calls(op: ir.Operation) -> list[ir.Operation]:
    """The calls inside an op."""
    return [inner for inner in ops_inside(op) if inner.name == "func.call"]


def _refusal(kernel: str, call: ir.Operation, reason: str) -> UnsupportedError:
    types = ", ".join(str(operand.type) for operand in call.operands)
    return UnsupportedError(
        f"kernel @{kernel}: 'func.call' on ({types}) at {place_of(call)}: {reason}"
    )
