"""Indices as IR: constants, affine expressions and what else an `Index` can be, with `arith`.

Owns the arithmetic that an affine expression stands for. Divisions round to minus infinity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ktir.mlir import ir
from ktir.passes.lowering.affine import sides
from ktir.passes.lowering.index import (
    Affine,
    ByCore,
    Cast,
    Greatest,
    Index,
    Key,
    Least,
    Product,
    Test,
)

_BINARY: dict[type[ir.AffineExpr], str] = {
    ir.AffineAddExpr: "arith.addi",
    ir.AffineMulExpr: "arith.muli",
    ir.AffineFloorDivExpr: "arith.floordivsi",
    ir.AffineCeilDivExpr: "arith.ceildivsi",
}

_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge")
"""Of `arith.cmpi`, by number."""


class Indices:
    """Writes indices at the current insertion point; `values` maps scalars to those of the
    program."""

    def __init__(self, values: dict[Key, ir.Value]) -> None:
        self._values = values

    def mixed(self, indices: Sequence[Index]) -> tuple[list[int], list[ir.Value]]:
        """A list of indices as constants, with an open entry for each of the values."""
        values = [self.value(index) for index in indices if not isinstance(index, int)]
        open_entry = ir.ShapedType.get_dynamic_size()
        return [i if isinstance(i, int) else open_entry for i in indices], values

    def value(self, index: Index) -> ir.Value:
        """The value of an index in the program."""
        if isinstance(index, int):
            return write_constant(ir.IntegerAttr.get(ir.IndexType.get(), index))
        if isinstance(index, Affine):
            operands = {i: self._values[key] for i, key in enumerate(index.operands)}
            return write_expression(index.expr, operands)
        if isinstance(index, Least):
            return self._folded("arith.minsi", index.of)
        if isinstance(index, Greatest):
            return self._folded("arith.maxsi", index.of)
        if isinstance(index, Product):
            return self._folded("arith.muli", (index.a, index.b))
        if isinstance(index, Test):
            return write_comparison(index.predicate, self.value(index.a), self.value(index.b))
        if isinstance(index, ByCore):
            return self._by_core(index)
        if isinstance(index, Cast):
            type_, operand = ir.IndexType.get(), self._values[index.of]
            return ir.Operation.create(
                "arith.index_cast", results=[type_], operands=[operand]
            ).results[0]
        return self._values[index]

    def _folded(self, name: str, indices: Sequence[Index]) -> ir.Value:
        first, *rest = (self.value(part) for part in indices)
        for other in rest:
            first = _binary(name, first, other)
        return first

    def _by_core(self, entry: ByCore) -> ir.Value:
        array = np.array(entry.table, dtype=np.int64).reshape(entry.shape)
        op = ir.Operation.create(
            "sdf.by_core",
            results=[ir.IndexType.get()],
            operands=[self.value(index) for index in entry.indices],
            attributes={"table": index_table(array)},
        )
        return op.results[0]


def write_expression(expr: ir.AffineExpr, dims: Mapping[int, ir.Value]) -> ir.Value:
    """Writes an affine expression of these dimensions at the current insertion point."""
    if isinstance(expr, ir.AffineConstantExpr):
        return write_constant(ir.IntegerAttr.get(ir.IndexType.get(), expr.value))
    if isinstance(expr, ir.AffineDimExpr):
        return dims[expr.position]
    lhs, rhs = (write_expression(part, dims) for part in sides(expr))
    if isinstance(expr, ir.AffineModExpr):
        whole = _binary("arith.muli", _binary("arith.floordivsi", lhs, rhs), rhs)
        return _binary("arith.subi", lhs, whole)
    return _binary(_BINARY[type(expr)], lhs, rhs)


def write_constant(attribute: ir.Attribute) -> ir.Value:
    """Writes a constant with the type of its attribute."""
    op = ir.Operation.create(
        "arith.constant", results=[attribute.type], attributes={"value": attribute}
    )
    return op.results[0]


def write_comparison(predicate: str, a: ir.Value, b: ir.Value) -> ir.Value:
    """Writes whether `a predicate b`, as i1; the predicate is one of `arith.cmpi`."""
    number = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _PREDICATES.index(predicate))
    op = ir.Operation.create(
        "arith.cmpi",
        results=[ir.IntegerType.get_signless(1)],
        operands=[a, b],
        attributes={"predicate": number},
    )
    return op.results[0]


def index_table(array: np.ndarray) -> ir.DenseElementsAttr:
    """A dense attribute of these i64 entries."""
    numbers: Any = np.ascontiguousarray(array, dtype=np.int64)
    number = ir.IntegerType.get_signless(64)
    return ir.DenseElementsAttr.get(numbers, type=number, shape=list(array.shape))


def _binary(name: str, lhs: ir.Value, rhs: ir.Value) -> ir.Value:
    return ir.Operation.create(name, results=[lhs.type], operands=[lhs, rhs]).results[0]
