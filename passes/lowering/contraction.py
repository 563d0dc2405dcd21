"""Which structured ops the matrix engine computes.

Owns the recognition of a contraction: two inputs, multiplied and added up over at least one
reduction loop, with three different maps. A sum of squares is none: it has one input, or two with
one map.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import defining_op

_ADDITIONS = ("arith.addf", "arith.addi")
_PRODUCTS = ("arith.mulf", "arith.muli")
_CASTS = (
    "arith.extf",
    "arith.extsi",
    "arith.extui",
    "arith.sitofp",
    "arith.truncf",
    "arith.trunci",
    "arith.uitofp",
)


def is_contraction(block: ir.Block, maps: Sequence[ir.AffineMap], iterators: Sequence[str]) -> bool:
    """Whether a body over slots (two inputs and an output, as `maps` says) is a contraction."""
    if len(maps) != 3 or len(block.arguments) != 3 or "reduction" not in iterators:
        return False
    if len(set(maps)) != 3:
        return False
    left, right, accumulator = block.arguments
    *_, terminator = block
    total = _made_by(terminator.operands[0], _ADDITIONS)
    if total is None:
        return False
    for product_value, other in (total, tuple(reversed(total))):
        product = _made_by(product_value, _PRODUCTS)
        if other == accumulator and product is not None:
            return [_uncast(value) for value in product] in ([left, right], [right, left])
    return False


def _made_by(value: ir.Value, names: Sequence[str]) -> tuple[ir.Value, ir.Value] | None:
    """The two operands of the op that makes `value`, if it is one of `names`."""
    op = defining_op(value)
    if op is None or op.name not in names:
        return None
    first, second = op.operands
    return first, second


def _uncast(value: ir.Value) -> ir.Value:
    op = defining_op(value)
    while op is not None and op.name in _CASTS:
        value = op.operands[0]
        op = defining_op(value)
    return value
