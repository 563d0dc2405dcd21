"""From the ops of one kernel to steps on slots: the state of that walk, and who handles which op.

Owns the values seen so far and the table of handlers. A handler takes the selection and one op,
appends steps and binds the op's tensor results. Handlers stand in a file for each family: `memory`
(ktdp), `structured` (linalg and elementwise ops), `tensors`, `scalars` and `control`. An op without
a handler is refused by name.

A tensor that holds one scalar everywhere (`Splat`) takes no place until something needs its bytes:
then it is filled in right there. `tensor.empty` counts as zeros, which public kernels rely on where
an accumulation starts from it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TypeVar

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.passes.ir_utils import defining_op, identity_map, is_tensor, place_of
from ktir.passes.lowering.bodies import Scalars, yield_scalar
from ktir.passes.lowering.boxes import Interval
from ktir.passes.lowering.steps import Access, Compute, Define, Index, Reshape, Slot, Step


@dataclasses.dataclass(frozen=True)
class Splat:
    """A tensor whose elements are one scalar: a value of the kernel, or a constant's attribute."""

    scalar: ir.Value | ir.Attribute


@dataclasses.dataclass(frozen=True)
class Dense:
    """A constant with different elements; nothing can use it yet."""


TensorValue = Slot | Splat | Dense


class Selection:
    """The steps of one kernel, as far as its ops have been seen.

    `tiles` are the places in device memory that access tiles name, `boxes` the sets read so far.
    """

    def __init__(self, kernel: str) -> None:
        self.kernel = kernel
        self.steps: list[Step] = []
        self.tiles: dict[ir.Value, Access] = {}
        self.boxes: dict[ir.Attribute, list[Interval]] = {}
        self._tensors: dict[ir.Value, TensorValue] = {}
        self._constants: dict[ir.Value, int] = {}

    def block(self, block: ir.Block) -> tuple[list[Step], dict[int, Slot]]:
        """The steps of `block`, and the slots of the tensors that its terminator passes on, by
        position."""
        outer, self.steps = self.steps, []
        *ops, terminator = (op.operation for op in block)
        for op in ops:
            self.op(op)
        passed = {
            i: self.slot(value, terminator)
            for i, value in enumerate(terminator.operands)
            if is_tensor(value)
        }
        inner, self.steps = self.steps, outer
        return inner, passed

    def op(self, op: ir.Operation) -> None:
        """Appends the steps of one op. Raises UnsupportedError if nothing handles it."""
        handler = HANDLERS.get(op.name) or DIALECT_HANDLERS.get(op.name.split(".")[0])
        if handler is None:
            raise self.refusal(op, "no lowering to sdf is known for this op")
        with op.location:
            handler(self, op)

    def append(self, step: Step) -> None:
        """Adds a step at the end of the current block."""
        self.steps.append(step)

    def bind(self, value: ir.Value, tensor: TensorValue) -> None:
        """Says what the tensor `value` is from now on."""
        self._tensors[value] = tensor

    def tensor(self, value: ir.Value) -> TensorValue:
        """What the tensor `value` is."""
        return self._tensors[value]

    def slot(self, value: ir.Value, user: ir.Operation) -> Slot:
        """A slot that holds `value`; a splat is filled in here, for `user` alone."""
        tensor = self._tensors[value]
        if isinstance(tensor, Slot):
            return tensor
        if isinstance(tensor, Dense):
            source = defining_op(value)
            raise self.refusal(
                source if source is not None else user,
                "the constant has different elements; pass it to the kernel as an argument",
            )
        slot = self.new_slot(user, value.type)
        self.fill(slot, tensor.scalar, user)
        return slot

    def new_slot(self, op: ir.Operation, tensor_type: ir.Type) -> Slot:
        """A slot for a tensor that `op` makes. Raises UnsupportedError for a shape with unknown or
        no elements."""
        ranked = ir.RankedTensorType(tensor_type)
        if not ranked.has_static_shape:
            raise self.refusal(op, f"{tensor_type} is dynamic; a buffer needs a static shape")
        shape = tuple(ranked.shape)
        if 0 in shape:
            raise self.refusal(op, f"{tensor_type} has no elements")
        element = ranked.element_type
        if not is_scalar_type(element):
            raise self.refusal(op, f"a buffer holds integers, floats or indices, not {element}")
        return Slot(f"{op.name} {_shape_text(shape)}{element} at {place_of(op)}", shape, element)

    def fill(self, slot: Slot, scalar: ir.Value | ir.Attribute, op: ir.Operation) -> None:
        """Appends a fill of all of `slot`."""
        scalars = Scalars()
        body = yield_scalar(scalars.use(scalar))
        rank = len(slot.shape)
        self.append(
            Compute(
                location=op.location,
                engine="vector",
                inputs=(),
                scalars=scalars.values,
                outputs=(slot,),
                maps=(identity_map(rank),),
                iterators=("parallel",) * rank,
                body=body,
            )
        )

    def define(self, value: ir.Value, as_: Index | ir.Attribute, op: ir.Operation) -> None:
        """Says what the scalar `value` is."""
        if isinstance(as_, int):
            self._constants[value] = as_
        self.append(Define(op.location, value, as_))

    def index(self, value: ir.Value) -> Index:
        """An `index` value as a constant, if it is one."""
        if value in self._constants:
            return self._constants[value]
        attribute = constant_of(value)
        return ir.IntegerAttr(attribute).value if attribute is not None else value

    def mixed(self, op: ir.Operation, name: str, values: Sequence[ir.Value]) -> list[Index]:
        """A list of constants and values: the attribute `name`, whose open entries are `values`."""
        open_entry = ir.ShapedType.get_dynamic_size()
        rest = iter(values)
        entries = ir.DenseI64ArrayAttr(op.attributes[name])
        return [self.index(next(rest)) if entry == open_entry else entry for entry in entries]

    def refusal(self, op: ir.Operation, reason: str) -> UnsupportedError:
        """The error for an op that cannot be lowered."""
        types = ", ".join(str(operand.type) for operand in op.operands)
        return UnsupportedError(
            f"kernel @{self.kernel}: '{op.name}' on ({types}) at {place_of(op)}: {reason}"
        )


Handler = Callable[[Selection, ir.Operation], None]

HANDLERS: dict[str, Handler] = {}
"""Handlers by op name; filled when the files of the families are imported."""

DIALECT_HANDLERS: dict[str, Handler] = {}
"""Handlers of all other ops of a dialect."""

H = TypeVar("H", bound=Handler)


def lowers(*names: str) -> Callable[[H], H]:
    """Decorator: makes a function the handler of the ops `names`."""

    def enter(handler: H) -> H:
        for name in names:
            assert name not in HANDLERS, f"{name} has a handler already"
            HANDLERS[name] = handler
        return handler

    return enter


def lowers_rest_of(*dialects: str) -> Callable[[H], H]:
    """Decorator: makes a function the handler of all ops of `dialects` without one of their own."""

    def enter(handler: H) -> H:
        for dialect in dialects:
            assert dialect not in DIALECT_HANDLERS, f"{dialect} has a handler already"
            DIALECT_HANDLERS[dialect] = handler
        return handler

    return enter


def of_shape(slot: Slot, shape: tuple[int, ...]) -> Slot:
    """`slot` if it has this shape, else a new one like it that does."""
    return slot if slot.shape == shape else Slot(slot.name, shape, slot.element)


def reshaped(selection: Selection, op: ir.Operation, slot: Slot, shape: tuple[int, ...]) -> Slot:
    """A slot of this shape with the elements of `slot`; appends a reshape if they differ."""
    other = of_shape(slot, shape)
    if other is not slot:
        selection.append(Reshape(op.location, slot, other))
    return other


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


def _shape_text(shape: Sequence[int]) -> str:
    return "".join(f"{size}x" for size in shape)
