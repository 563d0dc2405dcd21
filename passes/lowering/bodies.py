"""Bodies of compute steps: how the region of an `sdf.compute` is built.

Owns the resolution of operands inside such a region, which sees nothing but its arguments: an
element of an input or output, a scalar of the program, or a constant that is repeated inside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import clone_into
from ktir.passes.lowering.affine import dims_of
from ktir.passes.lowering.index import Key
from ktir.passes.lowering.indices import write_constant, write_expression
from ktir.passes.lowering.steps import Arguments, Body

Operand = Callable[[Arguments], ir.Value]
"""Finds an operand among the arguments of a region, or makes it there."""


class Scalars:
    """The scalars of the program that one compute step takes, each once, in order of first use."""

    def __init__(self) -> None:
        self._values: list[Key] = []

    @property
    def values(self) -> tuple[Key, ...]:
        """The scalars, in order."""
        return tuple(self._values)

    def use(self, scalar: Key | ir.Attribute) -> Operand:
        """The operand that stands for `scalar`; an attribute is a constant of its type."""
        if isinstance(scalar, ir.Attribute):
            return lambda _: write_constant(scalar)
        if scalar not in self._values:
            self._values.append(scalar)
        position = self._values.index(scalar)
        return lambda arguments: arguments[1][position]


def input_element(position: int) -> Operand:
    """The element of an input."""
    return lambda arguments: arguments[0][position]


def output_element(position: int) -> Operand:
    """The element that an output holds before."""
    return lambda arguments: arguments[2][position]


def yield_scalar(operand: Operand) -> Body:
    """A body that yields one operand."""
    return lambda arguments: [operand(arguments)]


def elementwise(op: ir.Operation, operands: Sequence[Operand], results: Sequence[ir.Type]) -> Body:
    """A body that is `op` itself, on elements, with results of the element types `results`."""

    def build(arguments: Arguments) -> list[ir.Value]:
        inner = ir.Operation.create(
            op.name,
            results=list(results),
            operands=[operand(arguments) for operand in operands],
            attributes={name: op.attributes[name] for name in op.attributes},
            loc=op.location,
        )
        return list(inner.results)

    return build


def copied(
    block: ir.Block, operands: Mapping[ir.Value, Operand], counters: Sequence[ir.Value] = ()
) -> Body:
    """A body that repeats the ops of `block`, a body of linalg.

    Its arguments and captured values are `operands`; those in `counters` are the loop counters.
    """

    def build(arguments: Arguments) -> list[ir.Value]:
        mapping = {value: operand(arguments) for value, operand in operands.items()}
        for dim, value in enumerate(counters):
            mapping[value] = _index(_dim(dim), value.location)
        *inner, last = (op.operation for op in block)
        for op in inner:
            if op.name == "linalg.index":
                mapping[op.results[0]] = _index(op.attributes["dim"], op.location)
            else:
                clone_into(op, mapping, ir.InsertionPoint.current)
        return [mapping[value] for value in last.operands]

    return build


def computed_index(expr: ir.AffineExpr, count: int) -> Body:
    """A body that yields an affine expression as i64: its first `count` dimensions are the scalars,
    the others the loop counters."""

    def build(arguments: Arguments) -> list[ir.Value]:
        rank = max(dims_of(expr), default=0) + 1 - count
        counters = [_index(_dim(dim), ir.Location.current) for dim in range(rank)]
        values = dict(enumerate([*arguments[1], *counters]))
        value = write_expression(expr, values)
        number = ir.IntegerType.get_signless(64)
        cast = ir.Operation.create("arith.index_cast", results=[number], operands=[value])
        return [cast.results[0]]

    return build


def _dim(number: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)


def _index(dim: ir.Attribute, location: ir.Location) -> ir.Value:
    op = ir.Operation.create(
        "sdf.index", results=[ir.IndexType.get()], attributes={"dim": dim}, loc=location
    )
    return op.results[0]
