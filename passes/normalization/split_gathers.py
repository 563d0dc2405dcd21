"""Separates gathers from the arithmetic around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.mlir.dialects import arith, linalg, tensor
from ktir.passes.base import ModulePass, register
from ktir.passes.normalization.generics import (
    Generic,
    build,
    copy_body,
    defining,
    empty,
    generic,
    is_elementwise,
    operations,
    shape,
)
from ktir.passes.normalization.sources import describe

# All that the body of a gather may hold beside its one `tensor.extract`.
GATHER_OPS = frozenset({"linalg.index", "arith.index_cast", "arith.constant"})


@register
@dataclass(frozen=True)
class SplitGathers(ModulePass):
    """Leave in the body of a gather only coordinates, index casts and one `tensor.extract` that is yielded.

    Requires: what is no gather on data folded away. A generic that does more is split: arithmetic on an index goes to a generic
    before, which makes an integer tensor over the loops the index depends on; each extract gets a generic of its own over the
    loops of its indices; what uses the element stays in the old generic, which reads it as an operand. Ensures: every
    `tensor.extract` is yielded by an elementwise generic with one result. Fails where an index depends on what a
    reduction has so far.

        linalg.generic ins(%i) { %j = arith.addi %in, %c1; %k = arith.index_cast %j; %v = tensor.extract %t[%k]; math.exp %v }
    becomes
        %n = linalg.generic ins(%i) { arith.addi %in, %c1 } -> tensor<..xi64>
        %v = linalg.generic ins(%n) { %k = arith.index_cast %in; tensor.extract %t[%k] }
        linalg.generic ins(%i, %v) { math.exp %in_0 }
    """

    NAME: ClassVar[str] = "ktir-split-gathers"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for op in operations(module):
                view = generic(op)
                while view is not None and not is_plain(view):
                    view = _split(view)


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
    extract = next(op for op in view.body_ops if op.operation.name == "tensor.extract")
    with ir.InsertionPoint(view.op), view.op.location:
        gathered, loops = _gather(view, extract)
        return _read_instead(view, extract, gathered, loops)


def _gather(view: Generic, extract: ir.OpView) -> tuple[ir.Value, tuple[int, ...]]:
    """A generic of the extract alone; returns its result and the loops of `view` that are its dimensions."""
    sources = [_index_source(view, index) for index in list(extract.operands)[1:]]
    loops = tuple(sorted({loop for source in sources for loop in source.loops}))
    inputs = [source.operand for source in sources if source.operand is not None]
    accesses = [_renumbered(source.loops, loops) for source in sources if source.operand is not None]
    extents = view.extents()
    init = empty([extents[loop] for loop in loops], extract.results[0].type, extract.location)
    identity = tuple(range(len(loops)))
    op, block = build(inputs, [init], [*accesses, identity], ["parallel"] * len(loops), extract.location)
    arguments = iter(block.arguments)
    with ir.InsertionPoint(block), extract.location:
        indices = [_index(source, loops, arguments) for source in sources]
        linalg.YieldOp([tensor.extract(extract.operands[0], indices)])
    return op.results[0], loops


@dataclass(frozen=True)
class _Source:
    """Where an index comes from: a tensor read along `loops`, else a loop (`loops` has one), else a constant."""

    loops: tuple[int, ...]
    operand: ir.Value | None = None
    constant: ir.OpView | None = None


def _index_source(view: Generic, index: ir.Value) -> _Source:
    value = index
    while (op := defining(value)) is not None and op.operation.name == "arith.index_cast":
        value = op.operands[0]
    if op is None:
        number = list(view.body.arguments).index(value)
        access = view.accesses[number]
        if number < len(view.inputs) and None not in access:
            return _Source(tuple(loop for loop in access if loop is not None), view.inputs[number])
    elif op.operation.name == "linalg.index":
        return _Source((ir.IntegerAttr(op.attributes["dim"]).value,))
    elif op.operation.name == "arith.constant":
        return _Source((), constant=op)
    return _computed(view, value)


def _computed(view: Generic, value: ir.Value) -> _Source:
    """A generic that computes an index for all of the loops it depends on."""
    ops, arguments, loops = _slice(view, value)
    order = tuple(sorted(loops))
    numbers = [list(view.body.arguments).index(argument) for argument in arguments]
    if any(number >= len(view.inputs) for number in numbers):
        raise UnsupportedError(f"{describe(view.op)}: an index that depends on what a reduction has so far")
    extents = view.extents()
    kind = value.type if isinstance(value.type, ir.IntegerType) else ir.IntegerType.get_signless(64)
    init = empty([extents[loop] for loop in order], kind, view.op.location)
    accesses = [
        tuple(None if loop is None else order.index(loop) for loop in view.accesses[number]) for number in numbers
    ]
    inputs = [view.inputs[number] for number in numbers]
    identity = tuple(range(len(order)))
    op, block = build(inputs, [init], [*accesses, identity], ["parallel"] * len(order), view.op.location)
    mapping = dict(zip(arguments, block.arguments, strict=False))
    with ir.InsertionPoint(block):
        for old in ops:
            _clone(old, order, mapping)
        result = mapping.get(value, value)
        if result.type != kind:
            result = arith.IndexCastOp(kind, result, loc=view.op.location).result
        linalg.YieldOp([result], loc=view.op.location)
    return _Source(order, op.results[0])


def _slice(view: Generic, value: ir.Value) -> tuple[list[ir.OpView], list[ir.Value], set[int]]:
    """The body ops that `value` depends on, in order, the block arguments they read, and the loops it varies along."""
    needed: set[ir.Value] = {value}
    ops: list[ir.OpView] = []
    loops: set[int] = set()
    for op in reversed(view.body_ops):
        if op.operation.name != "linalg.yield" and any(result in needed for result in op.results):
            ops.insert(0, op)
            needed.update(op.operands)
            if op.operation.name == "linalg.index":
                loops.add(ir.IntegerAttr(op.attributes["dim"]).value)
    arguments = [argument for argument in view.body.arguments if argument in needed]
    for argument in arguments:
        access = view.accesses[list(view.body.arguments).index(argument)]
        loops |= {loop for loop in access if loop is not None}
    return ops, arguments, loops


def _clone(op: ir.OpView, order: tuple[int, ...], mapping: dict[ir.Value, ir.Value]) -> None:
    clone = op.operation.clone()
    if op.operation.name == "linalg.index":
        loop = ir.IntegerAttr(op.attributes["dim"]).value
        clone.attributes["dim"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), order.index(loop))
    for number, operand in enumerate(op.operands):
        if operand in mapping:
            clone.operands[number] = mapping[operand]
    mapping.update(zip(op.results, clone.results, strict=True))


def _renumbered(loops: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(order.index(loop) for loop in loops)


def _index(source: _Source, loops: tuple[int, ...], arguments: Iterator[ir.Value]) -> ir.Value:
    """One index of the extract in the body of the gather."""
    index = ir.IndexType.get()
    if source.operand is not None:
        argument = next(arguments)
        return argument if argument.type == index else arith.index_cast(index, argument)
    if source.constant is not None:
        value = ir.IntegerAttr(source.constant.attributes["value"]).value
        return arith.constant(index, value)
    return linalg.IndexOp(loops.index(source.loops[0])).result


def _read_instead(view: Generic, extract: ir.OpView, gathered: ir.Value, loops: tuple[int, ...]) -> Generic | None:
    """`view` with the gathered tensor as one more input in place of `extract`."""
    added = len(view.inputs)
    accesses = [*view.input_accesses, loops, *view.init_accesses]
    op, block = build([*view.inputs, gathered], view.inits, accesses, view.iterators, view.op.location)
    arguments = list(block.arguments)
    mapping = dict(zip(view.body.arguments, arguments[:added] + arguments[added + 1 :], strict=True))
    extract.results[0].replace_all_uses_with(arguments[added])
    extract.operation.erase()
    yielded = copy_body(view.body, block, mapping)
    with ir.InsertionPoint(block):
        linalg.YieldOp(yielded)
    for old, new in zip(view.op.results, op.results, strict=True):
        old.replace_all_uses_with(new)
    view.op.operation.erase()
    return generic(op)
