"""Selection of `spyreop` ops outside of bodies: on scalars they stay as they are.

Inside the body of a structured op they are repeated like all arithmetic, see `bodies`.
"""

from __future__ import annotations

from ktir.mlir import ir
from ktir.passes.ir_utils import is_tensor
from ktir.passes.lowering.handlers import lowers_rest_of
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.steps import Scalar


@lowers_rest_of("spyreop")
def _intrinsic(selection: Selection, op: ir.Operation) -> None:
    if any(is_tensor(value) for value in (*op.operands, *op.results)):
        raise selection.refusal(
            op,
            "what the elements of a register hold after it depends on the width of a slice, "
            "which is not public",
        )
    selection.append(Scalar(op.location, op))
