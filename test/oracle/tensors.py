"""Tensors as flat lists, and the ops that make, cut and join them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import Fault, OracleLimit
from .formats import bits_of, from_bits, is_float, poison, unsigned, wrap, zero
from .tree import DYNAMIC, Op, Type

Point = tuple[int, ...]


@dataclass(frozen=True)
class Tensor:
    """Elements in row-major order; nobody changes them once the tensor is made."""

    shape: Point
    data: list[Any]

    def place(self, point: Sequence[int]) -> int:
        """The position of an element in `data`. Raises Fault outside the shape."""
        if len(point) != len(self.shape):
            raise Fault(f"index {list(point)} of a tensor of {list(self.shape)}")
        position = 0
        for index, size in zip(point, self.shape, strict=True):
            if not 0 <= index < size:
                raise Fault(f"index {list(point)} of a tensor of {list(self.shape)}")
            position = position * size + index
        return position

    def at(self, point: Sequence[int]) -> Any:
        """One element."""
        return self.data[self.place(point)]


def points(shape: Sequence[int]) -> list[Point]:
    """All indices of a shape, in row-major order."""
    return list(itertools.product(*map(range, shape)))


def build(shape: Sequence[int], element: Callable[[Point], Any]) -> Tensor:
    """A tensor whose elements are computed from their indices."""
    return Tensor(tuple(shape), [element(point) for point in points(shape)])


def filled(shape: Sequence[int], value: Any) -> Tensor:
    """One value everywhere."""
    return Tensor(tuple(shape), [value] * math.prod(shape))


def undefined(type_: Type) -> Any:
    """A value of which the IR says nothing: bytes 0xFF."""
    if type_.shape is None:
        return poison(type_.element)
    return filled(type_.shape, poison(type_.element))


def mixed(static: Sequence[int], dynamic: Sequence[int]) -> list[int]:
    """A static list with the values of operands where it is open."""
    values = iter(dynamic)
    return [next(values) if entry == DYNAMIC else entry for entry in static]


def open_sizes(type_: Type, sizes: Sequence[int]) -> list[int]:
    """The shape of a type with the values of operands for its open sizes."""
    shape = mixed([DYNAMIC if size < 0 else size for size in type_.shape or ()], sizes)
    if any(size < 0 for size in shape):
        raise Fault(f"a tensor of {shape}")
    return shape


Values = list[Any]
"""Values of an op's operands or results, in order."""


def constant(op: Op, _: Values) -> Values:
    """A scalar, or a tensor from its elements or its one element."""
    value, type_ = op.attributes["value"], op.types[0]
    if type_.shape is None:
        if is_float(type_.element):
            return [float(value)]
        return [wrap(int(value), type_.element)]
    if not isinstance(value, list):
        raise OracleLimit(f"constant {value}")
    size = math.prod(type_.shape)
    return [Tensor(type_.shape, value if len(value) == size else value * size)]


def empty(op: Op, operands: Values) -> Values:
    """Zeros: public kernels accumulate on it."""
    return [filled(open_sizes(op.types[0], operands), zero(op.types[0].element))]


def splat(op: Op, operands: Values) -> Values:
    """One scalar everywhere."""
    return [filled(open_sizes(op.types[0], operands[1:]), operands[0])]


def from_elements(op: Op, operands: Values) -> Values:
    """Scalars in row-major order."""
    return [Tensor(op.types[0].shape or (), list(operands))]


def extract(op: Op, operands: Values) -> Values:
    """One element."""
    return [operands[0].at(operands[1:])]


def insert(op: Op, operands: Values) -> Values:
    """A copy with one element replaced."""
    value, tensor, *point = operands
    data = list(tensor.data)
    data[tensor.place(point)] = value
    return [Tensor(tensor.shape, data)]


def dim(op: Op, operands: Values) -> Values:
    """The size of one dimension."""
    tensor, which = operands
    if not 0 <= which < len(tensor.shape):
        raise Fault(f"dimension {which} of a tensor of {list(tensor.shape)}")
    return [tensor.shape[which]]


def rank(op: Op, operands: Values) -> Values:
    """The number of dimensions."""
    return [len(operands[0].shape)]


def cast(op: Op, operands: Values) -> Values:
    """The same tensor, if the new type's sizes are right."""
    wanted = op.types[0].shape or ()
    if any(w not in (-1, n) for w, n in zip(wanted, operands[0].shape, strict=True)):
        raise Fault(f"a tensor of {list(operands[0].shape)} cast to {op.types[0].text}")
    return [operands[0]]


def bitcast(op: Op, operands: Values) -> Values:
    """The same bits as another type."""
    source, result = op.operand_types[0].element, op.types[0].element

    def convert(x: Any) -> Any:
        bits = bits_of(x, source) if is_float(source) else unsigned(x, source)
        return from_bits(bits, result) if is_float(result) else wrap(bits, result)

    return [Tensor(operands[0].shape, [convert(x) for x in operands[0].data])]


def collapse_shape(op: Op, operands: Values) -> Values:
    """Neighbouring dimensions joined."""
    groups = op.attributes["reassociation"]
    shape = [math.prod(operands[0].shape[d] for d in group) for group in groups]
    return [Tensor(tuple(shape), operands[0].data)]


def expand_shape(op: Op, operands: Values) -> Values:
    """Dimensions divided."""
    return [_reshaped(operands[0], mixed(op.attributes["static_output_shape"], operands[1:]))]


def reshape(op: Op, operands: Values) -> Values:
    """The same elements in a shape that a tensor holds."""
    return [_reshaped(operands[0], operands[1].data)]


def _reshaped(tensor: Tensor, shape: Sequence[int]) -> Tensor:
    if math.prod(shape) != len(tensor.data) or any(size < 0 for size in shape):
        raise Fault(f"a tensor of {list(tensor.shape)} reshaped to {list(shape)}")
    return Tensor(tuple(shape), tensor.data)


def concat(op: Op, operands: Values) -> Values:
    """Tensors joined along one dimension."""
    axis = op.attributes["dim"]
    shape = list(operands[0].shape)
    shape[axis] = sum(part.shape[axis] for part in operands)

    def element(point: Point) -> Any:
        index = point[axis]
        for part in operands:
            if index < part.shape[axis]:
                return part.at((*point[:axis], index, *point[axis + 1 :]))
            index -= part.shape[axis]
        raise AssertionError("past the last part")

    return [build(shape, element)]


def _box(op: Op, groups: Sequence[Values]) -> tuple[list[int], list[int], list[int]]:
    """Offsets, sizes and strides of a slice."""
    names = ("static_offsets", "static_sizes", "static_strides")
    offsets, sizes, strides = (
        mixed(op.attributes[name], values) for name, values in zip(names, groups, strict=True)
    )
    if any(size < 0 for size in sizes):
        raise Fault(f"a slice of sizes {sizes}")
    return offsets, sizes, strides


def _kept(sizes: Sequence[int], shape: Sequence[int]) -> list[int]:
    """The dimensions of a slice that its tensor of reduced rank has: of those of size 1, the first
    that do not fit are dropped."""
    kept, rest = [], list(shape)
    for axis, size in enumerate(sizes):
        if rest and rest[0] in (size, -1) and len(rest) <= len(sizes) - axis:
            if size == 1 and len(rest) < len(sizes) - axis and _fits(sizes[axis + 1 :], rest):
                continue
            kept.append(axis)
            rest.pop(0)
        elif size != 1:
            raise Fault(f"a slice of {list(sizes)} as a tensor of {list(shape)}")
    return kept


def _fits(sizes: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether leaving out some ones of `sizes` gives `shape`."""
    if not sizes:
        return not shape
    if shape and shape[0] == sizes[0] and _fits(sizes[1:], shape[1:]):
        return True
    return sizes[0] == 1 and _fits(sizes[1:], shape)


def extract_slice(op: Op, values: Sequence[Values]) -> Values:
    """Every stride-th element from the offsets on."""
    (tensor,), *box = values
    offsets, sizes, strides = _box(op, box)
    whole = build(
        sizes,
        lambda p: tensor.at([o + i * s for o, i, s in zip(offsets, p, strides, strict=True)]),
    )
    shape = [sizes[axis] for axis in _kept(sizes, op.types[0].shape or ())]
    return [Tensor(tuple(shape), whole.data)]


def insert_slice(op: Op, values: Sequence[Values]) -> Values:
    """A copy with such elements replaced."""
    (source,), (tensor,), *box = values
    data = list(tensor.data)
    write_slice(op, source, tensor, data, box)
    return [Tensor(tensor.shape, data)]


def write_slice(
    op: Op, source: Tensor, tensor: Tensor, data: list[Any], box: Sequence[Values]
) -> None:
    """Writes a tensor to a slice of the elements `data` of another."""
    offsets, sizes, strides = _box(op, box)
    if math.prod(sizes) != len(source.data):
        raise Fault(f"a tensor of {list(source.shape)} put into a slice of {sizes}")
    for point, value in zip(points(sizes), source.data, strict=True):
        where = [o + i * s for o, i, s in zip(offsets, point, strides, strict=True)]
        data[tensor.place(where)] = value


def pad(op: Op, values: Sequence[Values], border: Callable[[Point], Any]) -> Values:
    """A tensor with a border that a region computes from the indices."""
    (tensor,), low_values, high_values = values
    low = mixed(op.attributes["static_low"], low_values)
    high = mixed(op.attributes["static_high"], high_values)
    if any(n < 0 for n in (*low, *high)):
        raise Fault(f"padding of {low} and {high}")
    shape = [a + n + b for a, n, b in zip(low, tensor.shape, high, strict=True)]

    def element(point: Point) -> Any:
        inner = [i - a for i, a in zip(point, low, strict=True)]
        if all(0 <= i < n for i, n in zip(inner, tensor.shape, strict=True)):
            return tensor.at(inner)
        return border(point)

    return [build(shape, element)]


def gather(op: Op, operands: Values) -> Values:
    """Slices of the source at coordinates; gathered dimensions are ones, or left out."""
    source, indices = operands
    dims = op.attributes["gather_dims"]
    shape = op.types[0].shape or ()
    outer = indices.shape[:-1]
    slices = [1 if d in dims else n for d, n in enumerate(source.shape)]
    data = []
    for at in points(outer):
        where = [indices.at((*at, k)) for k in range(len(dims))]
        for point in points(slices):
            place = list(point)
            for d, index in zip(dims, where, strict=True):
                place[d] = index
            data.append(source.at(place))
    return [_reshaped(Tensor((len(data),), data), shape)]


def scatter(op: Op, operands: Values) -> Values:
    """A copy of the destination with slices at coordinates replaced, which do not repeat."""
    source, destination, indices = operands
    dims = op.attributes["scatter_dims"]
    data = list(destination.data)
    slices = [1 if d in dims else n for d, n in enumerate(destination.shape)]
    values = iter(source.data)
    for at in points(indices.shape[:-1]):
        where = [indices.at((*at, k)) for k in range(len(dims))]
        for point in points(slices):
            place = list(point)
            for d, index in zip(dims, where, strict=True):
                place[d] = index
            data[destination.place(place)] = next(values)
    return [Tensor(destination.shape, data)]


PLAIN: dict[str, Callable[[Op, Values], Values]] = {
    "arith.constant": constant,
    "index.constant": constant,
    "index.bool.constant": constant,
    "tensor.empty": empty,
    "tensor.splat": splat,
    "tensor.from_elements": from_elements,
    "tensor.extract": extract,
    "tensor.insert": insert,
    "tensor.dim": dim,
    "tensor.rank": rank,
    "tensor.cast": cast,
    "tensor.bitcast": bitcast,
    "tensor.collapse_shape": collapse_shape,
    "tensor.expand_shape": expand_shape,
    "tensor.reshape": reshape,
    "tensor.concat": concat,
    "tensor.gather": gather,
    "tensor.scatter": scatter,
}
"""Ops of operands only."""

GROUPED: dict[str, Callable[[Op, Sequence[Values]], Values]] = {
    "tensor.extract_slice": extract_slice,
    "tensor.insert_slice": insert_slice,
}
"""Ops whose operands come in groups."""
