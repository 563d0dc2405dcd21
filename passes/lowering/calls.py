"""Selection of calls of functions beside the kernel: their bodies stand in the place of the call.

Owns the look-up of a function and the passing of arguments and results.
"""

from __future__ import annotations

from ktir.mlir import ir
from ktir.passes.ir_utils import is_tensor
from ktir.passes.lowering.selection import Selection, is_scalar, lowers


@lowers("func.call")
def _call(selection: Selection, op: ir.Operation) -> None:
    name = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
    function = selection.symbol(op, "func.func", name)
    if function is None or len(function.regions[0].blocks) != 1:
        raise selection.refusal(op, f"@{name} is no function of one block in the kernel's module")
    if name in selection.calls:
        raise selection.refusal(op, f"@{name} calls itself; use a loop")
    block = function.regions[0].blocks[0]
    for argument, operand in zip(block.arguments, op.operands, strict=True):
        _pass(selection, op, argument, operand)
    *ops, end = (inner.operation for inner in block)
    selection.calls.append(name)
    for inner in ops:
        selection.op(inner)
    selection.calls.pop()
    for result, value in zip(op.results, end.operands, strict=True):
        _pass(selection, op, result, value)


def _pass(selection: Selection, op: ir.Operation, target: ir.Value, source: ir.Value) -> None:
    """Says that `target` is `source`."""
    if is_tensor(source):
        selection.bind(target, selection.tensor(source))
    elif is_scalar(source):
        selection.define(target, selection.index(source), op)
    else:
        selection.alias(target, source)
