"""`scf.for unsigned`, a loop whose bounds compare as unsigned integers, in other words: a loop over
the number of the iteration.

Owns its rewriting. The counter is `lower + number * step`, which wraps as the loop's own would.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.inside import ops_inside
from ktir.mlir import ir

_FLAG = "unsignedCmp"
_BELOW = 6
"""`ult` among the predicates of `arith.cmpi`."""


def unsigned_loops(ops: Sequence[ir.Operation]) -> list[ir.Operation]:
    """Those of the ops that are such loops."""
    return [op for op in ops if op.name == "scf.for" and _FLAG in op.attributes]


def count_unsigned_loops(function: ir.Operation) -> None:
    """Rewrites a function in place."""
    for loop in unsigned_loops(ops_inside(function)):
        with loop.location:
            _rewrite(loop)


def _rewrite(loop: ir.Operation) -> None:
    lower, upper, step = list(loop.operands)[:3]
    with ir.InsertionPoint(loop):
        zero, one = _constant(0), _constant(1)
        distance = _made("arith.subi", lower.type, upper, lower)
        trips = _made("arith.ceildivui", lower.type, distance, step)
        predicate = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _BELOW)
        some = _made(
            "arith.cmpi", ir.IntegerType.get_signless(1), lower, upper, predicate=predicate
        )
        count = _made("arith.select", zero.type, some, _as_index(trips), zero)
    body = loop.regions[0].blocks[0]
    number = body.arguments[0]
    with ir.InsertionPoint.at_block_begin(body):
        counter = _made("arith.addi", lower.type, lower, lower)
        number.replace_all_uses_with(counter)
    number.set_type(zero.type)
    with ir.InsertionPoint(counter.owner):
        scaled = _made("arith.muli", lower.type, _from_index(number, lower.type), step)
    counter.owner.operands[1] = scaled
    for place, value in enumerate((zero, count, one)):
        loop.operands[place] = value
    del loop.attributes[_FLAG]


def _made(name: str, type_: ir.Type, *operands: ir.Value, **attributes: ir.Attribute) -> ir.Value:
    made = ir.Operation.create(
        name, results=[type_], operands=list(operands), attributes=attributes
    )
    return made.results[0]


def _constant(number: int) -> ir.Value:
    index = ir.IndexType.get()
    return _made("arith.constant", index, value=ir.IntegerAttr.get(index, number))


def _as_index(value: ir.Value) -> ir.Value:
    index = ir.IndexType.get()
    return value if value.type == index else _made("arith.index_castui", index, value)


def _from_index(value: ir.Value, type_: ir.Type) -> ir.Value:
    return value if value.type == type_ else _made("arith.index_castui", type_, value)
