"""Selection of ops on scalars: they stay as they are.

Owns `arith`, `math` and `index` on scalars, affine ops, and the values that a launch gives. The
same dialects on tensors are elementwise ops, see `structured`.
"""

from __future__ import annotations

import dataclasses
import re

from ktir.mlir import ir
from ktir.passes.ir_utils import is_tensor
from ktir.passes.lowering.affine import fold
from ktir.passes.lowering.handlers import lowers, lowers_rest_of
from ktir.passes.lowering.index import Greatest, Index, Least
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.steps import Check, CoreId, Scalar
from ktir.passes.lowering.structured import select_elementwise
from ktir.passes.lowering.values import Dense, Splat, is_open, is_scalar, zero_of
from ktir.resources import with_elements

_RUNTIME_ARG = re.compile(
    r"!ktdp\.runtime_arg<(?P<value>[^,>]+)"
    r"(, granularity *= *(?P<granularity>\d+))?(, upperbound *= *(?P<upperbound>\d+))?>"
)


@lowers_rest_of("arith", "math", "index")
def _arithmetic(selection: Selection, op: ir.Operation) -> None:
    values = [*op.operands, *op.results]
    if any(is_tensor(value) for value in values):
        select_elementwise(selection, op)
    elif len(op.regions) == 0 and all(is_scalar(value) for value in values):
        selection.append(Scalar(op.location, op))
    else:
        raise selection.refusal(op, "only scalars and tensors have a lowering to sdf")


@lowers("cf.assert")
def _assert(selection: Selection, op: ir.Operation) -> None:
    message = ir.StringAttr(op.attributes["msg"]).value
    selection.append(Check(op.location, op.operands[0], message))


@lowers("ub.poison")
def _poison(selection: Selection, op: ir.Operation) -> None:
    """Zeros: rewriting blocks as loops passes such values on where nothing is to be passed."""
    (result,) = op.results
    if is_scalar(result):
        selection.define(result, zero_of(result.type), op)
    elif is_tensor(result):
        type_ = ir.RankedTensorType(result.type)
        extents = tuple(0 if is_open(size) else size for size in type_.shape)
        zero = zero_of(type_.element_type)
        selection.bind(result, Splat(zero, () if type_.has_static_shape else extents))
    else:
        raise selection.refusal(op, f"a value of type {result.type} has no place")


@lowers("arith.constant")
def _constant(selection: Selection, op: ir.Operation) -> None:
    if is_scalar(op.results[0]):
        selection.append(Scalar(op.location, op))
        return
    if not is_tensor(op.results[0]):
        raise selection.refusal(op, f"a constant of type {op.results[0].type} has no place")
    value = with_elements(op.attributes["value"])
    if not isinstance(value, ir.DenseElementsAttr):
        raise selection.refusal(op, f"{value} is no constant with elements")
    if value.is_splat:
        selection.bind(op.results[0], Splat(value.get_splat_value()))
    else:
        selection.bind(op.results[0], Dense(value))


@lowers("affine.apply")
def _affine_apply(selection: Selection, op: ir.Operation) -> None:
    (value,) = _map_results(selection, op)
    selection.define(op.results[0], value, op)


@lowers("affine.min")
def _affine_min(selection: Selection, op: ir.Operation) -> None:
    least = Least(tuple(_map_results(selection, op)))
    selection.define(op.results[0], least, op)


@lowers("affine.max")
def _affine_max(selection: Selection, op: ir.Operation) -> None:
    greatest = Greatest(tuple(_map_results(selection, op)))
    selection.define(op.results[0], greatest, op)


def _map_results(selection: Selection, op: ir.Operation) -> list[Index]:
    map_ = ir.AffineMapAttr(op.attributes["map"]).value
    operands = [selection.index(operand) for operand in op.operands]
    dims, symbols = operands[: map_.n_dims], operands[map_.n_dims :]
    return [fold(expr, dims, symbols) for expr in map_.results]


@lowers("ktdp.get_compute_tile_id")
def _core_id(selection: Selection, op: ir.Operation) -> None:
    selection.append(CoreId(op.location, tuple(op.results)))


@lowers("ktdp.runtime_arg_extract")
def _runtime_arg(selection: Selection, op: ir.Operation) -> None:
    (argument,), (result,) = op.operands, op.results
    kind = ir.IntegerAttr(op.attributes["kind"]).value
    promises = runtime_arg(argument.type)
    value = (argument, promises.granularity, promises.upperbound)[kind]
    if value is None:
        raise selection.refusal(op, f"the type of the argument does not state it: {argument.type}")
    selection.define(result, value, op)


@dataclasses.dataclass(frozen=True)
class RuntimeArg:
    """A `!ktdp.runtime_arg` type: the type of its value and what it promises."""

    value: str
    granularity: int | None
    upperbound: int | None


def runtime_arg(type_: ir.Type) -> RuntimeArg:
    """The parts of a `!ktdp.runtime_arg` type."""
    match = _RUNTIME_ARG.fullmatch(str(type_))
    assert match is not None, type_
    promises = [int(match[name]) if match[name] else None for name in ("granularity", "upperbound")]
    return RuntimeArg(match["value"], *promises)
