"""Selection of structured ops: linalg, and arith and math on tensors, become compute steps.

Owns the choice of engine, of what becomes a scalar operand, and of where an output starts: the step
writes its results in place, so a result whose body reads the output starts as a move of the op's
init. Named linalg ops do not arrive here; the pass generalizes them first.

A splat input becomes a scalar where all loops are parallel. Reductions keep it as a tensor: their
order of evaluation hangs on the shape of the body.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from ktir.inside import ops_inside
from ktir.mlir import ir
from ktir.passes.contraction import is_contraction
from ktir.passes.ir_utils import identity_map, is_tensor, nested_operands
from ktir.passes.lowering.bodies import (
    Operand,
    Scalars,
    copied,
    elementwise,
    input_element,
    output_element,
)
from ktir.passes.lowering.element_reads import (
    BodyInputs,
    has_reads,
    loop_lengths,
    take_out_reads,
)
from ktir.passes.lowering.handlers import lowers
from ktir.passes.lowering.index import Index
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.shapes import require_equal
from ktir.passes.lowering.steps import Compute, Move, Slot, for_each
from ktir.passes.lowering.values import Splat, is_nothing, is_scalar, scalar_source, segments

_ITERATOR = re.compile(r"#linalg\.iterator_type<(\w+)>")
_BODY_DIALECTS = ("arith", "math", "index", "spyreop")
_BODY_CONTROL = ("scf.execute_region", "scf.for", "scf.if", "scf.index_switch", "scf.while")


@lowers("linalg.fill")
def _fill(selection: Selection, op: ir.Operation) -> None:
    scalar, init = op.operands
    result = tensor_result(selection, op)
    selection.bind(result, Splat(scalar_source(scalar), selection.open_sizes(init)))


@lowers("linalg.generic")
def _generic(selection: Selection, op: ir.Operation) -> None:
    tensor_result(selection, op)
    inputs, inits = segments(op)
    if any(is_nothing(value) for value in inputs):
        # Nothing is added to the inits.
        for result, init in zip(op.results, inits, strict=True):
            selection.bind(result, selection.tensor(init))
        return
    block = op.regions[0].blocks[0]
    captured = _captured(selection, op, block)
    splat = _splat_of(selection, op, block)
    if splat is not None:
        selection.bind(op.results[0], splat)
        return
    iterators = _iterators(selection, op)
    taken = _inputs(selection, op, block, iterators, captured)
    # An input that is a scalar has no map any more.
    output_maps = _maps(op)[len(inputs) :]
    if has_reads(block):
        taken.lengths, taken.extents = _lengths(selection, op, taken, output_maps)
        take_out_reads(selection, op, block, taken)
    outputs, accumulates = _outputs(selection, op, block)
    arguments = list(block.arguments)[len(inputs) :]
    taken.operands |= {argument: output_element(i) for i, argument in enumerate(arguments)}
    maps = taken.maps + output_maps
    require_lengths(selection, op, maps, [*taken.slots, *outputs])
    contracts = not taken.scalars.values and is_contraction(block, maps, iterators)
    selection.append(
        Compute(
            location=op.location,
            engine="matrix" if contracts else "vector",
            inputs=tuple(taken.slots),
            scalars=taken.scalars.values,
            outputs=outputs,
            maps=tuple(maps),
            iterators=iterators,
            body=copied(block, taken.operands),
            accumulates=accumulates,
            reusable=() if accumulates else _reusable(taken.slots, outputs, maps, iterators),
        )
    )
    for result, slot in zip(op.results, outputs, strict=True):
        selection.bind(result, slot)


def select_elementwise(selection: Selection, op: ir.Operation) -> None:
    """An `arith` or `math` op on tensors of one shape; a scalar operand is the same everywhere."""
    if not all(is_tensor(value) or is_scalar(value) for value in (*op.operands, *op.results)):
        raise selection.refusal(op, "only scalars and tensors have a lowering to sdf")
    tensors = [value for value in op.operands if is_tensor(value)]
    # The sizes of all are equal; a slot has room for them.
    held = [value for value in tensors if isinstance(selection.tensor(value), Slot)]
    of = (held or tensors)[0]
    outputs = tuple(started_slot(selection, op, result.type, of) for result in op.results)
    scalars, slots = Scalars(), list[Slot]()
    operands: list[Operand] = []
    for operand in op.operands:
        tensor = selection.tensor(operand) if is_tensor(operand) else Splat(scalar_source(operand))
        if isinstance(tensor, Splat):
            operands.append(scalars.use(tensor.scalar))
            continue
        slot = selection.slot(operand, op)
        if slot not in slots:
            slots.append(slot)
        operands.append(input_element(slots.index(slot)))
    rank = len(outputs[0].shape)
    maps = [identity_map(rank)] * (len(slots) + len(outputs))
    require_lengths(selection, op, maps, [*slots, *outputs])
    iterators = ("parallel",) * rank
    selection.append(
        Compute(
            location=op.location,
            engine="vector",
            inputs=tuple(slots),
            scalars=scalars.values,
            outputs=outputs,
            maps=tuple(maps),
            iterators=iterators,
            body=elementwise(op, operands, [slot.element for slot in outputs]),
            reusable=_reusable(slots, outputs, maps, iterators),
        )
    )
    for result, slot in zip(op.results, outputs, strict=True):
        selection.bind(result, slot)


@lowers("tensor.generate")
def _generate(selection: Selection, op: ir.Operation) -> None:
    sizes = selection.sizes_in_type(op.results[0].type, list(op.operands))
    output = selection.new_slot(op, op.results[0].type, sizes)
    fill_by_place(selection, op, output)
    selection.bind(op.results[0], output)


def fill_by_place(selection: Selection, op: ir.Operation, slot: Slot) -> None:
    """Appends what fills a slot with what the region of `op` yields for each place in it."""
    block = op.regions[0].blocks[0]
    scalars = Scalars()
    operands = {
        value: scalars.use(scalar_source(value)) for value in _captured(selection, op, block)
    }
    counters = list(block.arguments)
    inputs = BodyInputs(slot.shape, slot.extents, [], [], scalars, operands, counters)
    take_out_reads(selection, op, block, inputs)
    selection.append(
        for_each(
            op.location,
            slot,
            copied(block, inputs.operands, counters),
            inputs=inputs.slots,
            maps=inputs.maps,
            scalars=scalars.values,
        )
    )


def _inputs(
    selection: Selection,
    op: ir.Operation,
    block: ir.Block,
    iterators: Sequence[str],
    captured: Sequence[ir.Value],
) -> BodyInputs:
    """The inputs of a `linalg.generic`; what is the same everywhere is a scalar."""
    values, _ = segments(op)
    parallel = all(iterator == "parallel" for iterator in iterators)
    found = BodyInputs((), (), [], [], Scalars(), {})
    for value, argument, map_ in zip(values, block.arguments, _maps(op), strict=False):
        tensor = selection.tensor(value) if is_tensor(value) else Splat(scalar_source(value))
        if isinstance(tensor, Splat) and (parallel or not is_tensor(value)):
            found.operands[argument] = found.scalars.use(tensor.scalar)
            continue
        found.operands[argument] = input_element(len(found.slots))
        found.slots.append(selection.slot(value, op))
        found.maps.append(map_)
    found.operands |= {value: found.scalars.use(scalar_source(value)) for value in captured}
    return found


def _lengths(
    selection: Selection, op: ir.Operation, inputs: BodyInputs, output_maps: list[ir.AffineMap]
) -> tuple[tuple[int, ...], tuple[Index, ...]]:
    """The room that each loop needs, and the lengths where some are values."""
    maps = inputs.maps + output_maps
    results = [selection.sizes(init) for init in segments(op)[1]]
    sizes = loop_lengths(maps, [*(slot.sizes for slot in inputs.slots), *results])
    if sizes is None:
        raise selection.refusal(op, "its body extracts elements in a loop of unknown length")
    lengths = tuple(selection.bound(op, size) for size in sizes)
    return lengths, () if sizes == lengths else sizes


def require_lengths(
    selection: Selection, op: ir.Operation, maps: Sequence[ir.AffineMap], slots: Sequence[Slot]
) -> None:
    """Appends checks that all slots give each loop one length, as far as that is not known."""
    found: dict[int, Index] = {}
    for map_, slot in zip(maps, slots, strict=True):
        for expr, size in zip(map_.results, slot.sizes, strict=True):
            if isinstance(expr, ir.AffineDimExpr):
                first = found.setdefault(expr.position, size)
                require_equal(selection, op, first, size, f"the lengths of loop {expr.position}")


def _outputs(
    selection: Selection, op: ir.Operation, block: ir.Block
) -> tuple[tuple[Slot, ...], bool]:
    """The slots of the results, each started as its init if the body reads it; and whether it
    reads any."""
    inputs, inits = segments(op)
    slots = []
    reads_any = False
    for i, (init, result) in enumerate(zip(inits, op.results, strict=True)):
        slot = started_slot(selection, op, result.type, init)
        slots.append(slot)
        if next(iter(block.arguments[len(inputs) + i].uses), None) is None:
            continue
        reads_any = True
        start_as(selection, op, init, slot)
    return tuple(slots), reads_any


def started_slot(selection: Selection, op: ir.Operation, type_: ir.Type, init: ir.Value) -> Slot:
    """A new slot for a tensor of this type that has the sizes of `init`, and may start as it."""
    tensor = selection.tensor(init)
    if not (isinstance(tensor, Slot) and tensor.extents):
        return selection.new_slot(op, type_, selection.sizes(init))
    element = ir.RankedTensorType(type_).element_type
    slot = selection.new_slot(op, ir.RankedTensorType.get(tensor.shape, element))
    return dataclasses.replace(slot, extents=tensor.extents)


def start_as(selection: Selection, op: ir.Operation, init: ir.Value, slot: Slot) -> None:
    """Appends what makes `slot` start with the elements of the tensor `init`."""
    tensor = selection.tensor(init)
    if isinstance(tensor, Splat):
        selection.fill(slot, tensor.scalar, op)
    else:
        selection.append(Move(op.location, selection.slot(init, op), slot))


def _reusable(
    inputs: Sequence[Slot],
    outputs: Sequence[Slot],
    maps: Sequence[ir.AffineMap],
    iterators: Sequence[str],
) -> tuple[Slot, ...]:
    """Inputs that the one output may overwrite: read only where the same element is written."""
    if len(outputs) != 1 or "reduction" in iterators:
        return ()
    output, output_map = outputs[0], maps[-1]
    return tuple(
        slot
        for slot, map_ in zip(inputs, maps, strict=False)
        if map_ == output_map
        and slot.shape == output.shape
        and bool(slot.extents) == bool(output.extents)
        and slot.element == output.element
        and list(inputs).count(slot) == 1
    )


def _splat_of(selection: Selection, op: ir.Operation, block: ir.Block) -> Splat | None:
    """What the result holds everywhere, if the op only spreads one scalar."""
    inner = [inner.operation for inner in block]
    if len(op.results) != 1 or any(other.name != "arith.constant" for other in inner[:-1]):
        return None
    yielded = inner[-1].operands[0]
    values, (init,) = segments(op)
    extents = selection.open_sizes(init)
    for value, argument in zip(values, block.arguments, strict=False):
        if argument != yielded:
            continue
        tensor = selection.tensor(value) if is_tensor(value) else Splat(scalar_source(value))
        return Splat(tensor.scalar, extents) if isinstance(tensor, Splat) else None
    if yielded in list(block.arguments):
        return None
    return Splat(scalar_source(yielded), extents)


def _captured(selection: Selection, op: ir.Operation, block: ir.Block) -> list[ir.Value]:
    """The scalars that a body takes from outside. Raises UnsupportedError if the body does more
    than arithmetic on scalars."""
    *inner, last = (inner.operation for inner in block)
    captured: list[ir.Value] = []
    for body_op in inner:
        if body_op.name == "tensor.extract":
            captured += list(body_op.operands)[1:]
            continue
        _check_body_op(selection, op, body_op)
        captured += nested_operands(body_op)
    captured += last.operands
    captured = [value for value in captured if not _is_inside(value, block)]
    for value in captured:
        if not is_scalar(value):
            raise selection.refusal(op, f"its body uses a value of type {value.type} from outside")
    return list(dict.fromkeys(captured))


def _check_body_op(selection: Selection, op: ir.Operation, body_op: ir.Operation) -> None:
    """Raises UnsupportedError for what a compute body cannot hold."""
    name = body_op.name
    if name == "tensor.extract":
        raise selection.refusal(
            op,
            "its body extracts an element inside of control flow; extract it before, at an index "
            "that is legal everywhere",
        )
    is_control = name in _BODY_CONTROL
    if not is_control and (
        len(body_op.regions)
        or (name.split(".")[0] not in _BODY_DIALECTS and name != "linalg.index")
    ):
        raise selection.refusal(
            op,
            f"its body holds '{name}'; a compute body holds arithmetic on scalars and control flow "
            "of it",
        )
    for inner in ops_inside(body_op) if is_control else ():
        if inner.name not in ("scf.yield", "scf.condition"):
            _check_body_op(selection, op, inner)


def _is_inside(value: ir.Value, block: ir.Block) -> bool:
    """Whether a value is an argument or result of something in a block, at any depth."""
    owner = value.owner
    inner = owner if isinstance(owner, ir.Block) else owner.operation.block
    while inner != block:
        op = inner.owner.operation
        if op.name in ("func.func", "builtin.module"):
            return False
        inner = op.block
    return True


def tensor_result(selection: Selection, op: ir.Operation) -> ir.Value:
    """The first result. Raises UnsupportedError for an op on memrefs, which has none."""
    if len(op.results) == 0:
        raise selection.refusal(op, "ops on memrefs have no lowering to sdf; use tensors")
    return op.results[0]


def _iterators(selection: Selection, op: ir.Operation) -> tuple[str, ...]:
    names = []
    for attribute in ir.ArrayAttr(op.attributes["iterator_types"]):
        match = _ITERATOR.fullmatch(str(attribute))
        if match is None or match[1] not in ("parallel", "reduction"):
            raise selection.refusal(op, f"a loop is {attribute}; expected parallel or reduction")
        names.append(match[1])
    return tuple(names)


def _maps(op: ir.Operation) -> list[ir.AffineMap]:
    return [ir.AffineMapAttr(map_).value for map_ in ir.ArrayAttr(op.attributes["indexing_maps"])]
