"""Recognises gathers whose indices are coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.mlir.dialects import linalg, tensor
from ktir.passes.base import ModulePass, register
from ktir.passes.normalization.fold_unit_dims import reassociation
from ktir.passes.normalization.generics import (
    VIEW_OPS,
    Access,
    Generic,
    build,
    copy_body,
    defining,
    generic,
    is_elementwise,
    operations,
    shape,
)


@dataclass(frozen=True)
class Coordinate:
    """An integer known to be `loop + offset`, or `offset` where loop is None; the loop counts to `extent` - 1."""

    loop: int | None
    offset: int
    extent: int = 1

    @property
    def last(self) -> int:
        return self.offset + self.extent - 1


@register
@dataclass(frozen=True)
class FoldAffineGathers(ModulePass):
    """Read a tensor by an indexing map where a gather's indices are coordinates in disguise.

    Requires: unit dimensions folded into maps. Attention masks come as gathers whose index tensors count rows and columns,
    wrapped for negative values. Where every index of a `tensor.extract` is a loop plus a constant, through index casts, wrapping
    selects and the generics that made the index tensors, the extract becomes an operand (of a slice, where the loops read a part).
    Ensures: only gathers that depend on data are left. An index out of bounds stays a gather, for the machine to report.

        linalg.generic ins(%rows) { %i = arith.index_cast %in; %v = tensor.extract %t[%i]; linalg.yield %v }
        with %rows = linalg.generic { linalg.index 0 .. }
    becomes
        linalg.generic ins(%rows, %t) { linalg.yield %in_0 }
    """

    NAME: ClassVar[str] = "ktir-fold-affine-gathers"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for op in operations(module):
                view = generic(op)
                while view is not None:
                    view = _fold_one(view)


def _fold_one(view: Generic) -> Generic | None:
    """Turns the first extract with affine indices into an operand; returns the new generic, or None if there is none."""
    for op in view.body.operations:
        if op.operation.name == "tensor.extract":
            indices = [coordinate(index, view) for index in op.operands[1:]]
            if all(index is not None for index in indices) and _in_bounds(indices, shape(op.operands[0])):
                return _replace(view, op, indices)
    return None


def _in_bounds(indices: list[Coordinate], extents: tuple[int, ...]) -> bool:
    loops = [index.loop for index in indices if index.loop is not None]
    inside = all(index.offset >= 0 and index.last < extent for index, extent in zip(indices, extents, strict=True))
    return inside and len(loops) == len(set(loops))


def _replace(view: Generic, extract: ir.OpView, indices: list[Coordinate]) -> Generic:
    access: Access = tuple(index.loop for index in indices)
    with ir.InsertionPoint(view.op), view.op.location:
        source = _slice(extract.operands[0], indices)
        accesses = [*view.input_accesses, access, *view.init_accesses]
        op, block = build([*view.inputs, source], view.inits, accesses, view.iterators, view.op.location)
        added = len(view.inputs)
        arguments = [*block.arguments[:added], *block.arguments[added + 1 :]]
        mapping = dict(zip(view.body.arguments, arguments, strict=True))
        extract.results[0].replace_all_uses_with(block.arguments[added])
        extract.operation.erase()
        yielded = copy_body(view.body, block, mapping)
        with ir.InsertionPoint(block):
            linalg.YieldOp(yielded)
    for old, new in zip(view.op.results, op.results, strict=True):
        old.replace_all_uses_with(new)
    view.op.operation.erase()
    return generic(op)


def _slice(source: ir.Value, indices: list[Coordinate]) -> ir.Value:
    sizes = [index.extent for index in indices]
    if tuple(sizes) == shape(source):
        return source
    kind = ir.RankedTensorType.get(sizes, source.type.element_type)
    offsets = [index.offset for index in indices]
    return tensor.extract_slice(kind, source, [], [], [], offsets, sizes, [1] * len(sizes))


def coordinate(value: ir.Value, view: Generic) -> Coordinate | None:
    """What is known of an integer in the body of `view`, in terms of its loops."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return _of_operand(value, view)
    if owner.name == "arith.constant":
        return Coordinate(None, ir.IntegerAttr(owner.attributes["value"]).value)
    if owner.name == "linalg.index":
        loop = ir.IntegerAttr(owner.attributes["dim"]).value
        return Coordinate(loop, 0, view.extents()[loop])
    if owner.name in ("arith.index_cast", "arith.extsi"):
        return coordinate(owner.operands[0], view)
    if owner.name == "arith.addi":
        return _sum(*(coordinate(operand, view) for operand in owner.operands))
    if owner.name == "arith.select":
        return _selected(owner, view)
    return None


def _sum(first: Coordinate | None, second: Coordinate | None) -> Coordinate | None:
    if first is None or second is None or (first.loop is not None and second.loop is not None):
        return None
    loop, extent = (first.loop, first.extent) if first.loop is not None else (second.loop, second.extent)
    return Coordinate(loop, first.offset + second.offset, extent)


def _selected(select: ir.Operation, view: Generic) -> Coordinate | None:
    """Resolves `index < 0 ? index + n : index` for an index whose sign is known."""
    condition = select.operands[0].owner
    if isinstance(condition, ir.Block) or condition.name != "arith.cmpi":
        return None
    left, right = (coordinate(operand, view) for operand in condition.operands)
    signed_less = ir.IntegerAttr(condition.attributes["predicate"]).value == 2
    if left is None or right is None or right.loop is not None or not signed_less:
        return None
    if left.offset >= right.offset:
        return coordinate(select.operands[2], view)
    if left.last < right.offset:
        return coordinate(select.operands[1], view)
    return None


def _of_operand(argument: ir.Value, view: Generic) -> Coordinate | None:
    if argument.owner != view.body:
        return None
    number = list(view.body.arguments).index(argument)
    if number >= len(view.inputs):
        return None
    return _through(of_tensor(view.inputs[number]), view.accesses[number], shape(view.inputs[number]))


def _through(known: Coordinate | None, access: Access, extents: tuple[int, ...]) -> Coordinate | None:
    """From the dimensions of a tensor to the loops that read it."""
    if known is None or known.loop is None:
        return known
    return Coordinate(access[known.loop], known.offset, extents[known.loop])


def of_tensor(value: ir.Value) -> Coordinate | None:
    """What is known of every element of an integer tensor; the loop is then a dimension of the tensor."""
    op = defining(value)
    if op is None:
        return None
    if op.operation.name == "linalg.fill":
        start = defining(op.operands[0])
        known = start is not None and start.operation.name == "arith.constant"
        return Coordinate(None, ir.IntegerAttr(start.attributes["value"]).value) if known else None
    if op.operation.name in VIEW_OPS:
        return _of_reshape(op)
    view = generic(op)
    if view is None or not is_elementwise(view):
        return None
    number = list(op.results).index(value)
    made = coordinate(view.yielded[number], view)
    if made is None or made.loop is None:
        return made
    access = view.init_accesses[number]
    return Coordinate(access.index(made.loop), made.offset, made.extent) if made.loop in access else None


def _of_reshape(reshape: ir.OpView) -> Coordinate | None:
    """Through reshapes that add or drop extents of 1."""
    known = of_tensor(reshape.operands[0])
    if known is None or known.loop is None:
        return known
    groups = reassociation(reshape)
    if reshape.operation.name == "tensor.collapse_shape":
        number = next(number for number, group in enumerate(groups) if known.loop in group)
        same = shape(reshape.results[0])[number] == known.extent
        return Coordinate(number, known.offset, known.extent) if same else None
    extents = shape(reshape.results[0])
    dim = next((dim for dim in groups[known.loop] if extents[dim] == known.extent), None)
    return None if dim is None else Coordinate(dim, known.offset, known.extent)
