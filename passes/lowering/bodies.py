"""Bodies of compute steps: how the region of an `sdf.compute` is built.

Owns the resolution of operands inside such a region, which sees nothing but its arguments: an
element of an input or output, a scalar of the program, or a constant that is repeated inside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import clone_into, defining_op, nested_operands
from ktir.passes.lowering.affine import add, constant, scale
from ktir.passes.lowering.index import Key
from ktir.passes.lowering.indices import (
    write_comparison,
    write_constant,
    write_expression,
)
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

    Arguments, captured values and results that are found elsewhere are `operands`; values in
    `counters` are the loop counters.
    """

    def build(arguments: Arguments) -> list[ir.Value]:
        mapping = _mapping(arguments, operands, counters)
        *inner, last = (op.operation for op in block)
        for op in inner:
            _repeat(op, mapping)
        return [mapping[value] for value in last.operands]

    return build


def value_in(
    value: ir.Value,
    operands: Mapping[ir.Value, Operand],
    counters: Sequence[ir.Value],
    type_: ir.Type,
) -> Body:
    """A body that yields one index of a body of linalg, as an integer of this type."""

    def build(arguments: Arguments) -> list[ir.Value]:
        mapping = _mapping(arguments, operands, counters)
        for op in _leading_to(value, mapping):
            _repeat(op, mapping)
        cast = ir.Operation.create("arith.index_cast", results=[type_], operands=[mapping[value]])
        return [cast.results[0]]

    return build


def _mapping(
    arguments: Arguments, operands: Mapping[ir.Value, Operand], counters: Sequence[ir.Value]
) -> dict[ir.Value, ir.Value]:
    mapping = {value: operand(arguments) for value, operand in operands.items()}
    for dim, value in enumerate(counters):
        mapping[value] = _index(_dim(dim), value.location)
    return mapping


def _repeat(op: ir.Operation, mapping: dict[ir.Value, ir.Value]) -> None:
    """Clones an op whose results are not known yet."""
    if all(result in mapping for result in op.results):
        return
    if op.name == "linalg.index":
        mapping[op.results[0]] = _index(op.attributes["dim"], op.location)
    else:
        clone_into(op, mapping, ir.InsertionPoint.current)


def _leading_to(value: ir.Value, known: Mapping[ir.Value, ir.Value]) -> list[ir.Operation]:
    """The ops that a value is made by, operands first, as far as they are not known."""
    if value in known:
        return []
    op = defining_op(value)
    assert op is not None, "an argument of a body is an operand"
    around = [value for value in nested_operands(op) if not _is_in(value, op)]
    found = [before for operand in around for before in _leading_to(operand, known)]
    return [*dict.fromkeys(found), op]


def _is_in(value: ir.Value, op: ir.Operation) -> bool:
    """Whether a value is made inside the regions of an op."""
    owner = value.owner
    block = owner if isinstance(owner, ir.Block) else owner.operation.block
    while (around := block.owner.operation) != op:
        if around.name in ("func.func", "builtin.module"):
            return False
        block = around.block
    return True


def chosen(shape: Sequence[int], operands: Sequence[Operand]) -> Body:
    """A body that yields one operand at each place of a buffer of `shape`, in row-major order."""

    def build(arguments: Arguments) -> list[ir.Value]:
        place = write_expression(
            _row_major(shape),
            {dim: counter(dim) for dim in range(len(shape))},
        )
        value, *others = (operand(arguments) for operand in operands)
        for number, other in enumerate(others, start=1):
            number_ = write_constant(ir.IntegerAttr.get(ir.IndexType.get(), number))
            here = write_comparison("eq", place, number_)
            value = made("arith.select", value.type, here, other, value)
        return [value]

    return build


def _row_major(shape: Sequence[int]) -> ir.AffineExpr:
    place = constant(0)
    for dim, size in enumerate(shape):
        place = add(scale(place, size), ir.AffineExpr.get_dim(dim))
    return place


def cast_to(type_: ir.Type) -> Body:
    """A body that yields the bits of its one input as another type."""
    return lambda arguments: [made("arith.bitcast", type_, arguments[0][0])]


def made(name: str, type_: ir.Type, *operands: ir.Value) -> ir.Value:
    """The result of an op without attributes, written at the current insertion point."""
    return ir.Operation.create(name, results=[type_], operands=list(operands)).results[0]


def counter(dim: int) -> ir.Value:
    """The counter of a loop of the step, written at the current insertion point."""
    return _index(_dim(dim))


def _dim(number: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)


def _index(dim: ir.Attribute, location: ir.Location | None = None) -> ir.Value:
    op = ir.Operation.create(
        "sdf.index", results=[ir.IndexType.get()], attributes={"dim": dim}, loc=location
    )
    return op.results[0]
