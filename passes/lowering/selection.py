"""From the ops of one kernel to steps on slots: the state of that walk.

Owns the values seen so far. Who handles which op is in `handlers`, what a tensor can be in
`values`. A splat or constant that something needs the bytes of is filled in right there.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ktir.errors import UnsupportedError
from ktir.layout import has_bytes
from ktir.mlir import ir
from ktir.passes.ir_utils import is_tensor, place_of, shape_of
from ktir.passes.lowering.bodies import Scalars, yield_scalar
from ktir.passes.lowering.bounds import Bounds
from ktir.passes.lowering.boxes import Box
from ktir.passes.lowering.groups import Members
from ktir.passes.lowering.handlers import handler_of
from ktir.passes.lowering.index import Affine, ByCore, Index, Key, Made, Test
from ktir.passes.lowering.ranges import ValueRanges
from ktir.passes.lowering.sets import IntegerSet
from ktir.passes.lowering.steps import (
    Check,
    Constant,
    Define,
    Publish,
    Reshape,
    Slot,
    Step,
    extents_in,
    for_each,
)
from ktir.passes.lowering.values import (
    Dense,
    Passed,
    Splat,
    TensorValue,
    constant_of,
    is_nothing,
    is_open,
    is_scalar,
    is_scalar_type,
    nothing,
)
from ktir.scratchpad import Range

if TYPE_CHECKING:
    from ktir.passes.lowering.tiles import Tile
    from ktir.passes.lowering.views import Part


class Selection:
    """The steps of one kernel, as far as its ops have been seen.

    `grid` is that of the kernel. `prologue` comes before all other steps. `tiles` are the places in
    memory that access tiles name, `sets` the sets read so far, `composed` the parts of distributed
    views, `allocated` the memory of buffers, `reserved` the bytes of the scratchpad that views
    name, `first_byte` the first one that the program's own buffers take, `ranges` and `bounds` what
    is known of scalars, `futures` what is published by whom, `globals` the constants of the module
    that are used.
    """

    def __init__(self, kernel: str, grid: Sequence[int]) -> None:
        self.kernel = kernel
        self.grid = tuple(grid)
        self.steps: list[Step] = []
        self.prologue: list[Step] = []
        self.tiles: dict[ir.Value, Tile] = {}
        self.sets: dict[ir.Attribute, tuple[IntegerSet, Box]] = {}
        self.composed: dict[ir.Operation, tuple[Part, ...]] = {}
        self.allocated: dict[ir.Operation, Slot] = {}
        self.reserved: set[Range] = set()
        self.first_byte: Made | None = None
        self.ranges = ValueRanges(self.grid)
        self.bounds = Bounds(self.ranges)
        self.futures: dict[ir.Value, tuple[Publish, Members]] = {}
        self.globals: dict[str, Slot] = {}
        self._tensors: dict[ir.Value, TensorValue] = {}
        self._aliases: dict[ir.Value, ir.Value] = {}
        self._constants: dict[ir.Value, int] = {}
        self._own_core: Made | None = None

    def block(self, block: ir.Block) -> tuple[list[Step], list[Passed]]:
        """The steps of `block`, and what its terminator passes on.

        Raises UnsupportedError for anything but tensors and scalars.
        """
        with self.nested() as steps:
            *ops, terminator = (op.operation for op in block)
            for op in ops:
                self.op(op)
            passed = [self.passed(value, terminator) for value in terminator.operands]
        return steps, passed

    @contextlib.contextmanager
    def nested(self) -> Iterator[list[Step]]:
        """Lets steps go to a list of their own."""
        outer, self.steps = self.steps, []
        try:
            with self.bounds.block():
                yield self.steps
        finally:
            self.steps = outer

    def passed(self, value: ir.Value, user: ir.Operation) -> Passed:
        """What control flow passes on for `value`."""
        if is_tensor(value):
            return None if is_nothing(value) else self.slot(value, user)
        if not is_scalar(value):
            raise self.refusal(user, f"a value of type {value.type} cannot be passed on")
        return value

    def op(self, op: ir.Operation) -> None:
        """Appends the steps of one op. Raises UnsupportedError if nothing handles it."""
        handler = handler_of(op)
        if handler is None:
            raise self.refusal(op, "no lowering to sdf is known for this op")
        with op.location:
            if _is_without_elements(op):
                for result in op.results:
                    self.bind(result, nothing(result))
            else:
                handler(self, op)

    @property
    def cores(self) -> int:
        """The number of cores that run the kernel."""
        return math.prod(self.grid)

    def append(self, step: Step) -> None:
        """Adds a step at the end of the current block."""
        self.steps.append(step)

    def bind(self, value: ir.Value, tensor: TensorValue) -> None:
        """Says what the tensor `value` is from now on."""
        self._tensors[value] = tensor

    def bind_passed(self, value: ir.Value, passed: Passed, op: ir.Operation) -> None:
        """Says what a tensor or scalar is that control flow passes on."""
        if passed is None:
            self.bind(value, nothing(value))
        elif isinstance(passed, Slot):
            self.bind(value, passed)
        else:
            self.define(value, passed, op)

    def alias(self, value: ir.Value, source: ir.Value) -> None:
        """Says that a value that is neither a tensor nor a scalar is the same as another one."""
        self._aliases[value] = self.origin(source)

    def origin(self, value: ir.Value) -> ir.Value:
        """The value that an alias stands for."""
        return self._aliases.get(value, value)

    def tensor(self, value: ir.Value) -> TensorValue:
        """What the tensor `value` is."""
        return self._tensors[value]

    def slot(self, value: ir.Value, user: ir.Operation) -> Slot:
        """A slot that holds `value`; a splat or constant is filled in here, for `user` alone."""
        tensor = self._tensors[value]
        if isinstance(tensor, Slot):
            return tensor
        slot = self.new_slot(user, value.type, self.sizes(value))
        if isinstance(tensor, Dense):
            self.append(Constant(user.location, slot, tensor.value))
        else:
            self.fill(slot, tensor.scalar, user)
        return slot

    def sizes(self, value: ir.Value) -> tuple[Index, ...]:
        """The sizes of the tensor `value`, of which some may be values of the kernel."""
        tensor = self._tensors[value]
        if isinstance(tensor, Slot):
            return tensor.sizes
        if isinstance(tensor, Splat) and tensor.extents:
            return tensor.extents
        return shape_of(value)

    def open_sizes(self, value: ir.Value) -> tuple[Index, ...]:
        """The sizes of the tensor `value` if its type leaves some open, else nothing."""
        ranked = ir.RankedTensorType(value.type)
        return () if ranked.has_static_shape else self.sizes(value)

    def sizes_in_type(self, type_: ir.Type, values: Sequence[ir.Value]) -> tuple[Index, ...]:
        """The sizes of a tensor of this type, whose open ones are `values`."""
        rest = iter(values)
        shape = ir.RankedTensorType(type_).shape
        return tuple(
            self.known(self.index(next(rest))) if is_open(size) else size for size in shape
        )

    def known(self, index: Index) -> Index:
        """An index as a constant, if it is known to be one on all cores."""
        exact = self.ranges.exact(index)
        return exact[0] if exact is not None and len(set(exact)) == 1 else index

    def new_slot(self, op: ir.Operation, tensor_type: ir.Type, sizes: Sequence[Index] = ()) -> Slot:
        """A slot for a tensor that `op` makes; `sizes` are its own where its type leaves some open.

        Raises UnsupportedError for a shape without bounds or without elements.
        """
        ranked = ir.RankedTensorType(tensor_type)
        shape, extents = tuple(ranked.shape), tuple(sizes)
        if ranked.has_static_shape:
            extents = shape
        else:
            shape = tuple(self.bound(op, size) for size in extents)
        if 0 in shape:
            raise self.refusal(op, f"{tensor_type} has no elements")
        element = ranked.element_type
        if not is_scalar_type(element):
            raise self.refusal(op, f"a buffer holds integers, floats or indices, not {element}")
        if not has_bytes(str(element)):
            raise self.refusal(op, f"no memory holds elements of type {element}")
        name = f"{op.name} {_shape_text(shape)}{element} at {place_of(op)}"
        return Slot(name, shape, element, extents_in(shape, extents))

    def bound(self, op: ir.Operation, size: Index) -> int:
        """How much room a buffer needs for a size: its greatest value, and at least 1.

        Raises UnsupportedError if it has no bound.
        """
        most = self.bounds.most(size)
        if most is None:
            raise self.refusal(
                op,
                "it makes a tensor whose size has no bound that is known before the kernel runs; "
                "bound it with arith.minsi, affine.min or a runtime argument with an upper bound, "
                "or take it from a view of constant size",
            )
        return max(most, 1)

    def fill(self, slot: Slot, scalar: Key | ir.Attribute, op: ir.Operation) -> None:
        """Appends a fill of all of `slot`."""
        scalars = Scalars()
        body = yield_scalar(scalars.use(scalar))
        self.append(
            for_each(
                op.location,
                slot,
                body,
                scalars=scalars.values,
            )
        )

    def made(
        self, value: Index, name: str, location: ir.Location, type_: ir.Type | None = None
    ) -> Key:
        """A scalar that the program computes here from others, an `index` unless a type is
        given."""
        key = Made(name, type_ if type_ is not None else ir.IndexType.get())
        self.append(Define(location, key, value))
        self.ranges.define(key, value)
        return key

    def require(self, test: Test, message: str, op: ir.Operation) -> None:
        """Appends a check; `message` says what is wrong where the test fails."""
        i1 = ir.IntegerType.get_signless(1)
        condition = self.made(test, "what is required", op.location, i1)
        self.append(Check(op.location, condition, f"'{op.name}': {message}"))

    def plain(self, index: Index, op: ir.Operation) -> Index:
        """`index` as a constant, a key or an affine expression; computed here if it is none."""
        if isinstance(index, (int, ir.Value, Made, Affine)):
            return index
        return self.made(index, f"an index of {op.name}", op.location)

    def own_core(self) -> Index:
        """The number of the running core."""
        if self.cores == 1:
            return 0
        if self._own_core is None:
            self._own_core = Made("the number of the core", ir.IndexType.get())
            value = ByCore(tuple(range(self.cores)), (self.cores,))
            self.prologue.append(Define(ir.Location.unknown(), self._own_core, value))
            self.ranges.define(self._own_core, value)
        return self._own_core

    def first_of_own(self) -> Made:
        """The first byte of the scratchpad that the program's own buffers take, which lie as high
        as they can where this is asked for."""
        if self.first_byte is None:
            self.first_byte = Made("the first byte of the buffers", ir.IndexType.get())
        return self.first_byte

    def define(self, value: ir.Value, as_: Index | ir.Attribute, op: ir.Operation) -> None:
        """Says what the scalar `value` is."""
        self._constants.pop(value, None)
        if isinstance(as_, int):
            self._constants[value] = as_
        if not isinstance(as_, ir.Attribute) and as_ is not value:
            self.ranges.define(value, as_)
        self.append(Define(op.location, value, as_))

    def index(self, value: ir.Value) -> Index:
        """An `index` value as a constant, if it is one."""
        if value in self._constants:
            return self._constants[value]
        meaning = self.ranges.meaning(value)
        if isinstance(meaning, (ir.Value, Made)):
            return meaning
        attribute = constant_of(value)
        if attribute is not None and isinstance(value.type, ir.IndexType):
            return ir.IntegerAttr(attribute).value
        return value

    def mixed(self, op: ir.Operation, name: str, values: Sequence[ir.Value]) -> list[Index]:
        """A list of constants and values: the attribute `name`, whose open entries are `values`."""
        open_entry = ir.ShapedType.get_dynamic_size()
        rest = iter(values)
        entries = ir.DenseI64ArrayAttr(op.attributes[name])
        return [self.index(next(rest)) if entry == open_entry else entry for entry in entries]

    def dimension(self, op: ir.Operation) -> int:
        """The dimension that `op` asks the size of. Raises UnsupportedError for a value."""
        number = self.index(op.operands[1])
        if not isinstance(number, int):
            raise self.refusal(op, "the dimension is not a constant; use one op a dimension")
        return number

    def refusal(self, op: ir.Operation, reason: str) -> UnsupportedError:
        """The error for an op that cannot be lowered."""
        types = ", ".join(str(operand.type) for operand in op.operands)
        return UnsupportedError(
            f"kernel @{self.kernel}: '{op.name}' on ({types}) at {place_of(op)}: {reason}"
        )


def of_shape(slot: Slot, shape: tuple[int, ...]) -> Slot:
    """`slot` if it has this shape, else a new one like it that does. Open sizes: see `shapes`."""
    return slot if slot.shape == shape else Slot(slot.name, shape, slot.element)


def reshaped(selection: Selection, op: ir.Operation, slot: Slot, shape: tuple[int, ...]) -> Slot:
    """A slot of this shape with the elements of `slot`; appends a reshape if they differ."""
    other = of_shape(slot, shape)
    if other is not slot:
        selection.append(Reshape(op.location, slot, other))
    return other


def _is_without_elements(op: ir.Operation) -> bool:
    """Whether all that `op` makes are tensors without elements, and it does nothing else."""
    return (
        len(op.results) > 0
        and op.name.split(".")[0] in ("arith", "ktdp", "linalg", "math", "tensor")
        and all(is_nothing(result) for result in op.results)
    )


def _shape_text(shape: Sequence[int]) -> str:
    return "".join(f"{size}x" for size in shape)
