"""Indices as IR: constants, affine expressions and minima, written with `arith`.

Owns the arithmetic that an affine expression stands for. Divisions round to minus infinity.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.lowering.affine import sides
from ktir.passes.lowering.steps import Affine, Index, Least

_BINARY: dict[type[ir.AffineExpr], str] = {
    ir.AffineAddExpr: "arith.addi",
    ir.AffineMulExpr: "arith.muli",
    ir.AffineFloorDivExpr: "arith.floordivsi",
    ir.AffineCeilDivExpr: "arith.ceildivsi",
}


class Indices:
    """Writes indices at the current insertion point; `values` maps scalars to those of the
    program."""

    def __init__(self, values: dict[ir.Value, ir.Value]) -> None:
        self._values = values

    def mixed(self, indices: Sequence[Index]) -> tuple[list[int], list[ir.Value]]:
        """A list of indices as constants, with an open entry for each of the values."""
        values = [self.value(index) for index in indices if not isinstance(index, int)]
        open_entry = ir.ShapedType.get_dynamic_size()
        return [i if isinstance(i, int) else open_entry for i in indices], values

    def value(self, index: Index) -> ir.Value:
        """The value of an index in the program."""
        if isinstance(index, int):
            return self._number(index)
        if isinstance(index, Affine):
            return self._expression(index.expr, index.operands)
        if isinstance(index, Least):
            first, *rest = (self.value(part) for part in index.of)
            for other in rest:
                first = _binary("arith.minsi", first, other)
            return first
        return self._values[index]

    def constant(self, attribute: ir.Attribute) -> ir.Value:
        """A constant with the type of its attribute."""
        op = ir.Operation.create(
            "arith.constant", results=[attribute.type], attributes={"value": attribute}
        )
        return op.results[0]

    def _number(self, value: int) -> ir.Value:
        return self.constant(ir.IntegerAttr.get(ir.IndexType.get(), value))

    def _expression(self, expr: ir.AffineExpr, operands: Sequence[ir.Value]) -> ir.Value:
        if isinstance(expr, ir.AffineConstantExpr):
            return self._number(expr.value)
        if isinstance(expr, ir.AffineDimExpr):
            return self._values[operands[expr.position]]
        lhs, rhs = (self._expression(part, operands) for part in sides(expr))
        if isinstance(expr, ir.AffineModExpr):
            whole = _binary("arith.muli", _binary("arith.floordivsi", lhs, rhs), rhs)
            return _binary("arith.subi", lhs, whole)
        return _binary(_BINARY[type(expr)], lhs, rhs)


def _binary(name: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return ir.Operation.create(name, results=[lhs.type], operands=[lhs, rhs]).results[0]
