"""`sdf` ops that move elements inside a scratchpad, and those that only control: programs' core ids
and ends.

Owns their decoding, their runs on scratchpad buffers in place, and the time that each takes of the
vector engine. Compute is in `sdf_compute`, transfers are in `sdf_transfers` and
`sdf_indexed`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import BoundsError, MachineError
from ktir.machine.block import Step
from ktir.machine.buffer_history import Part, note_read
from ktir.machine.decode import Scope, handler, terminators
from ktir.machine.frame import Frame
from ktir.machine.kernel_state import KernelRun
from ktir.machine.numerics import dtype_of, poison
from ktir.machine.percore import PerCore
from ktir.machine.sdf_buffers import Buffer, check_overlap, claim, decode_buffer
from ktir.machine.slices import Index, Mixed, static_ints
from ktir.machine.values import core_coordinates
from ktir.mlir import ir

terminators("sdf.return")


@handler("sdf.core_id")
def decode_core_id(op: Any, scope: Scope) -> Step:
    """The coordinates of each core in the grid."""
    return core_coordinates(scope.define_all(list(op.results)))


def count_work(frame: Frame, engine: str, amount: int, time: float) -> None:
    """Adds an op's work on each of the group's cores to its engine."""
    assert isinstance(frame.run, KernelRun)
    cores = None if frame.group.is_all else frame.group.runs
    counters = frame.run.counters
    (counters.matrix if engine == "matrix" else counters.vector)(amount, time, cores)


def element_bits(buffers: Sequence[Buffer]) -> int:
    """The bits of the widest element."""
    return max(buffer.dtype.itemsize for buffer in buffers) * 8


def places_of(indices: Sequence[Index]) -> list[PerCore]:
    """Indices as ints, one for all cores or one a core."""
    return [[index] if isinstance(index, int) else index.tolist() for index in indices]


class _Side:
    """One side of a copy: elements `offsets + j * strides` of a buffer, for j below `sizes`."""

    def __init__(self, op: Any, scope: Scope, side: str, sizes: Mixed) -> None:
        self.buffer = decode_buffer(op.attributes[side])
        self._offsets = _mixed(op, scope, f"{side}_offsets")
        self._strides = _mixed(op, scope, f"{side}_strides")
        self._sizes = sizes

    @property
    def is_whole(self) -> bool:
        """Whether it is all of the buffer, whatever values the program has."""
        known = [mixed.constants for mixed in (self._offsets, self._sizes, self._strides)]
        offsets, sizes, strides = (constants or () for constants in known)
        return None not in known and Rectangle(offsets, sizes, strides).is_whole(self.buffer)

    def rectangle(self, frame: Frame) -> Rectangle:
        """The part as it is now. Raises BoundsError if an element lies outside the buffer."""
        offsets, strides = self._offsets.indices(frame), self._strides.ints(frame)
        found = Rectangle(offsets, self._sizes.ints(frame), strides)
        found.check(self.buffer)
        return found


class Rectangle:
    """A part of a buffer whose numbers are known."""

    def __init__(
        self, offsets: Sequence[Index], sizes: Sequence[int], strides: Sequence[int]
    ) -> None:
        self._dims = list(zip(offsets, sizes, strides, strict=True))
        self.differs = not all(isinstance(offset, int) for offset in offsets)

    @property
    def part(self) -> Part:
        """The same as offsets, sizes and strides."""
        offsets, sizes, strides = zip(*self._dims, strict=True) if self._dims else ((), (), ())
        return places_of(offsets), sizes, strides

    def check(self, buffer: Buffer) -> None:
        """Raises BoundsError if an element lies outside the buffer."""
        for dim, (offset, size, stride) in enumerate(self._dims):
            starts = [offset] if isinstance(offset, int) else offset.tolist()
            low = min(starts) + min((size - 1) * stride, 0)
            high = max(starts) + max((size - 1) * stride, 0)
            if size and (low < 0 or high >= buffer.shape[dim]):
                raise BoundsError(
                    f"elements {low}..{high} of dimension {dim} of {buffer} are copied; it has "
                    f"0..{buffer.shape[dim] - 1}"
                )

    def index(self, rows: Tensor | None) -> tuple[Any, ...]:
        """A subscript of [cores, dims ..]; see `sdf_buffers.Place`."""
        # Dimensions before this one are subscripted with index tensors, the others with slices.
        rank = max(
            (dim + 1 for dim, part in enumerate(self._dims) if not _is_slice(*part)), default=0
        )
        chosen: list[Any] = [slice(None) if rows is None else rows.view(-1, *[1] * rank)]
        for dim, (offset, size, stride) in enumerate(self._dims[:rank]):
            counter = torch.arange(size) * stride
            counter = counter.view([-1 if d == dim else 1 for d in range(rank)])
            start = torch.as_tensor(offset, dtype=torch.int64)
            chosen.append(counter + (start.view(-1, *[1] * rank) if start.dim() else start))
        chosen += [slice(at, at + (n - 1) * step + 1, step) for at, n, step in self._dims[rank:]]
        return tuple(chosen)

    def is_whole(self, buffer: Buffer) -> bool:
        """Whether it is all of a buffer."""
        return all(
            isinstance(offset, int)
            and offset == 0
            and size == extent
            and (stride == 1 or size == 1)
            for (offset, size, stride), extent in zip(self._dims, buffer.shape, strict=True)
        )


def _is_slice(offset: Index, size: int, stride: int) -> bool:
    return isinstance(offset, int) and size > 0 and stride > 0


def _mixed(op: Any, scope: Scope, name: str) -> Mixed:
    return Mixed(static_ints(op, f"static_{name}"), scope.slots(list(getattr(op, name))))


@handler("sdf.copy")
def decode_copy(op: Any, scope: Scope) -> Step:
    """A rectangle of one buffer to a rectangle of another, all read before any is written."""
    sizes = _mixed(op, scope, "sizes")
    source, target = (_Side(op, scope, side, sizes) for side in ("src", "dst"))
    fills = target.is_whole
    kernel = claim(scope, [source.buffer], [target.buffer], parts=not fills)
    check_overlap([target.buffer], [source.buffer])
    bits, vector = element_bits([source.buffer]), kernel.target.vector
    same = source.buffer == target.buffer

    def copy(frame: Frame) -> None:
        points = math.prod(sizes.ints(frame))
        count_work(frame, "vector", points, vector.time(points, False, bits))
        here, there = source.rectangle(frame), target.rectangle(frame)
        if not kernel.values or not points:
            return
        note_read(frame, source.buffer, here.part)
        data, rows = source.buffer.get(frame), None
        if here.differs:
            rows = torch.arange(frame.group.size) if data.shape[0] > 1 else torch.zeros(1).long()
        part = data[here.index(rows)]
        if same:
            part = part.clone()
        if fills:
            target.buffer.write(frame, part)
        else:
            target.buffer.change(frame, there, part)

    return copy


@handler("sdf.reshape")
def decode_reshape(op: Any, scope: Scope) -> Step:
    """The same elements in row-major order, in another shape."""
    source, target = decode_buffer(op.src), decode_buffer(op.dst)
    kernel = claim(scope, [source], [target])
    if source.address != target.address or not (source.is_dense and target.is_dense):
        check_overlap([target], [source])
    points = math.prod(target.shape)
    time = kernel.target.vector.time(points, False, element_bits([source]))

    def reshape(frame: Frame) -> None:
        count_work(frame, "vector", points, time)
        if kernel.values:
            data = source.read(frame)
            target.write(frame, data.reshape(data.shape[0], *target.shape))

    return reshape


@handler("sdf.extract")
def decode_extract(op: Any, scope: Scope) -> Step:
    """One element as a scalar. Without values it may feed compute only."""
    source = decode_buffer(op.src)
    kernel = claim(scope, [source])
    indices = Mixed(static_ints(op, "static_indices"), scope.slots(list(op.indices)))
    steers = _steers(op.results[0])
    kernel.is_steady &= not steers
    ones = (1,) * len(source.shape)
    unknown = torch.tensor([poison(dtype_of(source.type_text))], dtype=dtype_of(source.type_text))
    result = scope.define(op.results[0])

    def extract(frame: Frame) -> None:
        if steers and not kernel.values:
            raise MachineError(
                f"an element of {source} decides what the program does, so its time depends on "
                "data; run it with values"
            )
        places = indices.indices(frame)
        for dim, place in enumerate(places):
            _check_index(source, dim, place)
        if not kernel.values:
            frame[result] = unknown
            return
        note_read(frame, source, (places_of(places), ones, ones))
        data = source.get(frame)
        if all(isinstance(place, int) for place in places):
            frame[result] = data[(slice(None), *places)].clone()
        else:
            rows = torch.arange(data.shape[0])
            frame[result] = data[(rows, *(torch.as_tensor(place) for place in places))]

    return extract


def _check_index(buffer: Buffer, dim: int, place: Index) -> None:
    ends = [int(place)] if isinstance(place, int) else place.tolist()
    if min(ends) < 0 or max(ends) >= buffer.shape[dim]:
        raise BoundsError(
            f"elements {min(ends)}..{max(ends)} of dimension {dim} of {buffer} are read; it has "
            f"0..{buffer.shape[dim] - 1}"
        )


def _steers(value: ir.Value[Any]) -> bool:
    """Whether a scalar reaches anything but the operands of compute ops, through scalar ops."""
    for use in value.uses:
        owner = use.owner
        if owner.name == "sdf.compute":
            continue
        if not owner.name.startswith(("arith.", "math.")):
            return True
        if any(_steers(result) for result in owner.results):
            return True
    return False
