"""Ops on whole tensors: creation, reshapes, single elements, padding and joining.

Slices are in `slices`, structured ops in `linalg_ops`. Results may share memory with operands:
values never change, so no op writes into a tensor that another can see.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import BoundsError, MachineError
from ktir.machine.block import Step
from ktir.machine.decode import Scope, handler, scalar_type
from ktir.machine.frame import Frame
from ktir.machine.numerics import dtype_of
from ktir.machine.percore import uniform_int
from ktir.machine.slices import DYNAMIC, Mixed, Place, inserted, segments, static_ints
from ktir.machine.structured_decode import decode_filling
from ktir.mlir import ir


def _sizes(tensor_type: Any, slots: Sequence[int]) -> Mixed:
    """The shape of a result whose dynamic sizes are operands."""
    return Mixed(static_shape(tensor_type), slots)


def static_shape(tensor_type: Any) -> list[int]:
    """The shape of a tensor type, with `DYNAMIC` for sizes that are not in the type."""
    return list(tensor_type.shape)


@handler("tensor.splat")
def decode_splat(op: Any, scope: Scope) -> Step | None:
    """One scalar everywhere, repeated with stride 0; a constant if the scalar is one."""
    value, *dynamic = scope.slots(list(op.operands))
    sizes = _sizes(op.results[0].type, dynamic)
    ones, static = (1,) * op.results[0].type.rank, sizes.constants
    constant = scope.constant_of(op.operands[0])
    if constant is not None and static is not None:
        scope.constant(op.results[0], constant.view(-1, *ones).expand(-1, *static))
        return None
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        shape = sizes.ints(frame) if static is None else static
        frame[result] = frame[value].view(-1, *ones).expand(-1, *shape)

    return step


@handler("tensor.from_elements")
def decode_from_elements(op: Any, scope: Scope) -> Step:
    """Scalars in row-major order."""
    elements = scope.slots(list(op.operands))
    shape = static_shape(op.results[0].type)
    dtype = dtype_of(scalar_type(op.results[0].type))
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        values = [frame[slot] for slot in elements]
        cores = max((value.shape[0] for value in values), default=1)
        columns = [value.expand(cores) for value in values]
        stacked = torch.stack(columns, 1) if columns else torch.empty((1, 0), dtype=dtype)
        frame[result] = stacked.view(cores, *shape)

    return step


def _chosen(x: Tensor, indices: Sequence[Tensor], cores: int) -> tuple[Any, ...]:
    """The index of one element a core in `x` [1 or C, dims ..], checked against its shape."""
    for axis, index in enumerate(indices):
        low, high = (int(v) for v in torch.aminmax(index))
        if low < 0 or high >= x.shape[axis + 1]:
            raise BoundsError(
                f"index {low if low < 0 else high} in dimension {axis} of a tensor of"
                f" {list(x.shape[1:])}"
            )
    if all(index.shape[0] == 1 for index in indices):
        return (slice(None), *(int(index) for index in indices))
    core = torch.arange(cores) if x.shape[0] > 1 else torch.zeros(1, dtype=torch.int64)
    return (core, *indices)


def _fixed_place(
    source: Any, indices: Sequence[ir.Value], scope: Scope
) -> tuple[slice | int, ...] | None:
    """The index of an element that is known to exist, if all of it is known."""
    constants = [scope.constant_of(index) for index in indices]
    positions = [int(constant) for constant in constants if constant is not None]
    if len(positions) < len(indices) or not source.has_static_shape:
        return None
    inside = all(0 <= p < size for p, size in zip(positions, source.shape, strict=True))
    return (slice(None), *positions) if inside else None


@handler("tensor.extract")
def decode_extract(op: Any, scope: Scope) -> Step:
    """One element as a scalar."""
    x, *indices = scope.slots(list(op.operands))
    fixed = _fixed_place(op.operands[0].type, list(op.operands)[1:], scope)
    result = scope.define(op.results[0])
    if fixed is not None:

        def constant_step(frame: Frame) -> None:
            frame[result] = frame[x][fixed]

        return constant_step

    def step(frame: Frame) -> None:
        tensor = frame[x]
        frame[result] = tensor[_chosen(tensor, [frame[i] for i in indices], frame.group.size)]

    return step


@handler("tensor.insert")
def decode_insert(op: Any, scope: Scope) -> Step:
    """A copy of a tensor with one element replaced."""
    value, x, *indices = scope.slots(list(op.operands))
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        where = [frame[i] for i in indices]
        tensor, scalar = frame[x], frame[value]
        if max(scalar.shape[0], *(i.shape[0] for i in where), 1) > tensor.shape[0]:
            tensor = tensor.expand(frame.group.size, *tensor.shape[1:])
        copy = tensor.clone(memory_format=torch.contiguous_format)
        copy[_chosen(copy, where, frame.group.size)] = scalar
        frame[result] = copy

    return step


@handler("tensor.dim")
def decode_dim(op: Any, scope: Scope) -> Step:
    """The size of one dimension."""
    x, which = scope.slots(list(op.operands))
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        shape = frame[x].shape[1:]
        axis = uniform_int(frame[which])
        if not 0 <= axis < len(shape):
            raise BoundsError(f"dimension {axis} of a tensor of {list(shape)}")
        frame[result] = torch.tensor([shape[axis]])

    return step


@handler("tensor.rank")
def decode_rank(op: Any, scope: Scope) -> None:
    """The number of dimensions."""
    scope.constant(op.results[0], torch.tensor([op.operands[0].type.rank]))


@handler("tensor.cast")
def decode_cast(op: Any, scope: Scope) -> Step | None:
    """The same tensor with more or less of its shape in the type."""
    wanted = static_shape(op.results[0].type)
    x = scope.slot(op.operands[0])
    if op.operands[0].type.has_static_shape or not any(size != DYNAMIC for size in wanted):
        scope.alias(op.results[0], x)
        return None
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        tensor = frame[x]
        found = list(tensor.shape[1:])
        if any(w not in (DYNAMIC, f) for w, f in zip(wanted, found, strict=True)):
            text = "x".join("?" if w == DYNAMIC else str(w) for w in wanted)
            raise MachineError(f"a tensor of {found} is cast to {text}")
        frame[result] = tensor

    return step


@handler("tensor.bitcast")
def decode_bitcast(op: Any, scope: Scope) -> Step:
    """The same bits as another element type."""
    dtype = dtype_of(scalar_type(op.results[0].type))
    x = scope.slot(op.operands[0])
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        frame[result] = frame[x].view(dtype)

    return step


@handler("tensor.collapse_shape")
def decode_collapse(op: Any, scope: Scope) -> Step:
    """Neighbouring dimensions joined."""
    groups = [[ir.IntegerAttr(d).value for d in group] for group in op.attributes["reassociation"]]
    shape = static_shape(op.results[0].type)
    x = scope.slot(op.operands[0])
    result = scope.define(op.results[0])
    static = DYNAMIC not in shape

    def step(frame: Frame) -> None:
        tensor = frame[x]
        sizes = shape if static else [math.prod(tensor.shape[d + 1] for d in g) for g in groups]
        frame[result] = tensor.reshape(tensor.shape[0], *sizes)

    return step


@handler("tensor.expand_shape")
def decode_expand(op: Any, scope: Scope) -> Step:
    """Dimensions divided."""
    x, *dynamic = scope.slots(list(op.operands))
    sizes = Mixed(static_ints(op, "static_output_shape"), dynamic)
    return _reshape(op, scope, x, sizes)


@handler("tensor.reshape")
def decode_reshape(op: Any, scope: Scope) -> Step:
    """The same elements in row-major order in another shape, which is a tensor."""
    x, shape = scope.slots(list(op.operands))
    static = static_shape(op.results[0].type)
    if DYNAMIC not in static:
        return _reshape(op, scope, x, Mixed(static, ()))
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        wanted = frame[shape]
        sizes = [uniform_int(wanted[:, d]) for d in range(wanted.shape[1])]
        frame[result] = _reshaped(frame[x], sizes)

    return step


def _reshape(op: Any, scope: Scope, x: int, sizes: Mixed) -> Step:
    result = scope.define(op.results[0])
    constants = sizes.constants

    def step(frame: Frame) -> None:
        frame[result] = _reshaped(frame[x], sizes.ints(frame) if constants is None else constants)

    return step


def _reshaped(tensor: Tensor, sizes: Sequence[int]) -> Tensor:
    if math.prod(sizes) != math.prod(tensor.shape[1:]):
        raise MachineError(f"a tensor of {list(tensor.shape[1:])} is reshaped to {list(sizes)}")
    return tensor.reshape(tensor.shape[0], *sizes)


@handler("tensor.concat")
def decode_concat(op: Any, scope: Scope) -> Step:
    """Tensors joined along one dimension."""
    axis = ir.IntegerAttr(op.attributes["dim"]).value + 1
    operands = scope.slots(list(op.operands))
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        parts = [frame[slot] for slot in operands]
        cores = max(part.shape[0] for part in parts)
        frame[result] = torch.cat([part.expand(cores, *part.shape[1:]) for part in parts], axis)

    return step


@handler("tensor.pad")
def decode_pad(op: Any, scope: Scope) -> Step:
    """A tensor with a border. The border's value may depend on the position."""
    source, low_values, high_values = segments(op)
    x = scope.slot(source[0])
    low = Mixed(static_ints(op, "static_low"), scope.slots(low_values))
    high = Mixed(static_ints(op, "static_high"), scope.slots(high_values))
    border = decode_filling(op.regions[0], scope)
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        tensor = frame[x]
        inner = list(tensor.shape[1:])
        before, after = low.ints(frame), high.ints(frame)
        shape = [b + n + a for b, n, a in zip(before, inner, after, strict=True)]
        filled = border(frame, shape)
        place = Place(before, inner, [1] * len(inner), ())
        frame[result] = inserted(filled, tensor, place, frame.group.size)

    return step


@handler("tensor.generate")
def decode_generate(op: Any, scope: Scope) -> Step:
    """A tensor whose elements are computed from their indices."""
    sizes = _sizes(op.results[0].type, scope.slots(list(op.operands)))
    elements = decode_filling(op.regions[0], scope)
    result = scope.define(op.results[0])

    def step(frame: Frame) -> None:
        frame[result] = elements(frame, sizes.ints(frame))

    return step
