"""What a tensor is while its kernel is lowered, and what types and constants say of values.

A tensor that holds one scalar everywhere (`Splat`) takes no place until something needs its bytes.
`tensor.empty` counts as zeros, which public kernels rely on where an accumulation starts from it.
So does a tensor without elements: any scalar is all of its content.
"""

from __future__ import annotations

import dataclasses

from ktir.mlir import ir
from ktir.passes.ir_utils import defining_op
from ktir.passes.lowering.index import Index, Key
from ktir.passes.lowering.steps import Slot


@dataclasses.dataclass(frozen=True)
class Splat:
    """A tensor whose elements are one scalar: a value of the kernel, or a constant's attribute.

    `extents` are its sizes where its type leaves some open.
    """

    scalar: Key | ir.Attribute
    extents: tuple[Index, ...] = ()


@dataclasses.dataclass(frozen=True)
class Dense:
    """A constant with different elements."""

    value: ir.DenseElementsAttr


TensorValue = Slot | Splat | Dense

Passed = Slot | Index | None
"""What control flow passes on: a slot for a tensor, a scalar, None for a tensor of no elements."""


def is_open(size: int) -> bool:
    """Whether a size in a type is left open."""
    return size == ir.ShapedType.get_dynamic_size()


def is_nothing(value: ir.Value) -> bool:
    """Whether the type of a value says that it is a tensor without elements."""
    type_ = value.type
    return isinstance(type_, ir.RankedTensorType) and type_.has_static_shape and 0 in type_.shape


def nothing(value: ir.Value) -> Splat:
    """What a tensor without elements is."""
    return Splat(zero_of(ir.RankedTensorType(value.type).element_type))


def zero_of(element: ir.Type) -> ir.Attribute:
    """Zero as an attribute of this type."""
    if isinstance(element, ir.FloatType):
        return ir.FloatAttr.get(element, 0.0)
    return ir.IntegerAttr.get(element, 0)


def constant_of(value: ir.Value) -> ir.Attribute | None:
    """The attribute of a value made by `arith.constant`, else None."""
    op = defining_op(value)
    if op is None or op.name != "arith.constant":
        return None
    return op.attributes["value"]


def scalar_source(value: ir.Value) -> ir.Value | ir.Attribute:
    """A scalar as the attribute of a constant, if it is one."""
    constant = constant_of(value)
    return value if constant is None else constant


def segments(op: ir.Operation) -> list[list[ir.Value]]:
    """The operands of an op with several lists of them, list by list."""
    operands = list(op.operands)
    groups = []
    for size in ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]):
        groups.append(operands[:size])
        operands = operands[size:]
    return groups


def is_scalar(value: ir.Value) -> bool:
    """Whether `value` is a number that no tensor holds."""
    return is_scalar_type(value.type)


def is_scalar_type(type_: ir.Type) -> bool:
    """Whether a scalar or an element of a buffer can be of this type."""
    return isinstance(type_, (ir.IntegerType, ir.FloatType, ir.IndexType))
