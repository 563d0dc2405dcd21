"""The contract of the `linalg` level."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.normalization.generics import (
    Generic,
    element_type,
    functions,
    generic,
    has_one_use,
    is_contraction,
    is_gather,
)
from ktir.passes.normalization.promote_accumulators import NARROW
from ktir.passes.normalization.sources import describe
from ktir.passes.normalization.split_gathers import is_plain

ELEMENT_TYPES = frozenset({"f16", "bf16", "f32", "f64", "i1", "i8", "i16", "i32", "i64"})
BODY_DIALECTS = ("arith", "math")
BODY_OPS = frozenset({"linalg.index", "linalg.yield", "tensor.extract"})
# What is listed when an op is refused; the rest of the message says why.
SUPPORTED = (
    "linalg.generic, linalg.fill, tensor.empty, tensor.expand_shape, tensor.collapse_shape, tensor.extract_slice, "
    "tensor.insert_slice, arith.constant"
)
LISTED = 8


@register
@dataclass(frozen=True)
class CheckLinalg(ModulePass):
    """Check that the module keeps the contract of the `linalg` level.

    Changes nothing. Fails with every breach found (the first eight in full), each naming the op, its types, the line of
    the model that it comes from and what is supported: functions of one block on tensors with static, non-empty shapes of known
    element types; `linalg.generic` with projected-permutation maps, scalar bodies of `arith` and `math`, contractions that
    accumulate in f32, gathers of one yielded `tensor.extract`; `linalg.fill`; static views; `tensor.insert_slice`
    into a value with no other use; scalar constants.
    """

    NAME: ClassVar[str] = "ktir-check-linalg"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            problems = [problem for function in functions(module) for problem in _of_function(function)]
        if problems:
            more = [f"and {len(problems) - LISTED} more"] if len(problems) > LISTED else []
            raise UnsupportedError("\n".join([*problems[:LISTED], *more]))


def _of_function(function: ir.OpView) -> Iterator[str]:
    blocks = list(function.regions[0].blocks)
    if len(blocks) != 1:
        yield f"{describe(function)}: control flow is not supported; the function has {len(blocks)} blocks, not 1"
        return
    for number, argument in enumerate(blocks[0].arguments):
        if (reason := _of_type(argument.type)) is not None:
            yield f"{describe(function)}: argument {number}: {reason}"
    for op in blocks[0].operations:
        reason = _of_types(op) or _RULES.get(op.operation.name, _unknown)(op)
        if reason is not None:
            yield f"{describe(op)}: {reason}"


def _unknown(op: ir.OpView) -> str:
    return f"this op is not supported here; supported are {SUPPORTED}"


def _of_types(op: ir.OpView) -> str | None:
    for value in (*op.operands, *op.results):
        reason = _of_type(value.type)
        if reason is not None:
            return reason
    return None


def _of_type(kind: ir.Type) -> str | None:
    if isinstance(kind, ir.RankedTensorType):
        if not kind.has_static_shape:
            return f"dynamic shapes are not supported: {kind}"
        if 0 in kind.shape:
            return f"tensors without elements are not supported: {kind}"
        kind = kind.element_type
    elif isinstance(kind, ir.ShapedType):
        return f"only ranked tensors are supported, not {kind}"
    if str(kind) not in ELEMENT_TYPES and not isinstance(kind, ir.IndexType):
        return f"element type {kind} is not supported; supported are {', '.join(sorted(ELEMENT_TYPES))}"
    return None


def _of_generic(op: ir.OpView) -> str | None:
    if any("window" in str(kind) for kind in op.attributes["iterator_types"]):
        return "window iterators are not supported; supported are parallel and reduction"
    view = generic(op)
    if view is None:
        return (
            "the indexing maps are not projected permutations of the loops (as in convolution and pooling); supported are "
            "maps whose results are different loops or 0"
        )
    if any(None in access for access in view.init_accesses):
        return "a result has a dimension that follows no loop"
    return _of_body(view)


def _of_body(view: Generic) -> str | None:
    for op in view.body.operations:
        name = op.operation.name
        if name not in BODY_OPS and name.split(".")[0] not in BODY_DIALECTS:
            return f"its body holds {describe(op)}; supported are scalar ops of {' and '.join(BODY_DIALECTS)}"
        if any(isinstance(result.type, ir.ComplexType) for result in op.results):
            return f"its body holds {describe(op)}; complex numbers are not supported"
    if is_gather(view) and not is_plain(view):
        return "a gather may hold index casts and one tensor.extract only"
    if is_contraction(view) and _is_narrow(view.inits[0]):
        return f"a contraction of {element_type(view.inits[0])} must accumulate in f32"
    return None


def _is_narrow(value: ir.Value) -> bool:
    return str(element_type(value)) in NARROW


def _of_slice(op: ir.OpView) -> str | None:
    for name in ("offsets", "sizes", "strides"):
        if ir.ShapedType.get_dynamic_size() in ir.DenseI64ArrayAttr(op.attributes[f"static_{name}"]):
            return f"dynamic {name} are not supported"
    return None


def _of_insert(op: ir.OpView) -> str | None:
    target = op.operands[1]
    if isinstance(target.owner, ir.Block) or not has_one_use(target):
        return "the tensor written into has other uses or is an argument"
    return _of_slice(op)


def _of_constant(op: ir.OpView) -> str | None:
    if isinstance(op.results[0].type, ir.RankedTensorType):
        return "a dense constant must be an argument of the function"
    return None


def _fine(op: ir.OpView) -> str | None:
    return None


_RULES: dict[str, Callable[[ir.OpView], str | None]] = {
    "linalg.generic": _of_generic,
    "linalg.fill": _fine,
    "tensor.empty": _fine,
    "tensor.expand_shape": _fine,
    "tensor.collapse_shape": _fine,
    "tensor.extract_slice": _of_slice,
    "tensor.insert_slice": _of_insert,
    "arith.constant": _of_constant,
    "func.return": _fine,
}
