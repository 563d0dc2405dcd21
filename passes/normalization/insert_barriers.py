"""Marks the edges that elementwise fusion must not cross."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import AnyOp, defining_op, shape_of
from ktir.passes.normalization.building import (
    collapse,
    expand,
)
from ktir.passes.normalization.generics import (
    VIEW_OPS,
    Generic,
    generic,
    has_one_use,
    is_cheap,
    is_contraction,
    is_elementwise,
    is_gather,
    operations,
    reads_coordinates,
    reassociation,
    touches_last,
)

BARRIER = "ktir.barrier."


@register
@dataclass(frozen=True)
class InsertBarriers(ModulePass):
    """Put calls of opaque functions on the edges that upstream's elementwise fusion must not
    cross.

    Requires: named ops generalised, cheap producers cloned. Upstream fuses every elementwise
    producer that has one use and moves every reshape. A call of a function without a body stops
    both; `ktir-remove-barriers` takes the calls out again. Barriers stand
    - on the operands of a contraction, above the moves and casts that shall fold into its maps and
      body, and on its result;
    - above arithmetic on a small value that is read by a larger domain, which fusion would repeat
      for every element;
    - at reshapes of the last dimension, which is laid out in sticks: a split stays below what
      makes the value, a merge above what reads it. A reshape of last and other dimensions together
      is split in two first;
    - on the results of gathers, and between reshapes and bodies that read coordinates. Ensures:
      values are unchanged once the barriers are removed.

        %r = linalg.generic <contraction> ins(%x, %w)
    becomes
        %b = call @ktir.barrier.0(%x); %c = linalg.generic <contraction> ins(%b, %w)
        %r = call @ktir.barrier.1(%c)
    """

    NAME: ClassVar[str] = "ktir-insert-barriers"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for op in operations(module):
                if op.operation.name in VIEW_OPS:
                    _split_reshape(op)
            barriers = _Barriers(module)
            for op in operations(module):
                _guard(op, barriers)


@dataclass
class _Barriers:
    """Makes barriers, one declaration a type."""

    module: ir.Operation
    symbols: dict[ir.Type, str] = field(default_factory=dict)

    def cut(self, op: AnyOp, number: int) -> None:
        """A barrier on the edge into operand `number` of `op`. Arguments need none."""
        value = op.operation.operands[number]
        if isinstance(value.owner, ir.Block) or is_barrier(value.owner.operation):
            return
        with ir.InsertionPoint(op), op.location:
            op.operation.operands[number] = self._call(value)

    def seal(self, result: ir.Value) -> None:
        """A barrier between `result` and all of its users."""
        with ir.InsertionPoint.after(result.owner.operation), result.owner.location:
            sealed = self._call(result)
        result.replace_all_uses_except(sealed, sealed.owner.operation)

    def _call(self, value: ir.Value) -> ir.Value:
        symbol = ir.FlatSymbolRefAttr.get(self._declared(value.type))
        return ir.Operation.create("func.call", [value.type], [value], {"callee": symbol}).result

    def _declared(self, kind: ir.Type) -> str:
        if kind not in self.symbols:
            self.symbols[kind] = name = f"{BARRIER}{len(self.symbols)}"
            signature = ir.TypeAttr.get(ir.FunctionType.get([kind], [kind]))
            attributes = {
                "sym_name": ir.StringAttr.get(name),
                "function_type": signature,
                "sym_visibility": ir.StringAttr.get("private"),
            }
            with ir.InsertionPoint(self.module.regions[0].blocks[0]):
                ir.Operation.create(
                    "func.func", attributes=attributes, regions=1, loc=ir.Location.unknown()
                )
        return self.symbols[kind]


def is_barrier(op: ir.Operation) -> bool:
    """Whether `op` is a call that this pass made."""
    return op.name == "func.call" and ir.FlatSymbolRefAttr(
        op.attributes["callee"]
    ).value.startswith(BARRIER)


def _guard(op: AnyOp, barriers: _Barriers) -> None:
    name = op.operation.name
    if name in VIEW_OPS and touches_last(op):
        if name == "tensor.expand_shape":
            barriers.cut(op, 0)
        else:
            barriers.seal(op.results[0])
        return
    view = generic(op)
    if view is None:
        return
    if is_contraction(view):
        _guard_contraction(view, barriers)
        return
    _guard_broadcasts(view, barriers)
    if reads_coordinates(view) or is_gather(view):
        _guard_coordinates(view, barriers)


def _guard_contraction(view: Generic, barriers: _Barriers) -> None:
    for number in range(len(view.inputs)):
        barriers.cut(*_entrance(view, number))
    start = defining_op(view.inits[0])
    if start is not None and start.operation.name != "linalg.fill":
        barriers.cut(view.op, len(view.inputs))
    barriers.seal(view.op.results[0])


def _entrance(view: Generic, number: int) -> tuple[AnyOp, int]:
    """The edge above the moves and casts of one operand: (op, operand number)."""
    edges: list[tuple[AnyOp, int]] = [(view.op, number)]
    value = view.inputs[number]
    while (
        (op := defining_op(value)) is not None
        and has_one_use(value)
        and _folds_into_contraction(op)
    ):
        edges.append((op, 0))
        value = op.operands[0]
    # A split of leading dimensions is better carried up by what makes the value.
    while (
        len(edges) > 1
        and edges[-1][0].operation.name == "tensor.expand_shape"
        and not touches_last(edges[-1][0])
    ):
        edges.pop()
    return edges[-1]


def _folds_into_contraction(op: AnyOp) -> bool:
    if op.operation.name in VIEW_OPS:
        return op.operation.name == "tensor.expand_shape" or not touches_last(op)
    view = generic(op)
    return (
        view is not None
        and is_cheap(view)
        and len(view.inputs) == 1
        and not reads_coordinates(view)
    )


def _guard_broadcasts(view: Generic, barriers: _Barriers) -> None:
    extents = view.extents()
    for number, access in enumerate(view.input_accesses):
        if any(extents[loop] > 1 for loop in range(view.loops) if loop not in access):
            _cut_arithmetic(view.op, number, barriers)


def _cut_arithmetic(op: AnyOp, number: int, barriers: _Barriers) -> None:
    """Cuts above operand `number` where arithmetic comes, looking through moves and casts."""
    producer = defining_op(op.operation.operands[number])
    if producer is None:
        return
    if producer.operation.name in VIEW_OPS:
        _cut_arithmetic(producer, 0, barriers)
        return
    view = generic(producer)
    if view is None or not is_elementwise(view):
        return
    if is_cheap(view):
        for below in range(len(view.inputs)):
            _cut_arithmetic(producer, below, barriers)
    else:
        barriers.cut(op, number)


def _guard_coordinates(view: Generic, barriers: _Barriers) -> None:
    for number, value in enumerate(view.inputs):
        producer = defining_op(value)
        if producer is not None and producer.operation.name in VIEW_OPS:
            barriers.cut(view.op, number)
    for result in view.op.results:
        if is_gather(view) or any(use.owner.operation.name in VIEW_OPS for use in result.uses):
            barriers.seal(result)


def _split_reshape(reshape: AnyOp) -> None:
    """Separates a reshape of the last dimension from that of the others; the last is on the side
    with more dimensions.
    """
    groups = reassociation(reshape)
    if not touches_last(reshape) or all(len(group) == 1 for group in groups[:-1]):
        return
    source, result = reshape.operands[0], reshape.results[0]
    expands = reshape.operation.name == "tensor.expand_shape"
    large, small = shape_of(result if expands else source), shape_of(source if expands else result)
    first = len(groups[-1])
    middle = [*large[:-first], small[-1]]
    leading = [*groups[:-1], [len(large) - first]]
    last = [*([dim] for dim in range(len(large) - first)), groups[-1]]
    with ir.InsertionPoint(reshape), reshape.location:
        if expands:
            new = expand(expand(source, leading, middle), last, large)
        else:
            new = collapse(collapse(source, last, middle), leading, small)
    result.replace_all_uses_with(new)
    reshape.operation.erase()
