"""How the normalisation passes make ops: typed helpers around the bindings.

Owns the copying of bodies of generics, and the making of views, start values and scalars. New
generics are made by `ktir.passes.structured`. Everything is made at the current insertion point;
locations are given, as new ops shall keep those of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ktir.mlir import ir
from ktir.mlir.dialects import tensor
from ktir.passes.ir_utils import AnyOp, clone_into, element_type, shape_of
from ktir.passes.normalization.generics import Generic, generic
from ktir.passes.structured import Access, build, empty, finish


def copy_body(
    source: ir.Block, target: ir.Block, mapping: dict[ir.Value, ir.Value]
) -> list[ir.Value]:
    """Clones the ops of `source` but its yield into `target`; returns what is yielded there.

    `mapping` says what stands for values of `source`; it is extended with the clones. Other values
    are used as they are.
    """
    *ops, last = list(source.operations)
    with ir.InsertionPoint(target):
        for op in ops:
            clone_into(op, mapping)
    return [mapping.get(value, value) for value in last.operands]


def clone_generic(
    view: Generic,
    inputs: Sequence[ir.Value],
    inits: Sequence[ir.Value],
    accesses: Sequence[Access],
    iterators: Sequence[str],
    arguments: Mapping[int, int] | None = None,
) -> ir.Operation:
    """A generic with the body of `view` and other operands, maps and loops.

    `arguments` says which new block argument stands for which old one; by default they correspond.
    """
    location = view.op.location
    op, block = build(inputs, inits, accesses, iterators, location)
    old, new = list(view.body.arguments), list(block.arguments)
    pairs = {number: number for number in range(len(old))} if arguments is None else arguments
    mapping = {old[before]: new[after] for before, after in pairs.items()}
    finish(block, copy_body(view.body, block, mapping), location)
    return op


def replace(old: AnyOp, new: ir.Operation) -> None:
    """Lets the results of `new` stand for those of `old`, and erases it."""
    for before, after in zip(old.results, new.results, strict=True):
        before.replace_all_uses_with(after)
    old.operation.erase()


def read_instead(
    view: Generic, extraction: AnyOp, source: ir.Value, access: Access
) -> Generic | None:
    """Replaces `view` by a generic that reads `source` along `access` in place of a body op.

    Returns the view of the new generic.
    """
    added = len(view.inputs)
    accesses = [*view.input_accesses, access, *view.init_accesses]
    arguments = {old: old + (old >= added) for old in range(len(view.body.arguments))}
    with ir.InsertionPoint(view.op):
        op, block = build(
            [*view.inputs, source], view.inits, accesses, view.iterators, view.op.location
        )
    extraction.results[0].replace_all_uses_with(block.arguments[added])
    extraction.operation.erase()
    mapping = {view.body.arguments[old]: block.arguments[new] for old, new in arguments.items()}
    finish(block, copy_body(view.body, block, mapping), view.op.location)
    replace(view.op, op)
    return generic(op)


def scalar(
    name: str,
    kind: ir.Type,
    operands: Sequence[ir.Value],
    location: ir.Location,
    attributes: Mapping[str, ir.Attribute] | None = None,
) -> ir.Value:
    """The result of a new op of one result."""
    return ir.Operation.create(
        name, [kind], list(operands), dict(attributes or {}), loc=location
    ).result


def constant(value: ir.Attribute, kind: ir.Type, location: ir.Location) -> ir.Value:
    """A constant of type `kind`."""
    return scalar("arith.constant", kind, [], location, {"value": value})


def index_constant(value: int, location: ir.Location) -> ir.Value:
    """A constant of type `index`."""
    kind = ir.IndexType.get()
    return constant(ir.IntegerAttr.get(kind, value), kind, location)


def fill(value: ir.Value, extents: Sequence[int], location: ir.Location) -> ir.Value:
    """A new tensor of `extents` that holds `value` everywhere."""
    init = empty(extents, value.type, location)
    op = ir.Operation.create(
        "linalg.fill",
        [init.type],
        [value, init],
        {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1])},
        regions=1,
        loc=location,
    )
    block = op.regions[0].blocks.append(value.type, value.type, arg_locs=[location] * 2)
    finish(block, [block.arguments[0]], location)
    return op.result


def pointwise(value: ir.Value, kind: ir.Type, name: str, location: ir.Location) -> ir.Value:
    """A tensor of `kind` made by the op `name` from each element of `value`."""
    identity = tuple(range(len(shape_of(value))))
    init = empty(shape_of(value), kind, location)
    op, block = build([value], [init], [identity] * 2, ["parallel"] * len(identity), location)
    with ir.InsertionPoint(block):
        made = scalar(name, kind, [block.arguments[0]], location)
    finish(block, [made], location)
    return op.result


def expand(value: ir.Value, groups: list[list[int]], extents: Sequence[int]) -> ir.Value:
    """`value` with its dimensions split into those of `extents`, at the current location."""
    kind = ir.RankedTensorType.get(list(extents), element_type(value))
    result: ir.Value = tensor.expand_shape(kind, value, groups, [], list(extents))
    return result


def collapse(value: ir.Value, groups: list[list[int]], extents: Sequence[int]) -> ir.Value:
    """`value` with its dimensions merged into those of `extents`, at the current location."""
    kind = ir.RankedTensorType.get(list(extents), element_type(value))
    result: ir.Value = tensor.collapse_shape(kind, value, groups)
    return result


def groups_without(rank: int, dropped: list[int]) -> list[list[int]]:
    """Reassociation that merges each dropped dimension into a neighbour that is kept; [] for rank
    0.
    """
    groups: list[list[int]] = []
    pending: list[int] = []
    for dim in range(rank):
        if dim in dropped:
            (groups[-1] if groups else pending).append(dim)
        else:
            groups.append([*pending, dim])
            pending = []
    return groups


def extract(
    value: ir.Value, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> ir.Value:
    """A static slice of `value`, at the current location."""
    kind = ir.RankedTensorType.get(list(sizes), element_type(value))
    bounds = (list(offsets), list(sizes), list(strides))
    result: ir.Value = tensor.extract_slice(kind, value, [], [], [], *bounds)
    return result


def insert(piece: ir.Value, whole: ir.Value, offsets: Sequence[int]) -> ir.Value:
    """`whole` with `piece` written at static `offsets`, at the current location."""
    sizes = list(shape_of(piece))
    bounds = (list(offsets), sizes, [1] * len(sizes))
    result: ir.Value = tensor.insert_slice(piece, whole, [], [], [], *bounds)
    return result
