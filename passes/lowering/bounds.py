"""The least and the greatest value that an index can have, where one of the two may be unknown.

Owns what a single bound says: `min(64, n - i)` is at most 64 whatever `n` is. Where both ends are
known they are those of `ranges`, which also tell cores apart.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import body_of, defining_op, terminator
from ktir.passes.lowering.affine import sides
from ktir.passes.lowering.index import Affine, Greatest, Index, Key, Least, Made, Product
from ktir.passes.lowering.ranges import ValueRanges

Ends = tuple[int | None, int | None]
"""The least and the greatest value; None where it is not bounded."""

_UNKNOWN: Ends = (None, None)


class Bounds:
    """Bounds of the scalars of a kernel over all its cores."""

    def __init__(self, ranges: ValueRanges) -> None:
        self._ranges = ranges
        self._open: set[ir.Value] = set()
        self._limits: dict[Made, Ends] = {}
        self._seen: list[dict[Key, int]] = [{}]

    def limit(self, key: Made, most: int) -> None:
        """Says that a size which the lowering adds lies between 0 and `most`."""
        self._limits[key] = (0, most)

    def see(self, key: Key, most: int) -> None:
        """Says that from here on, in the present block and those inside, a scalar is at most
        `most`, since a larger one has been a fault."""
        self._seen[-1][key] = min(most, self._seen[-1].get(key, most))

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """A block that may not run: what is seen in it holds inside it only."""
        self._seen.append({})
        try:
            yield
        finally:
            self._seen.pop()

    def most(self, index: Index) -> int | None:
        """The greatest value that an index can have; None if there is no bound."""
        return self.of(index)[1]

    def of(self, index: Index) -> Ends:
        """The ends of an index."""
        low, high = self._ends(index)
        if isinstance(index, (Made, ir.Value)):
            high = _any(min, [high, *(seen.get(index) for seen in self._seen)])
        return low, high

    def _ends(self, index: Index) -> Ends:
        if isinstance(index, int):
            return index, index
        known = self._ranges.of(index)
        if known is not None:
            return min(low for low, _ in known), max(high for _, high in known)
        if isinstance(index, Affine):
            return self._expression(index.expr, [self.of(key) for key in index.operands])
        if isinstance(index, (Least, Greatest)):
            join = _least if isinstance(index, Least) else _greatest
            return join([self.of(part) for part in index.of])
        if isinstance(index, Product):
            return _product(self.of(index.a), self.of(index.b))
        if isinstance(index, Made) and index in self._limits:
            return self._limits[index]
        if isinstance(index, (Made, ir.Value)):
            meaning = self._ranges.meaning(index)
            if meaning is not None:
                return self.of(meaning)
        return self._value(index) if isinstance(index, ir.Value) else _UNKNOWN

    def _value(self, value: ir.Value) -> Ends:
        # A value that depends on itself through a loop stays unknown.
        if value in self._open:
            return _UNKNOWN
        self._open.add(value)
        try:
            return self._find(value)
        finally:
            self._open.remove(value)

    def _find(self, value: ir.Value) -> Ends:
        op = defining_op(value)
        if op is None:
            return self._argument(value)
        if op.name in ("affine.apply", "affine.min", "affine.max"):
            return self._map(op)
        if op.name == "arith.select":
            return _either([self.of(arm) for arm in list(op.operands)[1:]])
        if op.name == "scf.if":
            number = list(op.results).index(value)
            ends = [terminator(region.blocks[0]).operands[number] for region in op.regions]
            return _either([self.of(end) for end in ends])
        rule = _RULES.get(op.name)
        return _UNKNOWN if rule is None else rule([self.of(operand) for operand in op.operands])

    def _argument(self, value: ir.Value) -> Ends:
        """A counter lies between the bounds of its loop."""
        owner = value.owner
        assert isinstance(owner, ir.Block)
        loop = owner.owner.operation
        if loop.name != "scf.for" or body_of(loop).arguments[0] != value:
            return _UNKNOWN
        first, (_, end) = self.of(loop.operands[0]), self.of(loop.operands[1])
        return first[0], None if end is None else max(end - 1, first[0] or end - 1)

    def _map(self, op: ir.Operation) -> Ends:
        map_ = ir.AffineMapAttr(op.attributes["map"]).value
        operands = [self.of(operand) for operand in op.operands]
        found = [self._expression(expr, operands, map_.n_dims) for expr in map_.results]
        return (_greatest if op.name == "affine.max" else _least)(found)

    def _expression(
        self, expr: ir.AffineExpr, operands: Sequence[Ends], dims: int | None = None
    ) -> Ends:
        """The ends of an affine expression; its symbols are the operands from `dims` on."""
        if isinstance(expr, ir.AffineConstantExpr):
            return expr.value, expr.value
        if isinstance(expr, ir.AffineDimExpr):
            return operands[expr.position]
        if isinstance(expr, ir.AffineSymbolExpr):
            return operands[(dims or 0) + expr.position]
        pair = [self._expression(side, operands, dims) for side in sides(expr)]
        return _EXPRESSIONS[type(expr)](pair)


Rule = Callable[[Sequence[Ends]], Ends]


def _least(parts: Sequence[Ends]) -> Ends:
    """Of the least of several."""
    return _all(min, [low for low, _ in parts]), _any(min, [high for _, high in parts])


def _greatest(parts: Sequence[Ends]) -> Ends:
    return _any(max, [low for low, _ in parts]), _all(max, [high for _, high in parts])


def _either(parts: Sequence[Ends]) -> Ends:
    """Of one of several."""
    return _all(min, [low for low, _ in parts]), _all(max, [high for _, high in parts])


def _all(pick: Callable[[list[int]], int], ends: Sequence[int | None]) -> int | None:
    known = [end for end in ends if end is not None]
    return pick(known) if len(known) == len(ends) else None


def _any(pick: Callable[[list[int]], int], ends: Sequence[int | None]) -> int | None:
    known = [end for end in ends if end is not None]
    return pick(known) if known else None


def _sum(parts: Sequence[Ends]) -> Ends:
    return _all(sum, [low for low, _ in parts]), _all(sum, [high for _, high in parts])


def _difference(parts: Sequence[Ends]) -> Ends:
    (low, high), other = parts
    return _sum([(low, high), _negated(other)])


def _negated(ends: Ends) -> Ends:
    low, high = ends
    return None if high is None else -high, None if low is None else -low


def _product(a: Ends, b: Ends) -> Ends:
    """Bounded where one factor is a constant, or is not negative."""
    for factor, other in ((a, b), (b, a)):
        if factor[0] is not None and factor[0] == factor[1]:
            return _scaled(other, factor[0])
    natural = [ends[0] is not None and ends[0] >= 0 for ends in (a, b)]
    if not any(natural):
        return _UNKNOWN
    high = None if a[1] is None or b[1] is None else max(a[1] * b[1], 0)
    low = (a[0] or 0) * (b[0] or 0) if all(natural) else None
    return low, high


def _scaled(ends: Ends, factor: int) -> Ends:
    low, high = ends if factor >= 0 else _negated(ends)
    factor = abs(factor)
    return None if low is None else low * factor, None if high is None else high * factor


def _quotient(parts: Sequence[Ends], *, up: bool = False) -> Ends:
    """Of a division by a positive constant, rounded to minus or plus infinity."""
    (low, high), (divisor, same) = parts
    if divisor is None or divisor != same or divisor <= 0:
        return _UNKNOWN
    shift = divisor - 1 if up else 0
    return (
        None if low is None else (low + shift) // divisor,
        None if high is None else (high + shift) // divisor,
    )


def _natural_quotient(parts: Sequence[Ends], *, up: bool = False) -> Ends:
    """Of a division that rounds to zero, or of unsigned numbers."""
    low = parts[0][0]
    return _quotient(parts, up=up) if low is not None and low >= 0 else _UNKNOWN


def _remainder(parts: Sequence[Ends]) -> Ends:
    """Of the division that rounds to minus infinity, and of that of unsigned numbers."""
    divisor = parts[1][1]
    least = parts[1][0]
    return (0, divisor - 1) if divisor is not None and least is not None and least > 0 else _UNKNOWN


def _signed_remainder(parts: Sequence[Ends]) -> Ends:
    low, high = _remainder(parts)
    natural = parts[0][0] is not None and parts[0][0] >= 0
    return (low, high) if natural or high is None else (-high, high)


def _unsigned_least(parts: Sequence[Ends]) -> Ends:
    """No negative number is the least where another one is not negative."""
    natural = [ends for ends in parts if ends[0] is not None and ends[0] >= 0]
    return (0, _any(min, [high for _, high in natural])) if natural else _UNKNOWN


def _masked(parts: Sequence[Ends]) -> Ends:
    """A bitwise and with what is not negative is at most that."""
    return _unsigned_least(parts)


def _same(parts: Sequence[Ends]) -> Ends:
    return parts[0]


def _same_natural(parts: Sequence[Ends]) -> Ends:
    low, _ = parts[0]
    return parts[0] if low is not None and low >= 0 else _UNKNOWN


_EXPRESSIONS: dict[type, Rule] = {
    ir.AffineAddExpr: _sum,
    ir.AffineMulExpr: lambda parts: _product(*parts),
    ir.AffineModExpr: _remainder,
    ir.AffineFloorDivExpr: _quotient,
    ir.AffineCeilDivExpr: lambda parts: _quotient(parts, up=True),
}

_RULES: dict[str, Rule] = {
    "arith.addi": _sum,
    "arith.subi": _difference,
    "arith.muli": lambda parts: _product(*parts),
    "arith.minsi": _least,
    "arith.maxsi": _greatest,
    "arith.minui": _unsigned_least,
    "arith.floordivsi": _quotient,
    "arith.ceildivsi": lambda parts: _quotient(parts, up=True),
    "arith.divsi": _natural_quotient,
    "arith.divui": _natural_quotient,
    "arith.ceildivui": lambda parts: _natural_quotient(parts, up=True),
    "arith.remsi": _signed_remainder,
    "arith.remui": _remainder,
    "arith.andi": _masked,
    "arith.index_cast": _same,
    "arith.extsi": _same,
    "arith.extui": _same_natural,
    "arith.index_castui": _same_natural,
    "index.add": _sum,
    "index.sub": _difference,
    "index.mul": lambda parts: _product(*parts),
    "index.mins": _least,
    "index.maxs": _greatest,
    "index.minu": _unsigned_least,
    "index.floordivs": _quotient,
    "index.ceildivs": lambda parts: _quotient(parts, up=True),
    "index.casts": _same,
}
