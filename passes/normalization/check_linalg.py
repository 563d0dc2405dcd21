"""The contract of the `linalg` level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.passes.base import ModulePass, register
from ktir.passes.ir_utils import AnyOp, element_type, shape_of
from ktir.passes.normalization.generics import (
    Generic,
    generic,
    has_one_use,
    is_contraction,
    is_gather,
)
from ktir.passes.normalization.promote_accumulators import NARROW
from ktir.passes.normalization.sources import describe, problem_of_types, refuse_ops
from ktir.passes.normalization.split_gathers import is_plain

BODY_DIALECTS = ("arith", "math")
BODY_OPS = frozenset({"linalg.index", "linalg.yield", "tensor.extract"})


@register
@dataclass(frozen=True)
class CheckLinalg(ModulePass):
    """Check that the module keeps the contract of the `linalg` level.

    Changes nothing. Fails with every breach found (the first eight in full), each naming the op,
    its types, the line of the model that it comes from and what is supported: functions of one
    block on tensors with static, non-empty shapes of known element types; `linalg.generic` with
    projected-permutation maps, scalar bodies of `arith` and `math`, contractions that accumulate
    in f32, gathers of one yielded `tensor.extract`; `linalg.fill`; static views;
    `tensor.insert_slice` into a value with no other use; scalar constants.
    """

    NAME: ClassVar[str] = "ktir-check-linalg"

    def run(self, module: ir.Operation) -> None:
        with module.context:
            refuse_ops(module, _of_op)


def _of_op(op: AnyOp) -> str | None:
    rule = _RULES.get(op.operation.name, _unknown)
    return problem_of_types(op) or _of_extents(op) or rule(op)


def _unknown(op: AnyOp) -> str:
    return f"this op is not supported here; supported are {', '.join(_RULES)}"


def _of_extents(op: AnyOp) -> str | None:
    if any(0 in shape_of(value) for value in (*op.operands, *op.results)):
        return "tensors without elements are not supported"
    return None


def _of_generic(op: AnyOp) -> str | None:
    view = generic(op)
    if view is None:
        return "a generic must have tensor results"
    if "window" in view.iterators:
        return "window iterators are not supported; supported are parallel and reduction"
    try:
        constants = any(None in access for access in view.init_accesses)
    except UnsupportedError:
        return (
            "its indexing maps are not supported; supported are maps whose results are different "
            "loops or 0"
        )
    if constants:
        return "a result has a dimension that follows no loop"
    return _of_body(view)


def _of_body(view: Generic) -> str | None:
    for op in view.body.operations:
        name = op.operation.name
        if name not in BODY_OPS and name.partition(".")[0] not in BODY_DIALECTS:
            known = " and ".join(BODY_DIALECTS)
            return f"its body holds {describe(op)}; supported are scalar ops of {known}"
        if (problem := problem_of_types(op)) is not None:
            return f"its body holds {describe(op)}: {problem}"
    if is_gather(view) and not is_plain(view):
        return "a gather may hold index casts and one tensor.extract only"
    if is_contraction(view) and str(element_type(view.inits[0])) in NARROW:
        return f"a contraction of {element_type(view.inits[0])} must accumulate in f32"
    return None


def _of_slice(op: AnyOp) -> str | None:
    for name in ("offsets", "sizes", "strides"):
        if ir.ShapedType.get_dynamic_size() in ir.DenseI64ArrayAttr(
            op.attributes[f"static_{name}"]
        ):
            return f"dynamic {name} are not supported"
    return None


def _of_insert(op: AnyOp) -> str | None:
    target = op.operands[1]
    if isinstance(target.owner, ir.Block) or not has_one_use(target):
        return "the tensor written into has other uses or is an argument"
    return _of_slice(op)


def _of_constant(op: AnyOp) -> str | None:
    if isinstance(op.results[0].type, ir.RankedTensorType):
        return "a dense constant must be an argument of the function"
    return None


def _fine(op: AnyOp) -> str | None:
    return None


_RULES: dict[str, Callable[[AnyOp], str | None]] = {
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
