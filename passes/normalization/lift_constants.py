"""Moves dense constants out of the code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import AnyOp, element_type, functions_of, is_tensor, shape_of
from ktir.passes.normalization.building import (
    constant,
    fill,
)
from ktir.passes.normalization.sources import describe

# Little-endian element types of resources.
_DTYPES = {
    "f16": "<f2",
    "f32": "<f4",
    "f64": "<f8",
    "i8": "<i1",
    "i16": "<i2",
    "i32": "<i4",
    "i64": "<i8",
}


@register
@dataclass(frozen=True)
class LiftConstants(ModulePass):
    """Turn splat tensor constants into fills and other dense constants into arguments.

    Requires: nothing. Ensures: `arith.constant` makes scalars only. A dense constant that is no
    splat becomes a new last argument of its function with `ktir.name = "constant.N"` (N counts
    from 0) and its data as `ktir.value`; whoever calls the function takes the data from there and
    must drop that attribute. Equal constants share an argument.
    Fails for a resource whose element type cannot be read.

        %c = arith.constant dense<[1, 2]> : tensor<2xi64>
    becomes
        func.func @main(.., %c: tensor<2xi64> {ktir.name = "constant.0", ktir.value = dense<..>})
    """

    NAME: ClassVar[str] = "ktir-lift-constants"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for function in functions_of(module):
                _lift(function)


def _lift(function: AnyOp) -> None:
    entry = function.regions[0].blocks[0]
    arguments: dict[ir.Attribute, ir.Value] = {}
    attributes: list[ir.Attribute] = []
    for op in list(entry.operations):
        if op.operation.name != "arith.constant" or not is_tensor(op.results[0]):
            continue
        value = _dense(op)
        if value.is_splat:
            _fill(op, value)
            continue
        if value not in arguments:
            arguments[value] = entry.add_argument(op.results[0].type, op.location)
            attributes.append(_argument_attributes(len(attributes), value))
        op.results[0].replace_all_uses_with(arguments[value])
        op.operation.erase()
    if attributes:
        _extend_signature(function, attributes)


def _dense(op: AnyOp) -> ir.DenseElementsAttr:
    """The data of a constant, that of a resource included."""
    value = op.attributes["value"]
    if isinstance(value, ir.DenseElementsAttr):
        return value
    name = re.fullmatch(r"dense_resource<(.*)> : .*", str(value))
    dtype = _DTYPES.get(str(element_type(op.results[0])))
    if name is None or dtype is None:
        raise UnsupportedError(f"{describe(op)}: constants of this form are not supported")
    # The bindings do not give a resource's data, but the assembly does: 4 bytes of alignment first.
    holder = ir.Module.create(op.location)
    holder.body.append(op.operation.clone())
    found = re.search(rf'{re.escape(name[1])}"?: "0x([0-9A-Fa-f]*)"', str(holder))
    if found is None:
        raise UnsupportedError(f"{describe(op)}: the data of resource {name[1]} are missing")
    data = np.frombuffer(bytes.fromhex(found[1])[4:], dtype).reshape(shape_of(op.results[0]))
    if data.size and (data == data.flat[0]).all():
        single = ir.DenseElementsAttr.get(data.flatten()[:1].data).get_splat_value()
        return ir.DenseElementsAttr.get_splat(op.results[0].type, single)
    return ir.DenseElementsAttr.get(data.data)


def _fill(op: AnyOp, value: ir.DenseElementsAttr) -> None:
    result = op.results[0]
    with ir.InsertionPoint(op):
        splat = constant(value.get_splat_value(), element_type(result), op.location)
        filled = fill(splat, shape_of(result), op.location)
    result.replace_all_uses_with(filled)
    op.operation.erase()


def _argument_attributes(number: int, value: ir.Attribute) -> ir.Attribute:
    return ir.DictAttr.get(
        {"ktir.name": ir.StringAttr.get(f"constant.{number}"), "ktir.value": value}
    )


def _extend_signature(function: AnyOp, added: list[ir.Attribute]) -> None:
    old = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    inputs = [argument.type for argument in function.regions[0].blocks[0].arguments]
    known = (
        list(ir.ArrayAttr(function.attributes["arg_attrs"]))
        if "arg_attrs" in function.attributes
        else [ir.DictAttr.get({})] * len(old.inputs)
    )
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, old.results))
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(known + added)
