"""Separates gathers from the arithmetic around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import AnyOp, clone_into, defining_op
from ktir.passes.normalization.building import index_constant, read_instead, scalar
from ktir.passes.normalization.generics import (
    Generic,
    each_generic,
    integer,
    is_elementwise,
)
from ktir.passes.normalization.sources import describe
from ktir.passes.structured import Access, build, empty, finish

# All that the body of a gather may hold beside its one `tensor.extract`.
GATHER_OPS = frozenset({"linalg.index", "arith.index_cast", "arith.constant"})


@register
@dataclass(frozen=True)
class SplitGathers(ModulePass):
    """Leave in the body of a gather only coordinates, index casts and one `tensor.extract` that is
    yielded.

    Requires: what is no gather on data folded away. A generic that does more is split: arithmetic
    on an index goes to a generic before, which makes an integer tensor over the loops the index
    depends on; each extract gets a generic of its own over the loops of its indices; what uses the
    element stays in the old generic, which reads it as an operand. Ensures: every `tensor.extract`
    is yielded by an elementwise generic with one result. Fails where an index depends on what a
    reduction has so far.

        linalg.generic ins(%i) { %k = arith.addi %in, %c1; %v = tensor.extract %t[%k]; math.exp %v }
    becomes
        %n = linalg.generic ins(%i) { arith.addi %in, %c1 } -> tensor<..xi64>
        %v = linalg.generic ins(%n) { %k = arith.index_cast %in; tensor.extract %t[%k] }
        linalg.generic ins(%i, %v) { math.exp %in_0 }
    """

    NAME: ClassVar[str] = "ktir-split-gathers"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for view in each_generic(module):
                left: Generic | None = view
                while left is not None and not is_plain(left):
                    left = _split(left)


def is_plain(view: Generic) -> bool:
    """Whether a generic is a gather in its final form, or none at all."""
    extracts = [op for op in view.body_ops if op.operation.name == "tensor.extract"]
    if not extracts:
        return True
    others = {op.operation.name for op in view.body_ops} - {"tensor.extract"}
    return (
        len(extracts) == 1
        and is_elementwise(view)
        and view.yielded == (extracts[0].results[0],)
        and others <= GATHER_OPS
    )


def _split(view: Generic) -> Generic | None:
    """Moves the first extract of the body out; returns what is left of the generic."""
    extraction = next(op for op in view.body_ops if op.operation.name == "tensor.extract")
    with ir.InsertionPoint(view.op), view.op.location:
        gathered, loops = _gather(view, extraction)
    return read_instead(view, extraction, gathered, loops)


def _gather(view: Generic, extraction: AnyOp) -> tuple[ir.Value, tuple[int, ...]]:
    """A generic of the extract alone; its result and the loops of `view` that it has."""
    sources = [_index_source(view, index) for index in list(extraction.operands)[1:]]
    loops = tuple(sorted({loop for source in sources for loop in source.loops}))
    inputs = [source.operand for source in sources if source.operand is not None]
    accesses = [
        _renumbered(source.loops, loops) for source in sources if source.operand is not None
    ]
    op, block = _over_loops(view, loops, inputs, accesses, extraction.results[0].type)
    arguments = iter(block.arguments)
    place = extraction.location
    with ir.InsertionPoint(block):
        indices = [_index(source, loops, arguments, place) for source in sources]
        operands = [extraction.operands[0], *indices]
        element = scalar("tensor.extract", extraction.results[0].type, operands, place)
    finish(block, [element], place)
    return op.result, loops


def _over_loops(
    view: Generic,
    loops: tuple[int, ...],
    inputs: list[ir.Value],
    accesses: list[Access],
    kind: ir.Type,
) -> tuple[ir.Operation, ir.Block]:
    """A new elementwise generic over some loops of `view`, whose result has them as dimensions."""
    location = view.op.location
    extents = view.extents()
    init = empty([extents[loop] for loop in loops], kind, location)
    identity = tuple(range(len(loops)))
    return build(inputs, [init], [*accesses, identity], ["parallel"] * len(loops), location)


@dataclass(frozen=True)
class _Source:
    """Where an index comes from: a tensor read along `loops`, else a loop (`loops` has one), else
    a constant.
    """

    loops: tuple[int, ...]
    operand: ir.Value | None = None
    constant: AnyOp | None = None


def _index_source(view: Generic, index: ir.Value) -> _Source:
    value = index
    while (op := defining_op(value)) is not None and op.operation.name == "arith.index_cast":
        value = op.operands[0]
    if op is None:
        number = list(view.body.arguments).index(value)
        access = view.accesses[number]
        if number < len(view.inputs) and None not in access:
            return _Source(tuple(loop for loop in access if loop is not None), view.inputs[number])
    elif op.operation.name == "linalg.index":
        return _Source((integer(op, "dim"),))
    elif op.operation.name == "arith.constant":
        return _Source((), constant=op)
    return _computed(view, value)


def _computed(view: Generic, value: ir.Value) -> _Source:
    """A generic that computes an index for all of the loops it depends on."""
    ops, arguments, loops = _slice(view, value)
    order = tuple(sorted(loops))
    numbers = [list(view.body.arguments).index(argument) for argument in arguments]
    if any(number >= len(view.inputs) for number in numbers):
        raise UnsupportedError(
            f"{describe(view.op)}: an index that depends on what a reduction has so far"
        )
    wide = ir.IntegerType.get_signless(64)
    kind = value.type if isinstance(value.type, ir.IntegerType) else wide
    accesses = [_renumbered(view.accesses[number], order) for number in numbers]
    inputs = [view.inputs[number] for number in numbers]
    op, block = _over_loops(view, order, inputs, accesses, kind)
    mapping = dict(zip(arguments, block.arguments, strict=False))
    with ir.InsertionPoint(block):
        for old in ops:
            _clone(old, order, mapping)
        result = mapping.get(value, value)
        if result.type != kind:
            result = scalar("arith.index_cast", kind, [result], view.op.location)
    finish(block, [result], view.op.location)
    return _Source(order, op.result)


def _slice(view: Generic, value: ir.Value) -> tuple[list[AnyOp], list[ir.Value], set[int]]:
    """The body ops that `value` depends on, in order, the block arguments they read, and the loops
    it varies along.
    """
    needed: set[ir.Value] = {value}
    ops: list[AnyOp] = []
    loops: set[int] = set()
    for op in reversed(view.body_ops):
        if op.operation.name != "linalg.yield" and any(result in needed for result in op.results):
            ops.insert(0, op)
            needed.update(op.operands)
            if op.operation.name == "linalg.index":
                loops.add(integer(op, "dim"))
    arguments = [argument for argument in view.body.arguments if argument in needed]
    for argument in arguments:
        access = view.accesses[list(view.body.arguments).index(argument)]
        loops |= {loop for loop in access if loop is not None}
    return ops, arguments, loops


def _clone(op: AnyOp, order: tuple[int, ...], mapping: dict[ir.Value, ir.Value]) -> None:
    clone = clone_into(op, mapping)
    if clone.name == "linalg.index":
        wide = ir.IntegerType.get_signless(64)
        clone.attributes["dim"] = ir.IntegerAttr.get(wide, order.index(integer(op, "dim")))


def _renumbered(access: Access, order: tuple[int, ...]) -> Access:
    return tuple(None if loop is None else order.index(loop) for loop in access)


def _index(
    source: _Source, loops: tuple[int, ...], arguments: Iterator[ir.Value], place: ir.Location
) -> ir.Value:
    """One index of the extract in the body of the gather."""
    kind = ir.IndexType.get()
    if source.operand is not None:
        argument = next(arguments)
        if argument.type == kind:
            return argument
        return scalar("arith.index_cast", kind, [argument], place)
    if source.constant is not None:
        return index_constant(integer(source.constant, "value"), place)
    number = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), loops.index(source.loops[0]))
    return scalar("linalg.index", kind, [], place, {"dim": number})
