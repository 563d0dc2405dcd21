"""Coordinates of the elements of a buffer: a part that all elements share, and one of each.

Owns how such coordinates are described, and the points of a set as the coordinates of a buffer:
affine in the place where they are, else a table. What lies at a coordinate is in `views`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from ktir.mlir import ir
from ktir.passes.lowering.affine import add, constant, range_of, scale, terms
from ktir.passes.lowering.index import Index
from ktir.passes.lowering.sets import evaluate
from ktir.passes.lowering.steps import Slot


@dataclasses.dataclass(frozen=True)
class ByMap:
    """An affine expression of the dimensions of the buffer."""

    expr: ir.AffineExpr


@dataclasses.dataclass(frozen=True, eq=False)
class ByTable:
    """One number an element of the buffer, in an array of its shape."""

    table: np.ndarray


@dataclasses.dataclass(frozen=True)
class ByIndex:
    """The element of a slot at `places`, one expression a dimension of it.

    `must_exist`: it was read from memory, so that one which the view does not have is a fault even
    where the view's size is a value.
    """

    slot: Slot
    places: tuple[ir.AffineExpr, ...]
    must_exist: bool = False


Shape = Sequence[Index]
"""The sizes of a buffer, or of what it holds where they are values."""

Inner = ByMap | ByTable | ByIndex
"""The part of a coordinate that each element has of its own."""


@dataclasses.dataclass(frozen=True)
class Coordinate:
    """`offset` plus `inner`. The offset is a constant, a key or affine."""

    offset: Index
    inner: Inner

    def numbers(self, shape: Sequence[int]) -> np.ndarray:
        """The inner part of every element. Raises TypeError where a slot holds it."""
        if isinstance(self.inner, ByTable):
            return self.inner.table
        if isinstance(self.inner, ByMap):
            return values_of(self.inner.expr, shape)
        raise TypeError("the coordinate is read when the program runs")

    def span(self, shape: Sequence[int]) -> tuple[int, int] | None:
        """The range of the inner part; None if it is not known."""
        if isinstance(self.inner, ByTable):
            table = self.inner.table
            return (int(table.min()), int(table.max())) if table.size else (0, 0)
        return range_of(self.inner.expr, shape) if isinstance(self.inner, ByMap) else None


def values_of(expr: ir.AffineExpr, shape: Sequence[int]) -> np.ndarray:
    """An expression of the dimensions of `shape` at every place."""
    grid = np.meshgrid(*(np.arange(size) for size in shape), indexing="ij", sparse=True)
    return np.broadcast_to(np.asarray(evaluate(expr, grid), dtype=np.int64), tuple(shape))


def separated(expr: ir.AffineExpr) -> tuple[int, ir.AffineExpr]:
    """An expression as a constant and what is added to it."""
    varying, fixed = constant(0), 0
    for term in terms(expr):
        if isinstance(term, ir.AffineConstantExpr):
            fixed += term.value
        else:
            varying = add(varying, term)
    return fixed, varying


def fitted(numbers: np.ndarray) -> Coordinate:
    """The coordinate that has these numbers, one an element of the buffer: linear in the place if
    they are."""
    if numbers.size == 0:
        return Coordinate(0, ByMap(constant(0)))
    first = int(numbers[(0,) * numbers.ndim])
    expr, expected = constant(0), np.full(numbers.shape, first, dtype=np.int64)
    for dim, size in enumerate(numbers.shape):
        if size == 1:
            continue
        step = int(numbers[tuple(1 if d == dim else 0 for d in range(numbers.ndim))]) - first
        expr = add(expr, scale(ir.AffineExpr.get_dim(dim), step))
        axis = [-1 if d == dim else 1 for d in range(numbers.ndim)]
        expected = expected + (np.arange(size) * step).reshape(axis)
    if np.array_equal(expected, numbers):
        return Coordinate(first, ByMap(expr))
    return Coordinate(0, ByTable(np.ascontiguousarray(numbers, dtype=np.int64)))


def grid_of(points: np.ndarray) -> tuple[int, ...] | None:
    """The shape of points that are visited as a grid, with any order of their dimensions; None if
    they are none.

    The shape is in the order of the visit, the slowest dimension first.
    """
    counts = [len(np.unique(column)) for column in points.T]
    if math.prod(counts) != len(points) or len(points) == 0:
        return None
    # A dimension that changes more often is faster; ties have one point only.
    changes = [int(np.count_nonzero(np.diff(column))) for column in points.T]
    order = sorted(range(len(counts)), key=lambda dim: changes[dim])
    shape = tuple(counts[dim] for dim in order)
    grid = points.reshape(*shape, len(counts))
    for axis, dim in enumerate(order):
        line = np.moveaxis(grid[..., dim], axis, -1)
        if not np.array_equal(line, np.broadcast_to(line[(0,) * (line.ndim - 1)], line.shape)):
            return None
    return shape
