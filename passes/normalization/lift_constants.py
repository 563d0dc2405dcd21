"""Moves dense constants out of the code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.normalization.generics import constant, fill, functions


@register
@dataclass(frozen=True)
class LiftConstants(ModulePass):
    """Turn splat tensor constants into fills and other dense constants into arguments.

    Requires: nothing. Ensures: `arith.constant` makes scalars only. A dense constant that is no splat becomes a new last
    argument of its function with `ktir.name = "constant.N"` (N counts from 0) and its data as `ktir.value`; whoever
    calls the function takes the data from there and must drop that attribute. Equal constants share an argument.

        %c = arith.constant dense<[1, 2]> : tensor<2xi64>
    becomes
        func.func @main(.., %c: tensor<2xi64> {ktir.name = "constant.0", ktir.value = dense<[1, 2]> : tensor<2xi64>})
    """

    NAME: ClassVar[str] = "ktir-lift-constants"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for function in functions(module):
                _lift(function)


def _lift(function: ir.OpView) -> None:
    entry = function.regions[0].blocks[0]
    arguments: dict[ir.Attribute, ir.Value] = {}
    attributes: list[ir.Attribute] = []
    for op in list(entry.operations):
        value = op.attributes["value"] if op.operation.name == "arith.constant" else None
        if value is None or not isinstance(value.type, ir.RankedTensorType):
            continue
        if isinstance(value, ir.DenseElementsAttr) and value.is_splat:
            _fill(op, value)
        else:
            if value not in arguments:
                arguments[value] = entry.add_argument(value.type, op.location)
                attributes.append(_argument_attributes(len(attributes), value))
            op.results[0].replace_all_uses_with(arguments[value])
        op.operation.erase()
    if attributes:
        _extend_signature(function, attributes)


def _fill(op: ir.OpView, value: ir.DenseElementsAttr) -> None:
    with ir.InsertionPoint(op), op.location:
        scalar = constant(value.get_splat_value(), op.location)
        result = fill(scalar, value.type.shape, op.location)
    op.results[0].replace_all_uses_with(result)


def _argument_attributes(number: int, value: ir.Attribute) -> ir.Attribute:
    return ir.DictAttr.get({"ktir.name": ir.StringAttr.get(f"constant.{number}"), "ktir.value": value})


def _extend_signature(function: ir.OpView, added: list[ir.Attribute]) -> None:
    old = function.type
    inputs = [argument.type for argument in function.regions[0].blocks[0].arguments]
    known = (
        list(ir.ArrayAttr(function.attributes["arg_attrs"]))
        if "arg_attrs" in function.attributes
        else [ir.DictAttr.get({})] * len(old.inputs)
    )
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, old.results))
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(known + added)
