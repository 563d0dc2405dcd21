"""Indices and other scalars of a program, before they are IR.

Owns what an `Index` can be. A *key* names a scalar: a value of the kernel, or one that the
lowering adds. Arithmetic that keeps indices in their simplest form is in `affine`, writing them in
`indices`.
"""

from __future__ import annotations

import dataclasses

from ktir.mlir import ir


@dataclasses.dataclass(eq=False)
class Made:
    """A scalar that the lowering adds; `name` is for people."""

    name: str
    type: ir.Type


Key = ir.Value | Made
"""What names a scalar of the program."""


@dataclasses.dataclass(frozen=True)
class Affine:
    """An affine expression of `operands` (its dimensions, in order) that is no constant and no
    plain operand."""

    expr: ir.AffineExpr
    operands: tuple[Key, ...]


@dataclasses.dataclass(frozen=True)
class Least:
    """The least of several indices."""

    of: tuple[Index, ...]


@dataclasses.dataclass(frozen=True)
class Greatest:
    """The greatest of several indices."""

    of: tuple[Index, ...]


@dataclasses.dataclass(frozen=True)
class Product:
    """The product of two indices that are no constants."""

    a: Index
    b: Index


@dataclasses.dataclass(frozen=True)
class ByCore:
    """The entry of a table in the row of the running core, at `indices`.

    `table` is row-major with `shape`; its first dimension is the core's number.
    """

    table: tuple[int, ...]
    shape: tuple[int, ...]
    indices: tuple[Index, ...] = ()


@dataclasses.dataclass(frozen=True)
class Test:
    """Whether `a predicate b`, as i1; a predicate of `arith.cmpi`."""

    predicate: str
    a: Index
    b: Index


@dataclasses.dataclass(frozen=True)
class Cast:
    """An integer of another type as an index, with its sign."""

    of: Key


Index = int | ir.Value | Made | Affine | Least | Greatest | Product | ByCore | Test | Cast
"""A constant, a scalar of the program, or what is computed from scalars."""
