"""Scratchpad buffers as `sdf` ops state them: `#sdf.buffer<6144, 8x384xf16>`.

Owns the reading of the attribute and the checks that need no run: alignment, the end of the
scratchpad, and operands of one op that overlap in part.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from ktir.errors import BoundsError, MachineError, UnsupportedError
from ktir.layout import STICK_BYTES
from ktir.machine.buffer_history import Part, note_read, watched_write
from ktir.machine.decode import Scope
from ktir.machine.frame import Frame
from ktir.machine.kernel_state import KernelRun, KernelScope
from ktir.machine.memory import buffer_bytes
from ktir.machine.numerics import dtype_of
from ktir.machine.stacked_buffers import Buffers


class Place(Protocol):
    """A part of a buffer. `differs`: it is another one on each core."""

    differs: bool

    def index(self, rows: Tensor | None) -> tuple[Any, ...]:
        """A subscript of [cores, dims ..] for these rows; None for all rows, if it does not
        differ."""

    @property
    def part(self) -> Part:
        """The same as offsets, sizes and strides."""


@dataclasses.dataclass(frozen=True)
class Buffer:
    """A place in every core's scratchpad. Rows are padded to whole sticks."""

    address: int
    shape: tuple[int, ...]
    type_text: str

    @functools.cached_property
    def dtype(self) -> torch.dtype:
        """The dtype of the elements."""
        return dtype_of(self.type_text)

    @functools.cached_property
    def end(self) -> int:
        """The first byte after the buffer."""
        return self.address + buffer_bytes(self.shape, self.dtype)

    def __str__(self) -> str:
        shape = "".join(f"{size}x" for size in self.shape)
        return f"#sdf.buffer<{self.address}, {shape}{self.type_text}>"

    @property
    def is_padded(self) -> bool:
        """Whether rows end in padding."""
        return not self.shape or self.shape[-1] * self.dtype.itemsize % STICK_BYTES != 0

    @property
    def is_dense(self) -> bool:
        """Whether no padding lies between elements."""
        return math.prod(self.shape[:-1]) <= 1 or not self.is_padded

    def overlaps(self, other: Buffer) -> bool:
        """Whether they share bytes."""
        return self.address < other.end and other.address < self.end

    def read(self, frame: Frame) -> Tensor:
        """The elements for the group's cores, [1 or cores, *shape], which an op reads."""
        note_read(frame, self)
        return self.get(frame)

    def get(self, frame: Frame) -> Tensor:
        """The elements as they lie there, [1 or cores, *shape]; check "full" is not told."""
        view = _buffers(frame).get(self.address, self.shape, self.dtype)
        if not frame.group.is_whole and view.shape[0] > 1:
            view = view[frame.group.rows]
        # Fresh bytes are no valid bool.
        return view.view(torch.uint8).ne(0) if view.dtype is torch.bool else view

    def shaped(self, frame: Frame) -> Tensor:
        """A tensor of the buffer's shape whose elements do not matter."""
        return _buffers(frame).shaped(self.address, self.shape, self.dtype)

    def write(self, frame: Frame, data: Tensor, inside: Tensor | None = None) -> None:
        """Writes [1 or cores, *shape] for the group's cores; with `inside` [1 or cores, *shape],
        only those elements."""
        if inside is not None:
            data = torch.where(inside, data, self.get(frame))
        watched_write(
            frame,
            self,
            _rows(data),
            lambda: _rows(self.get(frame)),
            lambda: self._put(frame, data),
            inside=None if inside is None else _rows(inside),
        )

    def _put(self, frame: Frame, data: Tensor) -> None:
        if frame.group.is_whole:
            self.target(frame, alike=data.shape[0] == 1).copy_(data)
        else:
            rows = frame.group.rows
            view = _buffers(frame).spread(self.address, self.shape, self.dtype, rows)
            view[rows] = data.expand(frame.group.size, *self.shape)

    def target(self, frame: Frame, alike: bool) -> Tensor:
        """Where to write all elements of a whole group, in place: [1, *shape] if they will be
        alike."""
        return _buffers(frame).put(self.address, self.shape, self.dtype, alike)

    def change(self, frame: Frame, place: Place, data: Tensor) -> None:
        """Writes [1 or cores, ..] for the group's cores to a part of the buffer."""
        key = (self.address, self.shape, self.dtype)
        rows = frame.group.rows if place.differs or not frame.group.is_whole else None
        watched_write(
            frame,
            self,
            _rows(data),
            lambda: _rows(_buffers(frame).spread(*key, rows)[place.index(rows)]),
            lambda: self._change(frame, place, data),
            part=place.part,
        )

    def _change(self, frame: Frame, place: Place, data: Tensor) -> None:
        memory, key = _buffers(frame), (self.address, self.shape, self.dtype)
        if place.differs or not frame.group.is_whole:
            rows = frame.group.rows
            memory.spread(*key, rows)[place.index(rows)] = data
            return
        here = memory.get(*key)
        if here.shape[0] == 1 and data.shape[0] == 1:
            memory.put(*key, alike=True)[place.index(None)] = data
        else:
            memory.spread(*key, None)[place.index(None)] = data


def _rows(values: Tensor) -> Tensor:
    """[cores, N], also where there are no dimensions."""
    return values.reshape(values.shape[0], -1)


def _buffers(frame: Frame) -> Buffers:
    assert isinstance(frame.run, KernelRun)
    assert frame.run.buffers is not None, "launch gives every sdf program a scratchpad"
    return frame.run.buffers


def decode_buffer(attribute: Any) -> Buffer:
    """Reads a `#sdf.buffer` attribute."""
    return Buffer(attribute.address, tuple(attribute.shape), str(attribute.element_type))


def claim(
    scope: Scope, reads: Sequence[Buffer] = (), writes: Sequence[Buffer] = (), parts: bool = False
) -> KernelScope:
    """Notes that an op reads and then writes these buffers; with `parts`, it writes parts only.

    Raises BoundsError for one that is misaligned or leaves the scratchpad.
    """
    if not isinstance(scope, KernelScope):
        raise UnsupportedError("an op on scratchpad buffers outside an sdf.program")
    target = scope.target
    for buffer in (*reads, *writes):
        if buffer.address < 0 or buffer.address % target.scratchpad.alignment_bytes:
            raise BoundsError(
                f"{buffer} starts at byte {buffer.address}; addresses are multiples of "
                f"{target.scratchpad.alignment_bytes} from 0 on"
            )
        if buffer.end > target.scratchpad.bytes:
            raise BoundsError(
                f"{buffer} ends at byte {buffer.end}; the scratchpad of {target.name} has "
                f"{target.scratchpad.bytes} bytes"
            )
        scope.scratchpad_end = max(scope.scratchpad_end, buffer.end)
    for buffer in reads:
        scope.coverage.reads(buffer, buffer.address, buffer.end)
    for buffer in () if parts else writes:
        scope.coverage.writes(buffer, buffer.address, buffer.end, buffer.is_padded)
    scope.touch(reads, writes, parts)
    for body in scope.iterations:
        for buffer in reads:
            body.reads(buffer)
        for buffer in writes:
            (body.changes if parts else body.writes)(buffer)
    return scope


def check_overlap(outputs: Sequence[Buffer], inputs: Sequence[Buffer]) -> None:
    """Raises MachineError if an output shares bytes with an operand without being the same buffer.

    An op reads all its inputs before it writes; hardware need not, so only in-place updates are
    safe.
    """
    for number, output in enumerate(outputs):
        clashes = [other for other in inputs if output.overlaps(other) and output != other]
        clashes += [other for other in outputs[:number] if output.overlaps(other)]
        if clashes:
            raise MachineError(
                f"output {output} overlaps {clashes[0]}; an output must be equal to an input or "
                "apart from it, and apart from other outputs"
            )
