"""What is known about indices before a kernel runs: their range on each core.

Owns interval arithmetic over the ops that indices come from. The number of a core is known, and so
is all that follows from it and from constants; a loop counter lies between its bounds, a runtime
argument below its upper bound.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from ktir.mlir import ir
from ktir.mlir._mlir_libs._ktirDialects import RuntimeArgType
from ktir.passes.ir_utils import defining_op
from ktir.passes.lowering.affine import sides
from ktir.passes.lowering.index import Affine, ByCore, Greatest, Index, Least, Made, Product

Range = tuple[int, int]
"""The least and the greatest value."""

Ranges = list[Range] | None
"""One range a core, or nothing known."""


class ValueRanges:
    """Ranges of the scalars of a kernel on a grid."""

    def __init__(self, grid: Sequence[int]) -> None:
        # Dimension 0 counts fastest.
        backwards = itertools.product(*(range(size) for size in reversed(grid)))
        self._coordinates = [tuple(reversed(place)) for place in backwards]
        self._known: dict[ir.Value, Ranges] = {}
        self._made: dict[Made, Index] = {}

    def of(self, index: Index) -> Ranges:
        """The ranges of an index by core number; None if it is not bounded."""
        if isinstance(index, int):
            return [(index, index)] * len(self._coordinates)
        if isinstance(index, Affine):
            return self._expression(index.expr, [self.of(operand) for operand in index.operands])
        if isinstance(index, (Least, Greatest)):
            pick = _minimum if isinstance(index, Least) else _maximum
            return self._each(pick, [self.of(part) for part in index.of])
        if isinstance(index, Product):
            return self._each(_multiplied, [self.of(index.a), self.of(index.b)])
        if isinstance(index, ByCore):
            return [(n, n) for n in index.table] if len(index.shape) == 1 else None
        if isinstance(index, Made):
            return self.of(self._made[index]) if index in self._made else None
        return self._value(index) if isinstance(index, ir.Value) else None

    def exact(self, index: Index) -> list[int] | None:
        """The value of an index on each core, where it is known."""
        ranges = self.of(index)
        if ranges is None or any(low != high for low, high in ranges):
            return None
        return [low for low, _ in ranges]

    def extent(self, count: Index, stride: Index) -> Ranges:
        """How far below and above its first element a dimension of so many elements reaches."""
        last = self._each(lambda n: (n[0] - 1, n[1] - 1), [self.of(count)])
        reach = self._each(_multiplied, [last, self.of(stride)])
        return self._each(lambda r: (min(r[0], 0), max(r[1], 0)), [reach])

    def define(self, key: Made, value: Index) -> None:
        """Says what a scalar is that the lowering adds."""
        self._made[key] = value

    def _value(self, value: ir.Value) -> Ranges:
        if value not in self._known:
            # A value that depends on itself through a loop stays unknown.
            self._known[value] = None
            self._known[value] = self._find(value)
        return self._known[value]

    def _find(self, value: ir.Value) -> Ranges:
        op = defining_op(value)
        if op is None:
            return self._argument(value)
        if op.name == "ktdp.get_compute_tile_id":
            dim = list(op.results).index(value)
            return [(n, n) for n in (_at(place, dim) for place in self._coordinates)]
        if op.name == "arith.constant":
            attribute = op.attributes["value"]
            if not isinstance(attribute, ir.IntegerAttr):
                return None
            return self.of(int(attribute.value))
        if op.name == "ktdp.runtime_arg_extract":
            return self._promised(op)
        if op.name == "affine.apply":
            map_ = ir.AffineMapAttr(op.attributes["map"]).value
            return self._expression(
                map_.results[0], [self._value(operand) for operand in op.operands], map_.n_dims
            )
        rule = _RULES.get(op.name)
        if rule is None:
            return None
        return self._each(rule, [self._value(operand) for operand in op.operands])

    def _each(self, rule: Callable[..., Range | None], operands: Sequence[Ranges]) -> Ranges:
        """What a rule gives on every core for the ranges of its operands."""
        if any(operand is None for operand in operands):
            return None
        found = [rule(*ranges) for ranges in zip(*operands, strict=True)]
        known = [ranges for ranges in found if ranges is not None]
        return known if len(known) == len(found) else None

    def _expression(
        self, expr: ir.AffineExpr, operands: Sequence[Ranges], dims: int | None = None
    ) -> Ranges:
        """The ranges of an affine expression; its symbols are the operands from `dims` on."""
        if isinstance(expr, ir.AffineConstantExpr):
            return self.of(int(expr.value))
        if isinstance(expr, ir.AffineDimExpr):
            return operands[expr.position]
        if isinstance(expr, ir.AffineSymbolExpr):
            return operands[(dims or 0) + expr.position]
        parts = [self._expression(side, operands, dims) for side in sides(expr)]
        return self._each(_AFFINE_RULES[type(expr)], parts)

    def _argument(self, value: ir.Value) -> Ranges:
        """The range of a loop's counter; of other arguments of blocks nothing is known."""
        owner = value.owner
        assert isinstance(owner, ir.Block)
        loop = owner.owner.operation
        if loop.name != "scf.for" or owner.arguments[0] != value:
            return None
        lower, upper, _ = (self._value(bound) for bound in list(loop.operands)[:3])
        return self._each(lambda a, b: (a[0], max(a[0], b[1] - 1)), [lower, upper])

    def _promised(self, op: ir.Operation) -> Ranges:
        """What the type of a runtime argument says of its value, its granularity or its bound."""
        type_ = RuntimeArgType(op.operands[0].type)
        kind = ir.IntegerAttr(op.attributes["kind"]).value
        if kind == 0:
            bound = type_.upper_bound
            return None if bound is None else [(0, bound)] * len(self._coordinates)
        promise = (type_.granularity, type_.upper_bound)[kind - 1]
        return None if promise is None else self.of(promise)


def _at(place: Sequence[int], dim: int) -> int:
    return place[dim] if dim < len(place) else 0


def _added(a: Range, b: Range) -> Range:
    return a[0] + b[0], a[1] + b[1]


def _subtracted(a: Range, b: Range) -> Range:
    return a[0] - b[1], a[1] - b[0]


def _multiplied(a: Range, b: Range) -> Range:
    products = [x * y for x in a for y in b]
    return min(products), max(products)


def _divided(a: Range, b: Range) -> Range | None:
    """Division that rounds to minus infinity, by a known divisor."""
    return (a[0] // b[0], a[1] // b[0]) if b[0] == b[1] and b[0] > 0 else None


def _divided_up(a: Range, b: Range) -> Range | None:
    return (-(-a[0] // b[0]), -(-a[1] // b[0])) if b[0] == b[1] and b[0] > 0 else None


def _remainder(a: Range, b: Range) -> Range | None:
    """A remainder that is not negative, by a known divisor."""
    if b[0] != b[1] or b[0] <= 0:
        return None
    if a[0] // b[0] == a[1] // b[0]:
        return a[0] % b[0], a[1] % b[0]
    return 0, b[0] - 1


def _unless_negative(rule: Callable[[Range, Range], Range | None]) -> Callable[..., Range | None]:
    """A rule that holds for operands that are not negative, where signs do not matter."""
    return lambda a, b: rule(a, b) if a[0] >= 0 else None


def _minimum(*of: Range) -> Range:
    return min(low for low, _ in of), min(high for _, high in of)


def _maximum(*of: Range) -> Range:
    return max(low for low, _ in of), max(high for _, high in of)


_RULES: dict[str, Callable[..., Range | None]] = {
    "arith.addi": _added,
    "arith.subi": _subtracted,
    "arith.muli": _multiplied,
    "arith.floordivsi": _divided,
    "arith.ceildivsi": _divided_up,
    "arith.divsi": _unless_negative(_divided),
    "arith.divui": _unless_negative(_divided),
    "arith.ceildivui": _unless_negative(_divided_up),
    "arith.remsi": _unless_negative(_remainder),
    "arith.remui": _unless_negative(_remainder),
    "arith.minsi": _minimum,
    "arith.maxsi": _maximum,
    "arith.index_cast": lambda a: a,
    "arith.extsi": lambda a: a,
}

_AFFINE_RULES: dict[type, Callable[..., Range | None]] = {
    ir.AffineAddExpr: _added,
    ir.AffineMulExpr: _multiplied,
    ir.AffineModExpr: _remainder,
    ir.AffineFloorDivExpr: _divided,
    ir.AffineCeilDivExpr: _divided_up,
}
