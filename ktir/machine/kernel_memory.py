"""`memref` ops inside kernels: views of views, single elements, constants of the module, and memory
of a core's own scratchpad.

Owns their decoding at level `ktir`. A memref is a `View` here; those of host functions are in
`host_memory`. Memory that a kernel allocates lies at the end of the scratchpad, where addresses of
the program are least likely to be.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import BoundsError, MachineError, UnsupportedError
from ktir.machine import tiles
from ktir.machine.access import CONSTANTS, Access, Space
from ktir.machine.block import Step
from ktir.machine.constants import constant_tensor
from ktir.machine.coresets import CoreSet, Limits, PartSet
from ktir.machine.decode import Scope, handler, scalar_type
from ktir.machine.frame import Frame
from ktir.machine.kernel_state import KernelScope
from ktir.machine.numerics import dtype_of
from ktir.machine.patterns import combine
from ktir.machine.percore import PerCore, all_uniform, apply, per_core, pick
from ktir.machine.sets import IntegerSet, decode_set
from ktir.machine.slices import Mixed, dropped_dims, segments, static_ints
from ktir.machine.views import DistributedView, Grid, GridTile, View
from ktir.memory_spaces import ALLOCATES_IN, holds_allocations
from ktir.mlir import ir


def kernel_scope(op: Any, scope: Scope) -> KernelScope:
    """The scope of a kernel. Raises UnsupportedError for any other."""
    if not isinstance(scope, KernelScope):
        raise UnsupportedError(f"{op.operation.name} outside a kernel")
    return scope


def box_set(rank: int, context: ir.Context) -> IntegerSet:
    """The coordinates d0, d1, .. with s0 <= d0 < s1, s2 <= d1 < s3, .."""
    dims = ", ".join(f"d{i}" for i in range(rank))
    symbols = ", ".join(f"s{i}" for i in range(2 * rank))
    bounds = [f"d{i} - s{2 * i} >= 0, -d{i} + s{2 * i + 1} - 1 >= 0" for i in range(rank)]
    text = ", ".join(bounds) or "0 == 0"
    found = f"affine_set<({dims})[{symbols}] : ({text})>" if rank else f"affine_set<() : ({text})>"
    return decode_set(ir.Attribute.parse(found, context))


def _boxed(box: IntegerSet, limits: Sequence[tuple[PerCore, PerCore]]) -> CoreSet:
    return CoreSet(box, [end for pair in limits for end in pair])


@handler("memref.memory_space_cast", "memref.assume_alignment")
def decode_same(op: Any, scope: Scope) -> None:
    """The same memref, with another type or a promise."""
    scope.alias(op.results[0], scope.slot(op.operands[0]))


@handler("memref.dealloc", "memref.prefetch")
def decode_nothing(op: Any, scope: Scope) -> None:
    """Nothing: what a kernel allocates lasts as long as its launch, and a hint changes nothing."""


def decode_subview(op: Any, scope: Scope) -> Step:
    """A rectangular part of a view."""
    (source,), *groups = segments(op)
    names = ("static_offsets", "static_sizes", "static_strides")
    offsets, sizes, strides = (
        Mixed(static_ints(op, name), scope.slots(group))
        for name, group in zip(names, groups, strict=True)
    )
    shape = list(op.results[0].type.shape)
    dropped = dropped_dims(static_ints(op, "static_sizes"), shape)
    box = box_set(len(shape), op.context)
    base = scope.slot(source)
    result = scope.define(op.results[0])

    def subview(frame: Frame) -> None:
        view = view_of(frame[base], "a part")
        start, lengths = offsets.per_core(frame), sizes.per_core(frame)
        steps = strides.per_core(frame)
        _check_part(view, start, lengths, steps)
        kept = [dim for dim in range(len(start)) if dim not in dropped]
        valid: CoreSet
        if view.stated is None:
            valid = PartSet(view.valid, start, steps, lengths, kept)
        else:
            limits = _part_limits(view.stated, start, lengths, steps)
            valid = _boxed(box, _without(limits, kept))
        backed = None
        if view.open_dims:
            backed = tuple(_without(_part_limits(view.elements, start, lengths, steps), kept))
        frame[result] = View(
            f"a part of {view.name}",
            view.dtype,
            view.space,
            combine(view.address, start, view.strides),
            tuple(lengths[dim] for dim in kept),
            tuple(apply(operator.mul, view.strides[dim], steps[dim]) for dim in kept),
            # The view may end anywhere; what is beyond the part is not of it.
            tuple(False for _ in kept),
            valid,
            backed,
        )

    return subview


def view_of(value: Any, what: str) -> View:
    """A view of one memory, of which an op makes `what`. Raises UnsupportedError."""
    if not isinstance(value, View):
        raise UnsupportedError(f"{what} of a distributed view; take parts of its parts")
    return value


def _check_part(
    view: View, start: Sequence[PerCore], sizes: Sequence[PerCore], steps: Sequence[PerCore]
) -> None:
    """Raises BoundsError for a part that leaves a view whose size is known."""
    for dim, (offset, size, step) in enumerate(zip(start, sizes, steps, strict=True)):
        if view.dynamic[dim]:
            continue
        last = apply(lambda o, n, s: o + (n - 1) * s if n else 0, offset, size, step)
        ends = apply(lambda end, extent: end < extent, last, view.sizes[dim])
        if min(offset) < 0 or not all(ends):
            raise BoundsError(
                f"a part of {view.name} from {list(offset)} on, of size {list(size)} and stride "
                f"{list(step)}, leaves its dimension {dim} of size {list(view.sizes[dim])}"
            )


def _part_limits(
    whole: Limits, start: Sequence[PerCore], sizes: Sequence[PerCore], steps: Sequence[PerCore]
) -> list[tuple[PerCore, PerCore]]:
    """The valid coordinates of a part, from those of its view."""
    found: list[tuple[PerCore, PerCore]] = []
    for (low, high), offset, size, step in zip(whole, start, sizes, steps, strict=True):
        first = apply(lambda a, o, s: max(-((o - a) // s), 0), low, offset, step)
        last = apply(lambda b, o, s, n: min(-((o - b) // s), n), high, offset, step, size)
        found.append((first, last))
    return found


def _without(
    limits: Sequence[tuple[PerCore, PerCore]], kept: Sequence[int]
) -> list[tuple[PerCore, PerCore]]:
    """The limits of the dimensions that a part keeps: none has any coordinate on a core where one
    that it drops, and that has one coordinate, has none."""
    found = [limits[dim] for dim in kept]
    for dim, (low, high) in enumerate(limits):
        if dim not in kept and found:
            first, end = found[0]
            found[0] = (first, apply(lambda e, a, b: e if a < b else 0, end, low, high))
    return found


def _memory(value: ir.Value) -> ir.Value:
    """The view that a view of a view is made of."""
    owner = value.owner
    while not isinstance(owner, ir.Block) and owner.operation.name.startswith("memref."):
        if not len(owner.operands):
            break
        value = owner.operands[0]
        owner = value.owner
    return value


def decode_reinterpret(op: Any, scope: Scope) -> Step:
    """Another shape, strides and offset of the same memory, counted from its start; all of it is
    valid."""
    _, offsets, sizes, strides = segments(op)
    offset = Mixed(static_ints(op, "static_offsets"), scope.slots(offsets))
    shape = Mixed(static_ints(op, "static_sizes"), scope.slots(sizes))
    steps = Mixed(static_ints(op, "static_strides"), scope.slots(strides))
    box = box_set(len(op.results[0].type.shape), op.context)
    base = scope.slot(_memory(op.operands[0]))
    result = scope.define(op.results[0])

    def cast(frame: Frame) -> None:
        view = view_of(frame[base], "another shape")
        lengths = shape.per_core(frame)
        frame[result] = View(
            f"another shape of {view.name}",
            view.dtype,
            view.space,
            apply(operator.add, view.address, offset.per_core(frame)[0]),
            tuple(lengths),
            tuple(steps.per_core(frame)),
            tuple(False for _ in lengths),
            _boxed(box, [([0], size) for size in lengths]),
        )

    return cast


def _static_view(
    op: Any, scope: KernelScope, name: str, space: Space, address: int, strides: Sequence[int]
) -> None:
    """Defines the op's result as a view whose numbers are known."""
    mlir_type = op.results[0].type
    shape = list(mlir_type.shape)
    dtype = dtype_of(scalar_type(mlir_type))
    box = box_set(len(shape), op.context)
    view = View(
        name,
        dtype,
        space,
        [address],
        tuple([size] for size in shape),
        tuple([stride] for stride in strides),
        tuple(False for _ in shape),
        _boxed(box, [([0], [size]) for size in shape]),
    )
    scope.define(op.results[0], view)


@handler("memref.alloca")
def decode_alloc(op: Any, scope: Scope) -> Step | None:
    """Memory of each core's own scratchpad, not written yet."""
    kernel = kernel_scope(op, scope)
    mlir_type = op.results[0].type
    if not mlir_type.has_static_shape:
        raise UnsupportedError(f"memory of {mlir_type}, whose size is known at run time only")
    if not holds_allocations(mlir_type.memory_space):
        raise UnsupportedError(f"memory in {mlir_type.memory_space}; {ALLOCATES_IN}")
    strides, offset = mlir_type.get_strides_and_offset()
    dtype, shape = dtype_of(scalar_type(mlir_type)), list(mlir_type.shape)
    last = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    unit = kernel.target.scratchpad.alignment_bytes
    count = 1 if 0 in shape else offset + last + 1
    kernel.allocated_bytes += -(-count * dtype.itemsize // unit) * unit
    start = kernel.target.scratchpad.bytes - kernel.allocated_bytes
    if start < 0:
        raise MachineError(
            f"the kernel allocates {kernel.allocated_bytes} bytes; a scratchpad has "
            f"{kernel.target.scratchpad.bytes}"
        )
    kernel.has_local_views = True
    address = start // dtype.itemsize + offset
    _static_view(op, kernel, "allocated memory", Space(local=True), address, strides)
    return None


@handler("memref.get_global")
def decode_get_global(op: Any, scope: Scope) -> None:
    """A constant of the module."""
    kernel = kernel_scope(op, scope)
    symbol = ir.FlatSymbolRefAttr(op.attributes["name"]).value
    source = _global(op.operation, symbol)
    if "constant" not in source.attributes or "initial_value" not in source.attributes:
        raise UnsupportedError(f"@{symbol} is no constant; kernels have no other globals")
    value = constant_tensor(source.attributes["initial_value"], _tensor_type(source))[0]
    address = kernel.add_constant(symbol, value.contiguous())
    strides = [math.prod(value.shape[dim + 1 :]) for dim in range(value.dim())]
    _static_view(op, kernel, f"@{symbol}", CONSTANTS, address // value.itemsize, strides)


def _tensor_type(source: ir.Operation) -> ir.Type:
    memref = ir.MemRefType(ir.TypeAttr(source.attributes["type"]).value)
    with source.location:
        return ir.RankedTensorType.get(memref.shape, memref.element_type)


def _global(op: Any, symbol: str) -> ir.Operation:
    """The global of this name in a module around the op."""
    around = op.parent
    while around is not None:
        if around.name == "builtin.module":
            for inner in around.regions[0].blocks[0].operations:
                named: ir.Operation = inner.operation
                if named.name == "memref.global" and (
                    ir.StringAttr(named.attributes["sym_name"]).value == symbol
                ):
                    return named
        around = around.parent
    raise UnsupportedError(f"there is no memref.global @{symbol}")


@handler("memref.load")
def decode_load(op: Any, scope: Scope) -> Step:
    """One element of a view as a scalar."""
    view, indices = scope.slot(op.memref), scope.slots(list(op.indices))
    result = scope.define(op.results[0])

    def load(frame: Frame) -> None:
        tile = _element(frame[view], frame, indices)
        frame[result] = tiles.load(tile, Access(frame, "reads", tile.view.name, tile.point))

    return load


@handler("memref.store")
def decode_store(op: Any, scope: Scope) -> Step:
    """A scalar to one element of a view."""
    value, view = scope.slot(op.value), scope.slot(op.memref)
    indices = scope.slots(list(op.indices))

    def store(frame: Frame) -> None:
        tile = _element(frame[view], frame, indices)
        access = Access(frame, "writes", tile.view.name, tile.point)
        tiles.store(tile, frame[value], access)

    return store


def _element(view: View | DistributedView, frame: Frame, indices: Sequence[int]) -> GridTile:
    """The tile of one element of each core."""
    start = [per_core(frame[slot]) for slot in indices]
    grid = Grid([(dim, 1, 1) for dim in range(len(start))])
    return GridTile(view, start, grid, ())


@handler("memref.dim")
def decode_dim(op: Any, scope: Scope) -> Step:
    """The size of one dimension of a view."""
    view, which = scope.slots(list(op.operands))
    result = scope.define(op.results[0])

    def dim(frame: Frame) -> None:
        sizes = view_of(frame[view], "a size").sizes
        places = per_core(frame[which])
        if not all(0 <= place < len(sizes) for place in places):
            raise BoundsError(f"dimension {max(places)} of a view of {len(sizes)} dimensions")
        cores = max(len(places), *(len(size) for size in sizes))
        found = [pick(sizes[pick(places, core)], core) for core in range(cores)]
        frame[result] = torch.tensor(found)

    return dim


@handler("memref.rank")
def decode_rank(op: Any, scope: Scope) -> None:
    """The number of dimensions."""
    scope.constant(op.results[0], torch.tensor([len(op.operands[0].type.shape)]))


def decode_copy(op: Any, scope: Scope) -> Step:
    """All elements of one view to another of the same sizes."""
    source, target = scope.slot(op.source), scope.slot(op.target)

    def copy(frame: Frame) -> None:
        here, there = view_of(frame[source], "a copy"), view_of(frame[target], "a copy")
        from_, to = _whole(here), _whole(there)
        if from_.shape != to.shape:
            raise MachineError(f"{here.name} of {from_.shape} is copied to one of {to.shape}")
        data: Tensor = tiles.load(from_, Access(frame, "reads", here.name, from_.point))
        tiles.store(to, data, Access(frame, "writes", there.name, to.point))

    return copy


@handler("bufferization.to_tensor")
def decode_to_tensor(op: Any, scope: Scope) -> Step:
    """All elements of a view as a tensor."""
    source, result = scope.slot(op.operands[0]), scope.define(op.results[0])
    kernel_scope(op, scope)

    def load(frame: Frame) -> None:
        whole = _whole(view_of(frame[source], "a tensor"))
        frame[result] = tiles.load(whole, Access(frame, "reads", whole.view.name, whole.point))

    return load


@handler("bufferization.materialize_in_destination")
def decode_materialize(op: Any, scope: Scope) -> Step:
    """All elements of a tensor to a view of the same sizes."""
    if len(op.results):
        raise UnsupportedError("a tensor as the destination of a tensor; name a view of memory")
    data, target = scope.slots(list(op.operands))
    kernel_scope(op, scope)

    def store(frame: Frame) -> None:
        whole = _whole(view_of(frame[target], "a tensor"))
        value = frame[data]
        if tuple(value.shape[1:]) != whole.shape:
            raise MachineError(
                f"a tensor of {list(value.shape[1:])} is stored to {whole.view.name}, which has "
                f"{list(whole.shape)}"
            )
        tiles.store(whole, value, Access(frame, "writes", whole.view.name, whole.point))

    return store


def _whole(view: View) -> GridTile:
    sizes = all_uniform(view.sizes)
    grid = Grid([(dim, 1, size) for dim, size in enumerate(sizes)])
    return GridTile(view, [[0] for _ in sizes], grid, sizes)
