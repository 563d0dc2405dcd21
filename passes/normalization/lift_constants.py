"""Moves dense constants out of the code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.normalization.building import (
    constant,
    fill,
)
from ktir.passes.normalization.generics import (
    element_type,
    functions,
    is_tensor,
    shape,
)


@register
@dataclass(frozen=True)
class LiftConstants(ModulePass):
    """Turn splat tensor constants into fills and other dense constants into arguments.

    Requires: nothing. Ensures: `arith.constant` makes scalars only. A dense constant that is no
    splat becomes a new last argument of its function with `ktir.name = "constant.N"` (N counts
    from 0) and its data as `ktir.value`; whoever calls the function takes the data from there and
    must drop that attribute. Equal constants share an argument.

        %c = arith.constant dense<[1, 2]> : tensor<2xi64>
    becomes
        func.func @main(.., %c: tensor<2xi64> {ktir.name = "constant.0", ktir.value = dense<..>})
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
        if op.operation.name != "arith.constant" or not is_tensor(op.results[0]):
            continue
        value = op.attributes["value"]
        if isinstance(value, ir.DenseElementsAttr) and value.is_splat:
            _fill(op, value)
            continue
        if value not in arguments:
            arguments[value] = entry.add_argument(op.results[0].type, op.location)
            attributes.append(_argument_attributes(len(attributes), value))
        op.results[0].replace_all_uses_with(arguments[value])
        op.operation.erase()
    if attributes:
        _extend_signature(function, attributes)


def _fill(op: ir.OpView, value: ir.DenseElementsAttr) -> None:
    result = op.results[0]
    with ir.InsertionPoint(op):
        splat = constant(value.get_splat_value(), element_type(result), op.location)
        filled = fill(splat, shape(result), op.location)
    result.replace_all_uses_with(filled)
    op.operation.erase()


def _argument_attributes(number: int, value: ir.Attribute) -> ir.Attribute:
    return ir.DictAttr.get(
        {"ktir.name": ir.StringAttr.get(f"constant.{number}"), "ktir.value": value}
    )


def _extend_signature(function: ir.OpView, added: list[ir.Attribute]) -> None:
    old = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    inputs = [argument.type for argument in function.regions[0].blocks[0].arguments]
    known = (
        list(ir.ArrayAttr(function.attributes["arg_attrs"]))
        if "arg_attrs" in function.attributes
        else [ir.DictAttr.get({})] * len(old.inputs)
    )
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, old.results))
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(known + added)
