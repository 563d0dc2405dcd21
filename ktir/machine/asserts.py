"""`cf.assert`: what a program promises of a scalar, looked at when it runs."""

from __future__ import annotations

from typing import Any

from ktir.errors import MachineError
from ktir.machine.block import Step
from ktir.machine.decode import Scope, handler
from ktir.machine.frame import Frame
from ktir.machine.kernel_state import KernelRun
from ktir.machine.values import value_name
from ktir.mlir import ir


@handler("cf.assert")
def decode_assert(op: Any, scope: Scope) -> Step:
    """Raises MachineError with the op's message where the condition is false; checks are off in a
    walk without values and in runs without checks."""
    condition = scope.slot(op.operands[0])
    compared = _compared(op.operands[0], scope)
    message = ir.StringAttr(op.attributes["msg"]).value

    def check(frame: Frame) -> None:
        if isinstance(frame.run, KernelRun) and not (frame.run.values and frame.run.bounds):
            return
        holds = frame[condition]
        if bool(holds.all()):
            return
        position = int((~holds.bool()).nonzero()[0, 0]) if holds.numel() > 1 else 0
        found = ""
        if compared is not None:
            name, slot = compared
            value = frame[slot]
            found = f"; {name} is {int(value[position if len(value) > 1 else 0])}"
        raise MachineError(f"core {int(frame.group.numbers[position])}: {message}{found}")

    return check


def _compared(condition: Any, scope: Scope) -> tuple[str, int] | None:
    """The name and slot of an argument that a condition compares with something."""
    if isinstance(condition, ir.BlockArgument) or condition.owner.name != "arith.cmpi":
        return None
    value = condition.owner.operands[0]
    while not isinstance(value, ir.BlockArgument) and value.owner.name == "arith.index_cast":
        value = value.owner.operands[0]
    if not isinstance(value, ir.BlockArgument):
        return None
    return value_name(value, scope), scope.slot(value)
