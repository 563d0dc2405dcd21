"""What is known about indices before a kernel runs: their range on each core.

Owns where they come from; the arithmetic is in `ktir.intervals`. The number of a core is known, and
so is all that follows from it and from constants; a loop counter lies between its bounds, a runtime
argument below its upper bound.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence

from ktir.intervals import ARITH, CASTS, RULES, Range, of_op
from ktir.mlir import ir
from ktir.mlir._mlir_libs._ktirDialects import RuntimeArgType
from ktir.passes.ir_utils import defining_op
from ktir.passes.lowering.affine import affine_rule, sides
from ktir.passes.lowering.index import Affine, ByCore, Greatest, Index, Least, Made, Product

Ranges = list[Range] | None
"""One range a core, or nothing known."""


class ValueRanges:
    """Ranges of the scalars of a kernel on a grid."""

    def __init__(self, grid: Sequence[int]) -> None:
        # Dimension 0 counts fastest.
        backwards = itertools.product(*(range(size) for size in reversed(grid)))
        self._coordinates = [tuple(reversed(place)) for place in backwards]
        self._known: dict[ir.Value, Ranges] = {}
        self._meanings: dict[Made | ir.Value, Index] = {}

    def of(self, index: Index) -> Ranges:
        """The ranges of an index by core number; None if it is not bounded."""
        if isinstance(index, int):
            return [(index, index)] * len(self._coordinates)
        if isinstance(index, Affine):
            return self._expression(index.expr, [self.of(operand) for operand in index.operands])
        if isinstance(index, (Least, Greatest)):
            rule = RULES["min" if isinstance(index, Least) else "max"]
            return functools.reduce(
                lambda a, b: self._each(rule, [a, b]), [self.of(part) for part in index.of]
            )
        if isinstance(index, Product):
            return self._each(RULES["mul"], [self.of(index.a), self.of(index.b)])
        if isinstance(index, ByCore):
            return [(n, n) for n in index.table] if len(index.shape) == 1 else None
        if isinstance(index, Made):
            return self.of(self._meanings[index]) if index in self._meanings else None
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
        reach = self._each(RULES["mul"], [last, self.of(stride)])
        return self._each(lambda r: (min(r[0], 0), max(r[1], 0)), [reach])

    def define(self, key: Made | ir.Value, value: Index) -> None:
        """Says what a scalar is that the lowering knows more of than the kernel's ops say."""
        self._meanings[key] = value

    def meaning(self, key: Made | ir.Value) -> Index | None:
        """What a scalar was said to be."""
        return self._meanings.get(key)

    def forget(self) -> None:
        """Drops what was found of scalars: what they depend on is said anew."""
        self._known.clear()

    def _value(self, value: ir.Value) -> Ranges:
        if value in self._meanings:
            return self.of(self._meanings[value])
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
        if op.name not in ARITH and op.name not in CASTS:
            return None
        operands = [self._value(operand) for operand in op.operands]
        return self._each(functools.partial(of_op, op.name), operands)

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
        return self._each(affine_rule(expr), parts)

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
