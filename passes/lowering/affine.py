"""Affine expressions of a kernel's indices, with constants folded.

Owns what views and tiles ask of an expression: its value for known and unknown indices as an
`Index`, its parts in one group of dimensions and in another, and its range over a box. Integer sets
are in `sets` and `boxes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ktir.intervals import RULES, Range, Rule
from ktir.mlir import ir
from ktir.passes.lowering.index import Affine, Greatest, Index, Key, Least, Made, Product

# The bindings give the result of an operation the class of that operation, whatever it was
# simplified to; hence the casts.


def constant(value: int) -> ir.AffineExpr:
    """`value` as an expression."""
    return ir.AffineExpr.get_constant(value)


def add(a: ir.AffineExpr, b: ir.AffineExpr) -> ir.AffineExpr:
    """`a + b`."""
    return (a + b).maybe_downcast()


def scale(expr: ir.AffineExpr, factor: int) -> ir.AffineExpr:
    """`expr * factor`."""
    return (expr * factor).maybe_downcast()


def fold(expr: ir.AffineExpr, dims: Sequence[Index], symbols: Sequence[Index] = ()) -> Index:
    """The value of `expr` for these dimensions and symbols, in its simplest form.

    Raises TypeError for an index that is not affine.
    """
    if isinstance(expr, ir.AffineConstantExpr):
        return int(expr.value)
    if isinstance(expr, ir.AffineDimExpr) and _is_simple(dims[expr.position]):
        return dims[expr.position]
    values: list[Key] = []
    flat = substitute(
        expr,
        [as_expression(dim, values) for dim in dims],
        [as_expression(symbol, values) for symbol in symbols],
    )
    flat = ir.AffineExpr.simplify_affine_expr(flat, len(values), 0).maybe_downcast()
    if isinstance(flat, ir.AffineConstantExpr):
        return int(flat.value)
    if isinstance(flat, ir.AffineDimExpr):
        return values[flat.position]
    return Affine(flat, tuple(values))


def _is_simple(index: Index) -> bool:
    """Whether it is affine, as all of `fold` are, and in its simplest form."""
    return isinstance(index, (int, Affine, ir.Value, Made))


def total(*indices: Index) -> Index:
    """The sum of indices. Raises TypeError for one that is not affine."""
    others = [index for index in indices if index != 0]
    if len(others) < 2 and all(map(_is_simple, others)):
        return others[0] if others else 0
    values: list[Key] = []
    expr = constant(0)
    for index in indices:
        expr = add(expr, as_expression(index, values))
    return fold(expr, values)


def times(a: Index, b: Index) -> Index:
    """The product of two indices. Raises TypeError for a constant times what is not affine."""
    if isinstance(a, int):
        return _scaled(b, a)
    return _scaled(a, b) if isinstance(b, int) else Product(a, b)


def _scaled(index: Index, factor: int) -> Index:
    if isinstance(index, int):
        return index * factor
    if factor == 1 and _is_simple(index):
        return index
    values: list[Key] = []
    return fold(scale(as_expression(index, values), factor), values)


def negated(index: Index) -> Index:
    """`-index`. Raises TypeError for one that is not affine."""
    return times(index, -1)


def least(indices: Sequence[Index]) -> Index:
    """The least of indices; known ones are compared."""
    indices = [
        part for index in indices for part in (index.of if isinstance(index, Least) else (index,))
    ]
    known = [index for index in indices if isinstance(index, int)]
    rest = [index for index in dict.fromkeys(indices) if not isinstance(index, int)]
    of = (*rest, min(known)) if known else tuple(rest)
    return of[0] if len(of) == 1 else Least(of)


def greatest(indices: Sequence[Index]) -> Index:
    """The greatest of indices; known ones are compared."""
    indices = [
        part
        for index in indices
        for part in (index.of if isinstance(index, Greatest) else (index,))
    ]
    known = [index for index in indices if isinstance(index, int)]
    rest = [index for index in dict.fromkeys(indices) if not isinstance(index, int)]
    of = (*rest, max(known)) if known else tuple(rest)
    return of[0] if len(of) == 1 else Greatest(of)


def as_expression(index: Index, values: list[Key]) -> ir.AffineExpr:
    """`index` as an expression whose dimensions are `values`, which grows as needed."""
    if isinstance(index, int):
        return constant(index)
    if isinstance(index, Affine):
        return substitute(index.expr, [as_expression(value, values) for value in index.operands])
    if not isinstance(index, (ir.Value, Made)):
        raise TypeError(f"{index} is not an affine expression")
    if index not in values:
        values.append(index)
    return ir.AffineExpr.get_dim(values.index(index))


def substitute(
    expr: ir.AffineExpr, dims: Sequence[ir.AffineExpr], symbols: Sequence[ir.AffineExpr] = ()
) -> ir.AffineExpr:
    """`expr` with its dimensions and symbols replaced."""
    if isinstance(expr, ir.AffineConstantExpr):
        return expr
    if isinstance(expr, ir.AffineDimExpr):
        return dims[expr.position]
    if isinstance(expr, ir.AffineSymbolExpr):
        return symbols[expr.position]
    lhs, rhs = (substitute(part, dims, symbols) for part in sides(expr))
    return _BUILDERS[type(expr)](lhs, rhs).maybe_downcast()


def sides(expr: ir.AffineExpr) -> tuple[ir.AffineExpr, ir.AffineExpr]:
    """The operands of an expression that is neither a constant nor a dimension nor a symbol."""
    assert isinstance(expr, ir.AffineBinaryExpr)
    return expr.lhs, expr.rhs


def constant_value(expr: ir.AffineExpr) -> int | None:
    """The value of an expression that is a constant."""
    return int(expr.value) if isinstance(expr, ir.AffineConstantExpr) else None


_BUILDERS: dict[type, Callable[[ir.AffineExpr, ir.AffineExpr], ir.AffineExpr]] = {
    ir.AffineAddExpr: ir.AffineExpr.get_add,
    ir.AffineMulExpr: ir.AffineExpr.get_mul,
    ir.AffineModExpr: ir.AffineExpr.get_mod,
    ir.AffineFloorDivExpr: ir.AffineExpr.get_floor_div,
    ir.AffineCeilDivExpr: ir.AffineExpr.get_ceil_div,
}


def dims_of(expr: ir.AffineExpr) -> set[int]:
    """The dimensions that occur in `expr`."""
    if isinstance(expr, ir.AffineDimExpr):
        return {expr.position}
    if isinstance(expr, ir.AffineBinaryExpr):
        return dims_of(expr.lhs) | dims_of(expr.rhs)
    return set()


def divisors_of(expr: ir.AffineExpr) -> Iterator[int]:
    """The numbers by which `expr` divides something that has dimensions."""
    if not isinstance(expr, ir.AffineBinaryExpr):
        return
    if isinstance(expr, (ir.AffineModExpr, ir.AffineFloorDivExpr, ir.AffineCeilDivExpr)):
        divisor = constant_value(expr.rhs)
        if divisor is not None and dims_of(expr.lhs):
            yield divisor
    yield from divisors_of(expr.lhs)
    yield from divisors_of(expr.rhs)


def terms(expr: ir.AffineExpr) -> list[ir.AffineExpr]:
    """The terms of which `expr` is the sum."""
    if isinstance(expr, ir.AffineAddExpr):
        return terms(expr.lhs) + terms(expr.rhs)
    if isinstance(expr, ir.AffineMulExpr) and isinstance(expr.rhs, ir.AffineConstantExpr):
        return [scale(term, expr.rhs.value) for term in terms(expr.lhs)]
    return [expr]


def split(expr: ir.AffineExpr, count: int) -> tuple[ir.AffineExpr, ir.AffineExpr] | None:
    """`expr` as the sum of a part in the first `count` dimensions and a part in the others.

    None if a term mixes the two, as `(d0 + d1) floordiv 4` does for a count of 1, but not
    `(8 * d0 + d1) floordiv 4`.
    """
    first = second = constant(0)
    for term in terms(expr):
        dims = dims_of(term)
        if all(dim < count for dim in dims):
            first = add(first, term)
        elif all(dim >= count for dim in dims):
            second = add(second, term)
        else:
            pair = _split_term(term, count)
            if pair is None:
                return None
            first, second = add(first, pair[0]), add(second, pair[1])
    return first, second


def _split_term(term: ir.AffineExpr, count: int) -> tuple[ir.AffineExpr, ir.AffineExpr] | None:
    """`split` of a term in dimensions of both groups: a factor, or a division whose divisor goes
    into all of the first part."""
    assert isinstance(term, ir.AffineBinaryExpr)
    factor = constant_value(term.rhs)
    pair = split(term.lhs, count)
    if factor is None or pair is None:
        return None
    first, second = pair
    if isinstance(term, ir.AffineMulExpr):
        return scale(first, factor), scale(second, factor)
    parts = []
    for part, times_ in (_factor(part) for part in terms(first)):
        if times_ % factor == 0:
            parts.append((part, times_))
        elif dims_of(part):
            return None
        else:
            second = add(second, scale(part, times_))
    inner = _BUILDERS[type(term)](second, term.rhs).maybe_downcast()
    outer = constant(0)
    if not isinstance(term, ir.AffineModExpr):
        for part, times_ in parts:
            outer = add(outer, scale(part, times_ // factor))
    return outer, inner


def _factor(term: ir.AffineExpr) -> tuple[ir.AffineExpr, int]:
    """A term as an expression times a constant."""
    if isinstance(term, ir.AffineConstantExpr):
        return constant(1), int(term.value)
    if isinstance(term, ir.AffineMulExpr):
        factor = constant_value(term.rhs)
        if factor is not None:
            return term.lhs, factor
    return term, 1


def range_of(expr: ir.AffineExpr, extents: Sequence[int]) -> Range | None:
    """The range of `expr` if dimension i runs from 0 to `extents[i] - 1`; None if not known.

    It is exact for sums of different dimensions, and may be too wide where one occurs twice.
    """
    if isinstance(expr, ir.AffineConstantExpr):
        return expr.value, expr.value
    if isinstance(expr, ir.AffineDimExpr):
        return 0, extents[expr.position] - 1
    if not isinstance(expr, ir.AffineBinaryExpr):
        return None
    lhs, rhs = range_of(expr.lhs, extents), range_of(expr.rhs, extents)
    return None if lhs is None or rhs is None else affine_rule(expr)(lhs, rhs)


def affine_rule(expr: ir.AffineExpr) -> Rule:
    """How the range of an expression of two operands follows from theirs."""
    return RULES[_RULE_NAMES[type(expr)]]


_RULE_NAMES: dict[type, str] = {
    ir.AffineAddExpr: "add",
    ir.AffineMulExpr: "mul",
    ir.AffineModExpr: "rem",
    ir.AffineFloorDivExpr: "floordiv",
    ir.AffineCeilDivExpr: "ceildiv",
}
