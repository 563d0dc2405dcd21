"""Bodies that read elements of whole tensors: `tensor.extract` where a body may only compute.

Owns taking such reads out of a body. The indices are computed first, for every point of the loops,
then the elements are gathered, and the body gets them as one more input. A read at the same place
everywhere becomes a scalar, one of a tensor that is the same everywhere its scalar.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import defining_op, identity_map
from ktir.passes.lowering.bodies import Operand, Scalars, input_element, value_in
from ktir.passes.lowering.index import Index, Made
from ktir.passes.lowering.local_access import Place, local_access
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.shapes import require_element
from ktir.passes.lowering.steps import Extract, Load, Slot, Via, for_each
from ktir.passes.lowering.values import Splat, constant_of


@dataclasses.dataclass
class BodyInputs:
    """What a body takes: slots with their maps, scalars, and the operand that stands for each
    value. Loops run over `lengths`, or where some are values over `extents`, of which `lengths` are
    the bounds; `counters` are values that count them."""

    lengths: tuple[int, ...]
    extents: tuple[Index, ...]
    slots: list[Slot]
    maps: list[ir.AffineMap]
    scalars: Scalars
    operands: dict[ir.Value, Operand]
    counters: Sequence[ir.Value] = ()


def take_out_reads(
    selection: Selection, op: ir.Operation, block: ir.Block, inputs: BodyInputs
) -> None:
    """Appends the steps that read what `block` extracts; the results become operands."""
    for inner in (inner.operation for inner in block):
        if inner.name == "tensor.extract":
            inputs.operands[inner.results[0]] = _read(selection, op, block, inner, inputs)


def _read(
    selection: Selection,
    op: ir.Operation,
    block: ir.Block,
    read: ir.Operation,
    inputs: BodyInputs,
) -> Operand:
    source, *indices = read.operands
    tensor = selection.tensor(source)
    is_fixed = all(_is_outside(index, block) for index in indices)
    places = tuple(selection.index(index) for index in indices) if is_fixed else ()
    if is_fixed:
        require_element(selection, op, places, selection.sizes(source))
    if is_fixed and isinstance(tensor, Splat):
        return inputs.scalars.use(tensor.scalar)
    # Elsewhere a splat is read, too: only that tells which elements do not exist.
    slot = selection.slot(source, op)
    if is_fixed:
        key = Made("an element", slot.element)
        selection.append(Extract(op.location, slot, places, key))
        return inputs.scalars.use(key)
    found = [_place(selection, op, block, index, inputs) for index in indices]
    access = local_access(selection, slot, inputs.lengths, found)
    result = Slot(f"elements of {slot.name}", inputs.lengths, slot.element, inputs.extents)
    selection.append(Load(op.location, result, access))
    inputs.slots.append(result)
    inputs.maps.append(identity_map(len(inputs.lengths)))
    return input_element(len(inputs.slots) - 1)


def _is_outside(value: ir.Value, block: ir.Block) -> bool:
    owner = value.owner
    if isinstance(owner, ir.Block):
        return owner != block
    return owner.operation.block != block or constant_of(value) is not None


def _place(
    selection: Selection,
    op: ir.Operation,
    block: ir.Block,
    index: ir.Value,
    inputs: BodyInputs,
) -> Place:
    """Where an index points at every point of the loops."""
    if _is_outside(index, block):
        return selection.index(index)
    if not _is_known(index, inputs):
        raise selection.refusal(
            op, "its body extracts an element at an index that depends on what it has computed"
        )
    rank = len(inputs.lengths)
    loop = _counted(index, inputs.counters)
    if loop is not None:
        return Via(None, ir.AffineMap.get(rank, 0, [ir.AffineExpr.get_dim(loop)]))
    number = ir.IntegerType.get_signless(64)
    slot = Slot(f"indices of {op.name}", inputs.lengths, number, inputs.extents)
    selection.append(
        for_each(
            op.location,
            slot,
            value_in(index, dict(inputs.operands), inputs.counters, number),
            inputs=inputs.slots,
            maps=inputs.maps,
            scalars=inputs.scalars.values,
        )
    )
    return Via(slot, identity_map(rank))


def _is_known(value: ir.Value, inputs: BodyInputs) -> bool:
    """Whether a value of the body follows from the inputs and the counters alone."""
    if value in inputs.operands or value in inputs.counters:
        return True
    op = defining_op(value)
    return op is not None and all(_is_known(operand, inputs) for operand in op.operands)


def _counted(index: ir.Value, counters: Sequence[ir.Value]) -> int | None:
    """The loop that an index counts."""
    if index in counters:
        return list(counters).index(index)
    owner = index.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "linalg.index":
        return None
    return int(ir.IntegerAttr(owner.operation.attributes["dim"]).value)


def loop_lengths(
    maps: Sequence[ir.AffineMap], shapes: Sequence[Sequence[Index]]
) -> tuple[Index, ...] | None:
    """The length of each loop, from operands that it subscripts alone; None if one has none."""
    lengths: dict[int, Index] = {}
    for map_, shape in zip(maps, shapes, strict=True):
        for expr, size in zip(map_.results, shape, strict=True):
            if isinstance(expr, ir.AffineDimExpr):
                lengths[expr.position] = size
    count = maps[0].n_dims
    return tuple(lengths[dim] for dim in range(count)) if len(lengths) == count else None


def has_reads(block: ir.Block) -> bool:
    """Whether a body extracts elements."""
    return any(inner.operation.name == "tensor.extract" for inner in block)
