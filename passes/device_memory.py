"""Where every tensor between kernels lies in device memory.

Owns buffers, their addresses, and the strides of views. A view of a tensor (a reshape, a slice) is
a placement in the same buffer; an insertion writes its source in place, so the source's placement
lies inside the destination's. Grouping asks which reshapes are views, distribution which results
are dense; emission gives the buffers addresses.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

from ktir.errors import UnsupportedError
from ktir.layout import STICK_BYTES, element_bytes, padded_bytes, round_up, row_strides
from ktir.mlir import ir
from ktir.passes.ir_utils import (
    body_of,
    defining_op,
    element_type,
    i64_list,
    is_tensor,
    place_of,
    shape_of,
    terminator,
)


@dataclasses.dataclass
class Buffer:
    """A piece of device memory; `address` and `bytes` are in bytes, `strides` in elements."""

    name: str
    shape: tuple[int, ...]
    element: str
    strides: tuple[int, ...]
    bytes: int
    address: int = -1


@dataclasses.dataclass(frozen=True)
class Placement:
    """A strided view of a buffer; `offset` and `strides` in elements."""

    buffer: Buffer
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def default_buffer(name: str, value: ir.Value) -> Buffer:
    """A buffer in the default layout: row-major, rows of whole sticks."""
    shape, element = shape_of(value), str(element_type(value))
    strides = tuple(row_strides(shape, element))
    return Buffer(name, shape, element, strides, padded_bytes(shape, element))


def dense_buffer(name: str, value: ir.Value) -> Buffer:
    """A buffer without padding inside: any reshape of it is a view."""
    shape, element = shape_of(value), str(element_type(value))
    size = round_up(math.prod(shape) * element_bytes(element), STICK_BYTES)
    return Buffer(name, shape, element, dense_strides(shape), max(size, STICK_BYTES))


def dense_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of a row-major tensor without padding."""
    strides = [1] * len(shape)
    for dim in range(len(shape) - 2, -1, -1):
        strides[dim] = strides[dim + 1] * max(shape[dim + 1], 1)
    return tuple(strides)


class Placements:
    """Placements of all tensors of one function at the host level, found on demand."""

    def __init__(
        self, function: ir.Operation, dense_results: Mapping[str, Sequence[int]] | None = None
    ) -> None:
        self._body = body_of(function)
        self._dense = dense_results or {}
        self._found: dict[ir.Value, Placement] = {}
        self.buffers: list[Buffer] = []

    def of(self, value: ir.Value) -> Placement:
        """The placement of `value`; UnsupportedError for a reshape that no strides express."""
        if value not in self._found:
            self._found[value] = self._place(value)
        return self._found[value]

    def assign_addresses(self) -> int:
        """Gives every buffer an address, one after the other; returns the bytes of device memory
        used.
        """
        end = 0
        for buffer in self.buffers:
            buffer.address = end
            end += round_up(buffer.bytes, STICK_BYTES)
        return end

    def _place(self, value: ir.Value) -> Placement:
        insertion = self._insertion_using(value)
        if insertion is not None:
            return self._inside(insertion, value)
        owner = defining_op(value)
        if owner is not None and owner.name == "tensor.extract_slice":
            return slice_of(self.of(owner.operands[0]), owner)
        if owner is not None and owner.name in ("tensor.expand_shape", "tensor.collapse_shape"):
            source = self.of(owner.operands[0])
            view = reshape_of(source, shape_of(value))
            if view is None:
                raise UnsupportedError(
                    f"{owner.name} at {place_of(owner)}: strides {list(source.strides)} of shape "
                    f"{list(source.shape)} cannot express the result's shape; "
                    "ktir-insert-relayouts has to run before"
                )
            return view
        return self._new_buffer(value, owner)

    def _new_buffer(self, value: ir.Value, owner: ir.Operation | None) -> Placement:
        number = len(self.buffers)
        name, dense = f"buffer.{number}", False
        if owner is not None and owner.name == "func.call":
            callee = ir.FlatSymbolRefAttr(owner.attributes["callee"]).value
            dense = ir.OpResult(value).result_number in self._dense.get(callee, ())
            name = f"{callee}.{number}"
        elif owner is not None and owner.name == "plan.kernel":
            dense = is_dense_result(owner, ir.OpResult(value).result_number)
        buffer = (dense_buffer if dense else default_buffer)(name, value)
        self.buffers.append(buffer)
        return Placement(buffer, 0, buffer.shape, buffer.strides)

    @staticmethod
    def _insertion_using(value: ir.Value) -> ir.Operation | None:
        for use in value.uses:
            if use.owner.operation.name == "tensor.insert_slice" and use.operand_number < 2:
                return use.owner.operation
        return None

    def _inside(self, insertion: ir.Operation, value: ir.Value) -> Placement:
        whole = self.of(insertion.results[0])
        if insertion.operands[1] == value:
            return whole
        return slice_of(whole, insertion)


def is_dense_result(kernel: ir.Operation, number: int) -> bool:
    """Whether result `number` of a `plan.kernel` is laid out without padding: a dense relayout
    makes it.
    """
    maker = defining_op(terminator(body_of(kernel)).operands[number])
    return (
        maker is not None
        and maker.name == "plan.relayout"
        and "dense" in str(maker.attributes["layout"])
    )


def slice_of(source: Placement, op: ir.Operation) -> Placement:
    """The placement of a static slice of `source` described by the offsets, sizes and strides of
    `op`.
    """
    offsets, sizes, steps = (
        i64_list(op, name) for name in ("static_offsets", "static_sizes", "static_strides")
    )
    if any(value < 0 for value in (*offsets, *sizes, *steps)):
        raise UnsupportedError(
            f"{op.name} at {place_of(op)} has dynamic offsets, sizes or strides; expected constants"
        )
    part = op.operands[0] if op.name == "tensor.insert_slice" else op.results[0]
    kept = _kept_dims(sizes, shape_of(part))
    return Placement(
        source.buffer,
        source.offset + sum(o * s for o, s in zip(offsets, source.strides, strict=True)),
        tuple(sizes[dim] for dim in kept),
        tuple(steps[dim] * source.strides[dim] for dim in kept),
    )


def _kept_dims(sizes: Sequence[int], shape: Sequence[int]) -> list[int]:
    """Which dimensions of a slice remain when unit dimensions are dropped to give `shape`."""
    kept: list[int] = []
    for dim, size in enumerate(sizes):
        wanted = shape[len(kept)] if len(kept) < len(shape) else None
        droppable = size == 1 and len(sizes) - dim > len(shape) - len(kept)
        if size == wanted and not (droppable and wanted != 1):
            kept.append(dim)
        elif size != 1:
            raise UnsupportedError(
                f"a slice of sizes {list(sizes)} does not reduce to {list(shape)}"
            )
    return kept


def reshape_of(source: Placement, shape: Sequence[int]) -> Placement | None:
    """The strides that view `source` in row-major order as `shape`; None if there are none."""
    strides = reshape_strides(source.shape, source.strides, shape)
    if strides is None:
        return None
    return Placement(source.buffer, source.offset, tuple(shape), strides)


def reshape_strides(
    shape: Sequence[int], strides: Sequence[int], new_shape: Sequence[int]
) -> tuple[int, ...] | None:
    """Strides that read elements in the same row-major order through `new_shape`; None if no
    strides do.

    Walks both shapes from the inside in groups of equal product, as numpy does for a reshape
    without a copy.
    """
    if math.prod(shape) != math.prod(new_shape):
        raise ValueError(f"cannot reshape {list(shape)} to {list(new_shape)}")
    if math.prod(shape) == 0:
        return dense_strides(new_shape)
    old = [(size, stride) for size, stride in zip(shape, strides, strict=True) if size != 1]
    new = [1] * len(new_shape)
    dim = len(new_shape) - 1
    for size, stride in reversed(_merged(old)):
        step = stride
        remaining = size
        while remaining > 1:
            while new_shape[dim] == 1:
                new[dim] = step
                dim -= 1
            if remaining % new_shape[dim]:
                return None
            new[dim] = step
            step *= new_shape[dim]
            remaining //= new_shape[dim]
            dim -= 1
    return tuple(new)


def _merged(dims: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Joins neighbouring dimensions that lie contiguously."""
    merged: list[tuple[int, int]] = []
    for size, stride in dims:
        if merged and merged[-1][1] == size * stride:
            merged[-1] = (merged[-1][0] * size, stride)
        else:
            merged.append((size, stride))
    return merged


def tensors_of(function: ir.Operation) -> list[ir.Value]:
    """The function's tensor arguments and the tensor results of its ops, in order."""
    body = body_of(function)
    values = [value for value in body.arguments if is_tensor(value)]
    for op in body:
        values.extend(value for value in op.results if is_tensor(value))
    return values
