"""`memref` ops of host functions: buffers in device memory, tensors in host memory, and copies
between them.

Owns what a memref is while a host function runs; ops of the same names in kernels are those of
`kernel_memory`. Which functions are host functions, and launches, are up to `host`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ktir.errors import BoundsError, MachineError, UnsupportedError
from ktir.layout import STICK_BYTES, round_up
from ktir.machine import kernel_memory
from ktir.machine.block import Step
from ktir.machine.decode import Callees, Scope, handler, scalar_type
from ktir.machine.footprint import TileBytes
from ktir.machine.frame import Frame, Run
from ktir.machine.kernel_state import KernelScope
from ktir.machine.memory import DeviceMemory
from ktir.machine.numerics import dtype_of
from ktir.machine.patterns import Offsets
from ktir.machine.profile import KernelProfile
from ktir.machine.shadow import Shadow
from ktir.machine.slices import Mixed, segments, static_ints
from ktir.mlir import ir


@dataclass(frozen=True)
class DeviceBuffer:
    """Where a `memref.alloc` with an address lies in device memory; address and size in bytes."""

    name: str
    address: int
    size: int


@dataclass(frozen=True)
class DeviceView:
    """A memref in device memory: the buffer, and where element 0 is and how the others follow, in
    elements.
    """

    buffer: DeviceBuffer
    dtype: torch.dtype
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def tensor(self, memory: DeviceMemory, writes: bool) -> Tensor:
        """The elements in place, for the host to read or write."""
        allocation = memory.region_of(self.buffer.address, self.buffer.address + self.buffer.size)
        assert allocation is not None, "every buffer has a region"
        allocation.touch(writes)
        start = self.buffer.address + self.offset * self.dtype.itemsize
        if memory.shadow is not None:
            self._note(memory.shadow, start, writes)
        return memory.view(start, self.shape, self.strides, self.dtype)

    def _note(self, shadow: Shadow, start: int, writes: bool) -> None:
        """Tells the memory's history; raises MachineError if the host reads what nobody wrote."""
        item = self.dtype.itemsize
        bytes_ = TileBytes.of(Offsets([start // item]), self.shape, self.strides, item)
        if writes:
            shadow.give(bytes_)
            return
        point = shadow.unwritten(bytes_)
        if point is not None:
            raise MachineError(
                f"the host reads element {point} of '{self.buffer.name}' of shape "
                f"{list(self.shape)}, which nobody has written"
            )


class HostScope(Scope):
    """The slots of a host function and its device buffers.

    `capacity`: bytes of device memory. `uploads`: the buffer that an argument, by position, goes to
    and nowhere else.
    """

    def __init__(self, callees: Callees, capacity: int) -> None:
        super().__init__(callees)
        self.capacity = capacity
        self.buffers: list[DeviceBuffer] = []
        self.views: dict[ir.Value[Any], DeviceView] = {}
        self.uploads: dict[int, DeviceView] = {}


class HostRun(Run):
    """One call of a host function. `resident` are positions of arguments that are in device memory
    already.
    """

    def __init__(self, memory: DeviceMemory, resident: frozenset[int], values: bool) -> None:
        super().__init__()
        self.memory = memory
        self.resident = resident
        self.values = values
        self.kernels: list[KernelProfile] = []


def _host_scope(scope: Scope) -> HostScope:
    if not isinstance(scope, HostScope):
        raise UnsupportedError("memrefs of device and host memory exist in host functions only")
    return scope


def _run(frame: Frame) -> HostRun:
    assert isinstance(frame.run, HostRun)
    return frame.run


def static_shape(mlir_type: ir.MemRefType) -> tuple[int, ...]:
    """The shape of a memref. Raises UnsupportedError if a size is not static."""
    if not mlir_type.has_static_shape:
        raise UnsupportedError(f"{mlir_type} has sizes that are known at run time only")
    return tuple(mlir_type.shape)


def _integer(op: Any, name: str) -> int | None:
    return ir.IntegerAttr(op.attributes[name]).value if name in op.attributes else None


@handler("memref.alloc")
def decode_alloc(op: Any, scope: Scope) -> Step | None:
    """A buffer in device memory if it has an `address`, else a tensor in host memory."""
    if isinstance(scope, KernelScope):
        return kernel_memory.decode_alloc(op, scope)
    host = _host_scope(scope)
    mlir_type = op.results[0].type
    shape, dtype = static_shape(mlir_type), dtype_of(scalar_type(mlir_type))
    address = _integer(op, "address")
    if address is None:
        result = host.define(op.results[0])

        def allocate(frame: Frame) -> None:
            frame[result] = torch.empty(shape, dtype=dtype)

        return allocate
    view = _device_view(op, host, address, shape, dtype)
    host.define(op.results[0], view)
    host.views[op.results[0]] = view
    return None


def _device_view(
    op: Any, host: HostScope, address: int, shape: tuple[int, ...], dtype: torch.dtype
) -> DeviceView:
    strides, offset = op.results[0].type.get_strides_and_offset()
    name = f"at {address}"
    if "name" in op.attributes:
        name = ir.StringAttr(op.attributes["name"]).value
    size = _integer(op, "bytes") or _rows_bytes(shape, strides, dtype)
    if address % STICK_BYTES:
        raise BoundsError(f"buffer '{name}' is at byte {address}, no multiple of {STICK_BYTES}")
    if address < 0 or address + size > host.capacity:
        raise BoundsError(
            f"buffer '{name}' at bytes {address} to {address + size - 1} is outside device memory "
            f"of {host.capacity} bytes"
        )
    buffer = DeviceBuffer(name, address, size)
    for other in host.buffers:
        if address < other.address + other.size and other.address < address + size:
            raise BoundsError(
                f"buffer '{name}' at bytes {address} to {address + size - 1} overlaps "
                f"'{other.name}' at bytes {other.address} to {other.address + other.size - 1}"
            )
    host.buffers.append(buffer)
    return DeviceView(buffer, dtype, offset, shape, tuple(strides))


def _rows_bytes(shape: Sequence[int], strides: Sequence[int], dtype: torch.dtype) -> int:
    """Bytes from the first element to the end of the last row, which is padded like the others."""
    if 0 in shape:
        return STICK_BYTES
    last = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    return round_up((last + 1) * dtype.itemsize, STICK_BYTES)


@handler("memref.copy")
def decode_copy(op: Any, scope: Scope) -> Step:
    """Elements from one memref to another. An argument that goes to one buffer only may stay."""
    if isinstance(scope, KernelScope):
        return kernel_memory.decode_copy(op, scope)
    host = _host_scope(scope)
    source, target = scope.slot(op.source), scope.slot(op.target)
    argument = op.source if isinstance(op.source, ir.BlockArgument) else None
    alone = argument is not None and len(list(argument.uses)) == 1
    position = argument.arg_number if argument is not None and alone else -1
    if position >= 0 and op.target in host.views:
        host.uploads[position] = host.views[op.target]

    def copy(frame: Frame) -> None:
        run = _run(frame)
        if not run.values or position in run.resident:
            return
        data = _tensor(frame[source], run, writes=False)
        _tensor(frame[target], run, writes=True).copy_(data)

    return copy


def _tensor(value: Tensor | DeviceView, run: HostRun, writes: bool) -> Tensor:
    return value.tensor(run.memory, writes) if isinstance(value, DeviceView) else value


@handler("memref.reinterpret_cast")
def decode_reinterpret(op: Any, scope: Scope) -> Step:
    """Another shape, strides and offset of the same memory."""
    if isinstance(scope, KernelScope):
        return kernel_memory.decode_reinterpret(op, scope)
    _host_scope(scope)
    _, offsets, sizes, strides = segments(op)
    offset = Mixed(static_ints(op, "static_offsets"), scope.slots(offsets))
    shape = Mixed(static_ints(op, "static_sizes"), scope.slots(sizes))
    steps = Mixed(static_ints(op, "static_strides"), scope.slots(strides))
    source = scope.slot(op.operands[0])
    result = scope.define(op.results[0])

    def cast(frame: Frame) -> None:
        base = frame[source]
        start, lengths, apart = offset.ints(frame)[0], shape.ints(frame), steps.ints(frame)
        if isinstance(base, DeviceView):
            frame[result] = DeviceView(base.buffer, base.dtype, start, tuple(lengths), tuple(apart))
        else:
            frame[result] = base.as_strided(lengths, apart, start)

    return cast


@handler("memref.subview")
def decode_subview(op: Any, scope: Scope) -> Step:
    """A rectangular part; its type says which dimensions of size 1 are left out."""
    if isinstance(scope, KernelScope):
        return kernel_memory.decode_subview(op, scope)
    _host_scope(scope)
    strides, offset = op.results[0].type.get_strides_and_offset()
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    if offset == dynamic or dynamic in strides:
        raise UnsupportedError("a subview whose place is known at run time only")
    shape = static_shape(op.results[0].type)
    source = scope.slot(op.operands[0])
    result = scope.define(op.results[0])

    def view(frame: Frame) -> None:
        base = frame[source]
        if isinstance(base, DeviceView):
            frame[result] = DeviceView(base.buffer, base.dtype, offset, shape, tuple(strides))
        else:
            frame[result] = base.as_strided(shape, strides, offset)

    return view


@handler("memref.cast")
def decode_cast(op: Any, scope: Scope) -> None:
    """A less or more static type of the same memref."""
    scope.alias(op.results[0], scope.slot(op.operands[0]))


@handler("memref.extract_aligned_pointer_as_index")
def decode_pointer(op: Any, scope: Scope) -> Step:
    """The address of a device buffer, in bytes; views do not change it."""
    _host_scope(scope)
    source = scope.slot(op.source)
    result = scope.define(op.results[0])

    def pointer(frame: Frame) -> None:
        view = frame[source]
        if not isinstance(view, DeviceView):
            raise UnsupportedError("the address of a tensor in host memory; copy it to a buffer")
        frame[result] = torch.tensor([view.buffer.address])

    return pointer
