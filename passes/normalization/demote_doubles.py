"""Takes the f64 arithmetic that torch-mlir adds back to f32."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ktir.inside import ops_inside
from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import (
    AnyOp,
    defining_op,
    element_type,
    functions_of,
    node_names,
    terminator,
)
from ktir.passes.normalization.building import constant
from ktir.passes.normalization.generics import is_used

DOUBLES = "ktir.doubles"
"""The attribute of a function that lists the model's own nodes of f64, as locations name them."""

# Conversions whose source or result may need more digits than f32 has.
EXACT = ("arith.sitofp", "arith.uitofp")


@register
@dataclass(frozen=True)
class DemoteDoubles(ModulePass):
    """Compute in f32 what torch-mlir computes in f64 although only narrower floats go in.

    Requires: named ops generalised. Layer norm's variance and the scale of attention come in f64.
    Values of f64 that are connected by ops, through bodies and tensors, form a group; a group is
    demoted unless it holds an argument or result of the function, a number converted from an
    integer, which may need 53 bits, or a value of a node that the model itself has in f64
    (`ktir.doubles` of the function, which is dropped). Ensures: f64 is left only in the groups
    kept. Constants are rounded to f32.

        %e = arith.extf %in : f32 to f64; %m = arith.mulf %e, %e : f64
        %t = arith.truncf %m : f64 to f32
    becomes
        %m = arith.mulf %in, %in : f32
    """

    NAME: ClassVar[str] = "ktir-demote-doubles"

    def run(self, module: ir.Operation) -> None:
        with module.context, ir.Location.unknown():
            for function in functions_of(module):
                ops = ops_inside(function)
                if any(_is_double(result) for op in ops for result in op.results):
                    _demote(ops, _Groups.of(function, ops))
                if DOUBLES in function.attributes:
                    del function.attributes[DOUBLES]


@dataclass
class _Groups:
    """Union-find over f64 values; `kept` holds values whose groups stay."""

    parents: dict[ir.Value, ir.Value] = field(default_factory=dict)
    kept: list[ir.Value] = field(default_factory=list)

    @staticmethod
    def of(function: AnyOp, ops: Sequence[AnyOp]) -> _Groups:
        groups = _Groups()
        entry = function.regions[0].blocks[0]
        groups.kept += [value for value in entry.arguments if _is_double(value)]
        groups.kept += [value for value in terminator(entry).operands if _is_double(value)]
        stated = _stated(function)
        for op in ops:
            groups._join(op)
            if stated & node_names(op.location):
                groups.kept += [value for value in op.results if _is_grouped(value)]
        return groups

    def demoted(self, ops: Sequence[AnyOp]) -> set[ir.Value]:
        """The values whose groups are demoted."""
        kept = {self._root(value) for value in self.kept}
        values = (value for op in ops for value in (*op.results, *_arguments(op)))
        return {value for value in values if _is_grouped(value) and self._root(value) not in kept}

    def _join(self, op: AnyOp) -> None:
        """Puts all f64 values that meet at `op` into one group."""
        name = op.operation.name
        if name in ("linalg.yield", "func.return"):
            return
        doubles = [value for value in (*op.operands, *op.results) if _is_grouped(value)]
        if name in EXACT:
            self.kept += doubles
        if name.startswith("linalg.") and len(op.regions):
            self._join_body(op)
        else:
            self._union(doubles)

    def _join_body(self, op: AnyOp) -> None:
        body = op.regions[0].blocks[0]
        results = list(op.results)
        inits = list(op.operands)[len(op.operands) - len(results) :]
        pairs = [
            *zip(op.operands, body.arguments, strict=True),
            *zip(results, terminator(body).operands, strict=True),
            *zip(results, inits, strict=True),
        ]
        for pair in pairs:
            self._union([value for value in pair if _is_grouped(value)])

    def _union(self, values: list[ir.Value]) -> None:
        for value in values[1:]:
            self.parents[self._root(value)] = self._root(values[0])

    def _root(self, value: ir.Value) -> ir.Value:
        while (parent := self.parents.get(value, value)) != value:
            value = parent
        return value


def _demote(ops: Sequence[AnyOp], groups: _Groups) -> None:
    chosen = groups.demoted(ops)
    constants = [
        op for op in ops if any(map(_is_constant, op.results)) and _is_double(op.results[0])
    ]
    for op in ops:
        if _uses_only(op, chosen):
            _demote_constants(op)
    for value in chosen:
        value.set_type(_single(value.type))
    for op in ops:
        if op.operation.name in ("arith.extf", "arith.truncf"):
            _drop_needless_cast(op)
    for op in constants:
        if not is_used(op.results[0]):
            op.operation.erase()


def _stated(function: AnyOp) -> frozenset[str]:
    """The model's own nodes of f64."""
    if DOUBLES not in function.attributes:
        return frozenset()
    return frozenset(
        str(ir.StringAttr(n).value) for n in ir.ArrayAttr(function.attributes[DOUBLES])
    )


def _uses_only(op: AnyOp, chosen: set[ir.Value]) -> bool:
    """Whether all f64 values at `op` but constants are demoted; also where there are only
    constants, as the scale of attention that is rounded at once.
    """
    name = op.operation.name
    values = [value for value in (*op.operands, *op.results) if _is_grouped(value)]
    if name == "linalg.yield" and op.operation.parent is not None:
        values += [value for value in op.operation.parent.results if _is_double(value)]
    return name != "func.return" and all(value in chosen for value in values)


def _demote_constants(op: AnyOp) -> None:
    """Gives `op` f32 constants for its f64 ones."""
    for number, operand in enumerate(op.operands):
        source = defining_op(operand)
        if source is not None and _is_double(operand) and _is_constant(operand):
            with ir.InsertionPoint(source):
                kind = _single(operand.type)
                value = constant(_rounded(source.attributes["value"], kind), kind, source.location)
            op.operation.operands[number] = value


def _drop_needless_cast(op: AnyOp) -> None:
    source, result = op.operands[0], op.results[0]
    if source.type == result.type:
        result.replace_all_uses_with(source)
        op.operation.erase()


def _arguments(op: AnyOp) -> list[ir.Value]:
    return [
        argument for region in op.regions for block in region.blocks for argument in block.arguments
    ]


def _is_grouped(value: ir.Value) -> bool:
    """Constants belong to no group: each user has its own."""
    return _is_double(value) and not _is_constant(value)


def _is_double(value: ir.Value) -> bool:
    return isinstance(element_type(value), ir.F64Type)


def _is_constant(value: ir.Value) -> bool:
    source = defining_op(value)
    return source is not None and source.operation.name == "arith.constant"


def _single(kind: ir.Type) -> ir.Type:
    single = ir.F32Type.get()
    if isinstance(kind, ir.RankedTensorType):
        return ir.RankedTensorType.get(kind.shape, single)
    return single


def _rounded(value: ir.Attribute, kind: ir.Type) -> ir.Attribute:
    """An f64 attribute as one of `kind`, which is f32 or a tensor of it."""
    single = ir.F32Type.get()
    if isinstance(value, ir.FloatAttr):
        return ir.FloatAttr.get(single, value.value)
    dense = ir.DenseFPElementsAttr(value)
    if dense.is_splat:
        splat = ir.FloatAttr(dense.get_splat_value())
        return ir.DenseElementsAttr.get_splat(kind, ir.FloatAttr.get(single, splat.value))
    numbers = [ir.FloatAttr.get(single, dense[number]) for number in range(len(dense))]
    return ir.DenseElementsAttr.get(numbers, kind)
