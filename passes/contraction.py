"""What a contraction is: the one rule for fusion, planning and the choice of engine.

Two inputs, multiplied and added up over at least one reduction loop, with three different maps.
Casts may stand before the product only: a product that is rounded before it is added is no work for
the matrix engine. A sum of squares is none either: it has one input, or two with one map.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import defining_op, terminator

CASTS = frozenset(
    {
        "arith.extf",
        "arith.extsi",
        "arith.extui",
        "arith.sitofp",
        "arith.truncf",
        "arith.trunci",
        "arith.uitofp",
    }
)
"""What may stand between an input and the product."""

_PRODUCTS = {"arith.addf": "arith.mulf", "arith.addi": "arith.muli"}
"""The product that each sum adds up."""


def is_contraction(block: ir.Block, maps: Sequence[Hashable], iterators: Sequence[str]) -> bool:
    """Whether the body `block` of a structured op with these maps, one an operand, and iterators is
    a contraction. Of the maps it matters only which are equal.
    """
    if "reduction" not in iterators or len(block.arguments) != 3 or len(set(maps)) != 3:
        return False
    left, right, accumulator = block.arguments
    total = defining_op(terminator(block).operands[0])
    if total is None or total.name not in _PRODUCTS:
        return False
    addends = [value for value in total.operands if value != accumulator]
    product = defining_op(addends[0]) if len(addends) == 1 else None
    if product is None or product.name != _PRODUCTS[total.name]:
        return False
    return [_uncast(value) for value in product.operands] in ([left, right], [right, left])


def _uncast(value: ir.Value) -> ir.Value:
    """What `value` was before casts."""
    while (op := defining_op(value)) is not None and op.name in CASTS:
        value = op.operands[0]
    return value
