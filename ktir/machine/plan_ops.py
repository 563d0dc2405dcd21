"""The `plan` dialect: what its ops compute. Decisions about cores, tiles and layouts change no
value."""

from __future__ import annotations

from typing import Any

from ktir.machine.block import Step
from ktir.machine.decode import Scope, decode_region, handler, terminators

terminators("plan.yield")


@handler("plan.kernel")
def decode_kernel(op: Any, scope: Scope) -> Step:
    """The region, run once on whole tensors."""
    block = decode_region(op.regions[0], scope, scope.slots(list(op.operands)))
    for result, slot in zip(op.results, block.results, strict=True):
        scope.alias(result, slot)
    return block.run


@handler("plan.relayout", "plan.restickify", "plan.keep")
def decode_identity(op: Any, scope: Scope) -> None:
    """The same tensor."""
    scope.alias(op.results[0], scope.slot(op.operands[0]))
