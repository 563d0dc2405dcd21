"""Rectangular parts of tensors: `tensor.extract_slice`, `tensor.insert_slice` and the parallel
form.

Owns offsets, sizes and strides that are partly constants and partly values. Offsets may differ by
core: then elements are gathered and scattered, else a slice is a view. Where sizes or strides
differ, groups of cores with equal ones run one after another (`Divergence`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ktir.errors import BoundsError
from ktir.machine.block import Step
from ktir.machine.decode import Scope, handler
from ktir.machine.frame import Frame
from ktir.machine.percore import PerCore, per_core, uniform_int
from ktir.mlir import ir

DYNAMIC = ir.ShapedType.get_dynamic_size()
"""What static arrays hold in place of a value that is an operand."""

Index = int | Tensor
"""An index that is the same on all cores, or int64 [C]."""


class Mixed:
    """A list of constants and operands, as in `[0, %i, 4]`."""

    def __init__(self, static: Sequence[int], slots: Sequence[int]) -> None:
        remaining = iter(slots)
        self._entries = [(s, next(remaining) if s == DYNAMIC else None) for s in static]
        self.constants = None if slots else tuple(static)
        self._rows: list[PerCore] | None = [[s] for s in static] if not slots else None

    def ints(self, frame: Frame) -> list[int]:
        """All values; they must be the same on all cores. Raises Divergence."""
        return [
            static if slot is None else uniform_int(frame[slot]) for static, slot in self._entries
        ]

    def per_core(self, frame: Frame) -> list[PerCore]:
        """All values, which may differ by core."""
        if self._rows is not None:
            return self._rows
        return [
            [static] if slot is None else per_core(frame[slot]) for static, slot in self._entries
        ]

    def indices(self, frame: Frame) -> list[Index]:
        """All values, as ints where all cores agree."""
        return [static if slot is None else _index(frame[slot]) for static, slot in self._entries]


def _index(value: Tensor) -> Index:
    return int(value) if value.shape[0] == 1 else value


def segments(op: Any) -> list[list[ir.Value]]:
    """The operands of an op by `operandSegmentSizes`."""
    operands, found, end = list(op.operands), [], 0
    for size in ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]):
        start, end = end, end + size
        found.append(operands[start:end])
    return found


def static_ints(op: Any, name: str) -> list[int]:
    """A `DenseI64ArrayAttr` as a list."""
    return list(ir.DenseI64ArrayAttr(op.attributes[name]))


@dataclass(frozen=True)
class Box:
    """The part [offset, offset + size * stride) of each dimension of a tensor.

    `dropped` are dimensions of size 1 that the part as a value does not have.
    """

    offsets: Mixed
    sizes: Mixed
    strides: Mixed
    dropped: tuple[int, ...]

    def at(self, frame: Frame) -> Place:
        """The box with the values that it has now."""
        return Place(
            self.offsets.indices(frame),
            self.sizes.ints(frame),
            self.strides.ints(frame),
            self.dropped,
        )

    def constant(self) -> Place | None:
        """The box if nothing of it is an operand."""
        if self.offsets.constants is None:
            return None
        if self.sizes.constants is None or self.strides.constants is None:
            return None
        return Place(
            list(self.offsets.constants), self.sizes.constants, self.strides.constants, self.dropped
        )


class Place:
    """A box whose numbers are known."""

    def __init__(
        self,
        offsets: Sequence[Index],
        sizes: Sequence[int],
        strides: Sequence[int],
        dropped: Sequence[int],
    ) -> None:
        self._offsets, self._sizes, self._strides = offsets, sizes, strides
        self._dropped = dropped
        by_core = [axis for axis, offset in enumerate(offsets) if isinstance(offset, Tensor)]
        self.by_core = bool(by_core)
        self._gathered = max(by_core, default=-1) + 1
        # Dimensions before this one are subscripted with index tensors, the others with slices.
        self._slices = tuple(self._slice(axis) for axis in range(self._gathered, len(sizes)))

    def _slice(self, axis: int) -> slice | int:
        start, size, stride = int(self._offsets[axis]), self._sizes[axis], self._strides[axis]
        if axis in self._dropped:
            return start
        return slice(start, start + (size - 1) * stride + 1 if size else start, stride)

    def check(self, shape: Sequence[int]) -> None:
        """Raises BoundsError unless the box is inside a tensor of `shape` (no core axis)."""
        zipped = zip(self._offsets, self._sizes, self._strides, shape, strict=True)
        for axis, (offset, size, stride, extent) in enumerate(zipped):
            low, high = _ends(offset)
            if low < 0 or (size and high + (size - 1) * stride >= extent) or size < 0:
                found = f"{low}" if low == high else f"{low}..{high} (by core)"
                raise BoundsError(
                    f"a slice at offset {found} of size {size} and stride {stride} leaves"
                    f" dimension {axis} of a tensor of {list(shape)}"
                )

    def read(self, x: Tensor) -> Tensor:
        """The part of `x` [1 or C, dims ..]: a view if offsets are the same on all cores."""
        part: Tensor = x[self._subscripts(x.shape[0])]
        dropped = [axis + 1 for axis in self._dropped if axis < self._gathered]
        return part.squeeze(dropped) if dropped else part

    def write(self, x: Tensor, part: Tensor) -> None:
        """Sets the part of `x` in place; `x` differs by core if `part` or the box does."""
        for axis in sorted(axis for axis in self._dropped if axis < self._gathered):
            part = part.unsqueeze(axis + 1)
        x[self._subscripts(x.shape[0])] = part

    def _subscripts(self, cores: int) -> tuple[Any, ...]:
        """What selects the part in a tensor with so many entries along its core axis."""
        rank = self._gathered
        if rank == 0:
            return (slice(None), *self._slices)
        indices = [torch.arange(cores).view(-1, *(1,) * rank)]
        for axis, size in enumerate(self._sizes[:rank]):
            offset = self._offsets[axis]
            first = offset if isinstance(offset, Tensor) else torch.tensor([offset])
            index = first.view(-1, 1) + torch.arange(size) * self._strides[axis]
            indices.append(index.view(len(index), *(size if d == axis else 1 for d in range(rank))))
        return (*indices, *self._slices)


def _ends(offset: Index) -> tuple[int, int]:
    if isinstance(offset, int):
        return offset, offset
    low, high = torch.aminmax(offset)
    return int(low), int(high)


def dropped_dims(sizes: Sequence[int], kept: Sequence[int]) -> tuple[int, ...]:
    """The dimensions of size 1 that a rank-reducing slice leaves out."""
    dropped, position = [], 0
    for axis, size in enumerate(sizes):
        if position < len(kept) and size == kept[position]:
            position += 1
        else:
            dropped.append(axis)
    return tuple(dropped)


def decode_box(op: Any, groups: Sequence[Sequence[ir.Value]], part: ir.Type, scope: Scope) -> Box:
    """The box of a slice op with dynamic offsets, sizes and strides `groups`, and part type."""
    names = ("static_offsets", "static_sizes", "static_strides")
    static = [static_ints(op, name) for name in names]
    offsets, sizes, strides = (
        Mixed(s, scope.slots(list(group))) for s, group in zip(static, groups, strict=True)
    )
    return Box(offsets, sizes, strides, dropped_dims(static[1], ir.RankedTensorType(part).shape))


@handler("tensor.extract_slice")
def decode_extract_slice(op: Any, scope: Scope) -> Step:
    """A part of a tensor, as a view where possible."""
    source, *groups = segments(op)
    source_type = ir.RankedTensorType(source[0].type)
    box = decode_box(op, groups, op.results[0].type, scope)
    x = scope.slot(source[0])
    result = scope.define(op.results[0])
    constant = box.constant()
    if constant is not None and source_type.has_static_shape:
        constant.check(source_type.shape)
        read = constant.read

        def step(frame: Frame) -> None:
            frame[result] = read(frame[x])

        return step

    def dynamic_step(frame: Frame) -> None:
        tensor, place = frame[x], box.at(frame)
        place.check(tensor.shape[1:])
        if place.by_core and tensor.shape[0] == 1:
            tensor = tensor.expand(frame.group.size, *tensor.shape[1:])
        frame[result] = place.read(tensor)

    return dynamic_step


@handler("tensor.insert_slice")
def decode_insert_slice(op: Any, scope: Scope) -> Step:
    """A copy of a tensor with a part replaced."""
    source, destination, *groups = segments(op)
    box = decode_box(op, groups, source[0].type, scope)
    part, whole = scope.slot(source[0]), scope.slot(destination[0])
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        place = box.at(frame)
        frame[result] = inserted(frame[whole], frame[part], place, frame.group.size)

    return step


def inserted(whole: Tensor, part: Tensor, place: Place, cores: int) -> Tensor:
    """A copy of `whole` with `part` at `place`; one entry a core if any of them differs by core."""
    place.check(whole.shape[1:])
    if whole.shape[0] == 1 and (place.by_core or part.shape[0] > 1):
        whole = whole.expand(cores, *whole.shape[1:])
    copy = whole.clone(memory_format=torch.contiguous_format)
    place.write(copy, part)
    return copy
