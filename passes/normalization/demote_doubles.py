"""Takes the f64 arithmetic that torch-mlir adds back to f32."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.normalization.generics import constant, element_type, functions, terminator

# Conversions whose source or result may need more digits than f32 has.
EXACT = ("arith.sitofp", "arith.uitofp")


@register
@dataclass(frozen=True)
class DemoteDoubles(ModulePass):
    """Compute in f32 what torch-mlir computes in f64 although only narrower floats go in.

    Requires: named ops generalised. Layer norm's variance and the scale of attention come in f64. Values of f64 that are
    connected by ops, through bodies and tensors, form a group; a group is demoted unless it holds an argument or result of
    the function or a number converted from an integer, which may need 53 bits. Ensures: f64 is left only in the groups kept.
    Constants are rounded to f32.

        %e = arith.extf %in : f32 to f64; %m = arith.mulf %e, %e : f64; %t = arith.truncf %m : f64 to f32
    becomes
        %m = arith.mulf %in, %in : f32
    """

    NAME: ClassVar[str] = "ktir-demote-doubles"

    def run(self, module: ir.Operation) -> None:
        with module.context, ir.Location.unknown():
            for function in functions(module):
                _demote(function, _Groups.of(function))


@dataclass
class _Groups:
    """Union-find over f64 values; `kept` holds values whose groups stay."""

    parents: dict[ir.Value, ir.Value] = field(default_factory=dict)
    kept: list[ir.Value] = field(default_factory=list)

    @staticmethod
    def of(function: ir.OpView) -> _Groups:
        groups = _Groups()
        entry = function.regions[0].blocks[0]
        groups.kept += [value for value in entry.arguments if _is_double(value)]
        groups.kept += [value for value in terminator(entry).operands if _is_double(value)]
        for op in _walk(function):
            groups.join(op)
        return groups

    def join(self, op: ir.Operation) -> None:
        """Puts all f64 values that meet at `op` into one group. Constants belong to no group: each user has its own."""
        if op.name in ("arith.constant", "func.func", "linalg.yield", "func.return"):
            return
        doubles = [v for v in (*op.operands, *op.results) if _is_double(v) and not _is_constant(v)]
        if op.name in EXACT:
            self.kept += doubles
        if op.name.startswith("linalg.") and len(op.regions):
            self._join_body(op)
        elif doubles:
            self._union(doubles)

    def _join_body(self, op: ir.Operation) -> None:
        body = op.regions[0].blocks[0]
        results = list(op.results)
        inits = list(op.operands)[len(op.operands) - len(results) :]
        pairs = [*zip(op.operands, body.arguments, strict=True)]
        pairs += [*zip(results, terminator(body).operands, strict=True), *zip(results, inits, strict=True)]
        for first, second in pairs:
            self._union([value for value in (first, second) if _is_double(value) and not _is_constant(value)])

    def _union(self, values: list[ir.Value]) -> None:
        for value in values[1:]:
            self.parents[self._root(value)] = self._root(values[0])

    def _root(self, value: ir.Value) -> ir.Value:
        while (parent := self.parents.get(value, value)) != value:
            value = parent
        return value

    def demoted(self, value: ir.Value) -> bool:
        root = self._root(value)
        return all(self._root(kept) != root for kept in self.kept)


def _demote(function: ir.OpView, groups: _Groups) -> None:
    ops = list(_walk(function))
    if not any(_is_double(value) for op in ops for value in op.results):
        return
    chosen = {
        value
        for op in ops
        for value in (*op.results, *_arguments(op))
        if _is_double(value) and not _is_constant(value) and groups.demoted(value)
    }
    constants = [op for op in ops if op.name == "arith.constant" and _is_double(op.result)]
    for op in ops:
        _demote_constants(op, chosen)
    for value in chosen:
        value.set_type(_single(value.type))
    for op in ops:
        _drop_needless_cast(op)
    for op in constants:
        if next(iter(op.result.uses), None) is None:
            op.erase()


def _demote_constants(op: ir.Operation, chosen: set[ir.Value]) -> None:
    """Gives `op` f32 constants where its other f64 values are demoted."""
    if op.name == "func.return" or not _is_demoted_user(op, chosen):
        return
    for index, operand in enumerate(op.operands):
        if _is_double(operand) and _is_constant(operand):
            with ir.InsertionPoint(operand.owner):
                op.operands[index] = constant(_rounded(operand.owner.attributes["value"]), operand.owner.location)


def _is_demoted_user(op: ir.Operation, chosen: set[ir.Value]) -> bool:
    values = [value for value in (*op.operands, *op.results) if _is_double(value) and not _is_constant(value)]
    if op.name == "linalg.yield":
        values += [value for value in op.parent.results if _is_double(value)]
    # A constant that meets no other f64 value, as the scale of attention that is rounded at once.
    return all(value in chosen for value in values)


def _drop_needless_cast(op: ir.Operation) -> None:
    if op.name not in ("arith.extf", "arith.truncf"):
        return
    source, result = op.operands[0], op.results[0]
    if source.type == result.type:
        result.replace_all_uses_with(source)
        op.erase()


def _walk(function: ir.OpView) -> list[ir.Operation]:
    ops: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        ops.append(op)
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit)
    return ops


def _arguments(op: ir.Operation) -> list[ir.Value]:
    return [argument for region in op.regions for block in region.blocks for argument in block.arguments]


def _is_double(value: ir.Value) -> bool:
    return isinstance(element_type(value), ir.F64Type)


def _is_constant(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner.name == "arith.constant"


def _single(kind: ir.Type) -> ir.Type:
    single = ir.F32Type.get()
    return ir.RankedTensorType.get(kind.shape, single) if isinstance(kind, ir.RankedTensorType) else single


def _rounded(value: ir.Attribute) -> ir.Attribute:
    if isinstance(value, ir.FloatAttr):
        return ir.FloatAttr.get(ir.F32Type.get(), value.value)
    kind = _single(value.type)
    if value.is_splat:
        return ir.DenseElementsAttr.get_splat(kind, _rounded(value.get_splat_value()))
    numbers = [ir.FloatAttr.get(ir.F32Type.get(), number) for number in ir.DenseFPElementsAttr(value)]
    return ir.DenseElementsAttr.get(numbers, kind)
