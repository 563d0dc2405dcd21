"""From IR to closures: every op is decoded once into a function on a frame.

Owns the registry of ops (`handler`, `terminators`), the slots of a function's values (`Scope`),
blocks of decoded ops (`Block`) and the decoding of scalar and elementwise ops from the table.
Dialects register their ops in modules of their own. No step refers to the IR, which may change or
vanish afterwards.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from torch import Tensor

from ktir.errors import KtirError, UnsupportedError
from ktir.machine import table
from ktir.machine.block import Block, Flow, Kind, Resolve, Step
from ktir.machine.frame import Frame
from ktir.machine.livetiles import LiveTiles, Peak, Tiles, known_bytes, tiles_of
from ktir.machine.location import Place
from ktir.machine.scalar import Meaning, Signature
from ktir.mlir import ir

Handler = Callable[[Any, "Scope"], Step | None]
"""Decodes one op (an `OpView`). Returns None for an op that does nothing at run time."""

_HANDLERS: dict[str, Handler] = {}
_TERMINATORS: set[str] = set()


def handler(*names: str) -> Callable[[Handler], Handler]:
    """Registers the decorated function as the decoder of ops. Use it when a module is imported."""

    def register(function: Handler) -> Handler:
        for name in names:
            assert name not in _HANDLERS, f"{name} has a handler already"
            _HANDLERS[name] = function
        return function

    return register


def terminators(*names: str) -> None:
    """Registers ops that only end a block: their operands become the block's results."""
    _TERMINATORS.update(names)


class Callee(Protocol):
    """A decoded function, callable on the values of its arguments in the frame of its caller."""

    def call(self, frame: Frame, arguments: Sequence[Any]) -> list[Any]:
        """Runs it for the same cores; returns its results."""


class Callees(Protocol):
    """Finds the functions that a function calls."""

    def find(self, symbol: str, caller: ir.Operation) -> Callee:
        """The decoded function of this name. Raises UnsupportedError or VerifyError."""


Found = TypeVar("Found")


class Scope:
    """The slots of one function while it is decoded.

    `template` holds the values that every new frame starts with: constants, and None.
    """

    empty_is_zero = False
    """Whether `tensor.empty` holds zeros instead of poison."""

    tile_bytes: int | None = None
    """How many bytes of tiles may live at a time, if that is limited."""

    is_watched = False
    """Whether tiles whose sizes are known at run time only are looked at then, and undefined
    contents are those of the run."""

    def __init__(self, callees: Callees) -> None:
        self.callees = callees
        self.template: list[Any] = []
        self._slots: dict[ir.Value, int] = {}
        self._recorders: list[set[int]] = []
        self._once: dict[tuple[Any, ...], Any] = {}
        self.peaks: list[Peak] = []
        """The most bytes of tiles in each block decoded so far that no op has taken over."""

    def new_slot(self, initial: Any = None) -> int:
        """A slot for something that is no SSA value."""
        self.template.append(initial)
        return len(self.template) - 1

    def define(self, value: ir.Value, initial: Any = None) -> int:
        """A new slot for an op's result or a block's argument."""
        slot = self.new_slot(initial)
        self._slots[value] = slot
        return slot

    def define_all(self, values: Sequence[ir.Value]) -> tuple[int, ...]:
        """New slots for several values."""
        return tuple([self.define(value) for value in values])

    def constant(self, value: ir.Value, tensor: Tensor) -> None:
        """Makes `value` a constant [1, dims ..] that is in the frame from the start."""
        self.define(value, tensor)

    def constant_of(self, value: ir.Value) -> Tensor | None:
        """The tensor of a value that was made a constant."""
        initial = self.template[self.slot(value)]
        return initial if isinstance(initial, Tensor) else None

    def alias(self, value: ir.Value, slot: int) -> None:
        """Lets `value` live in a slot that exists, for ops that only pass a value on."""
        self._slots[value] = slot

    def slot(self, value: ir.Value) -> int:
        """The slot of a value that was defined before."""
        slot = self._slots.get(value)
        if slot is None:
            raise UnsupportedError(f"a value is used before its definition was decoded: {value}")
        for recorder in self._recorders:
            recorder.add(slot)
        return slot

    def slots(self, values: Sequence[ir.Value]) -> tuple[int, ...]:
        """The slots of several values."""
        return tuple([self.slot(value) for value in values])

    def once(self, decode: Callable[..., Found], *parts: Any) -> Found:
        """What attributes and the like decode to; equal ones are decoded once."""
        key = (decode, *parts)
        found: Found | None = self._once.get(key)
        if found is None:
            found = self._once[key] = decode(*parts)
        return found

    def block(self) -> contextlib.AbstractContextManager[None]:
        """Around the decoding of a block."""
        return contextlib.nullcontext()

    def resolves(self, step: Step, resolve: Resolve) -> Step:
        """Notes how a step is made that does what `step` did at the same places; returns `step`."""
        return step

    def flow(
        self, name: str, results: Sequence[ir.Value], step: Step, read: set[int], first: int
    ) -> Flow | None:
        """What the step of an op is for those who record launches; None where nobody does. `read`:
        the slots that it reads; those from `first` on are its own."""
        return None

    @contextlib.contextmanager
    def recording(self) -> Iterator[set[int]]:
        """Collects the slots that are read while decoding inside the `with` block."""
        recorder: set[int] = set()
        self._recorders.append(recorder)
        try:
            yield recorder
        finally:
            self._recorders.pop()


def decode_block(block: ir.Block, scope: Scope, arguments: Sequence[int] | None = None) -> Block:
    """Decodes the ops of a block.

    `arguments`: slots that exist and that the block's arguments shall live in; new ones if not
    given.
    """
    first = len(scope.template)
    if arguments is None:
        arguments = scope.define_all(list(block.arguments))
    else:
        for argument, slot in zip(block.arguments, arguments, strict=True):
            scope.alias(argument, slot)
    decoded: list[_Decoded] = []
    results: tuple[int, ...] = ()
    with scope.recording() as read, scope.block():
        for op in block.operations:
            if op.operation.name in _TERMINATORS:
                results = scope.slots(list(op.operands))
                break
            decoded.append(_decode_located(op, scope))
    if scope.tile_bytes is not None:
        tiles = {
            slot: known_bytes(value.type)
            for value, slot in zip(block.arguments, arguments, strict=True)
            if isinstance(value.type, ir.RankedTensorType)
        }
        _measure_tiles(decoded, tiles, results, scope)
    _release_after_last_use(decoded, scope, first, keep={*results, *arguments})
    steps = [step for entry in decoded for step in entry.steps]
    flows = {step: flow for entry in decoded for step, flow in entry.flows.items()}
    places = {step: entry.place for entry in decoded for step in entry.steps}
    captured = tuple(sorted(slot for slot in read if slot < first and slot not in arguments))
    return Block(tuple(arguments), tuple(steps), places, results, captured, flows)


def decode_region(region: ir.Region, scope: Scope, arguments: Sequence[int] | None = None) -> Block:
    """Decodes a region of one block; an empty region is an empty block."""
    if len(region.blocks) == 0:
        return Block((), (), {}, (), ())
    if len(region.blocks) > 1:
        raise UnsupportedError("a region of several blocks; use scf instead of cf")
    return decode_block(region.blocks[0], scope, arguments)


@dataclass
class _Decoded:
    """One op while its block is decoded: steps, slots read, slots filled with tensors, its tiles
    where they are counted, and what its steps are for those who record."""

    place: Place
    steps: list[Step]
    read: set[int]
    tensors: list[int]
    tiles: Tiles | None
    flows: dict[Step, Flow]


def _decode_located(op: ir.OpView, scope: Scope) -> _Decoded:
    place, before, first = Place.of(op), len(scope.peaks), len(scope.template)
    try:
        with scope.recording() as read:
            step = decode_op(op, scope)
            results = list(op.results)
            made = [value for value in results if isinstance(value.type, ir.RankedTensorType)]
            tensors = [scope.slot(value) for value in made]
    except KtirError as error:
        error.locate(str(place))
        raise
    tiles = None
    if scope.tile_bytes is not None:
        inner = scope.peaks[before:]
        del scope.peaks[before:]
        tiles = tiles_of(op, place.op, made, tensors, scope.slot, read, inner or None)
    flow = None if step is None else scope.flow(place.op, results, step, read, first)
    flows = {} if step is None or flow is None else {step: flow}
    return _Decoded(place, [] if step is None else [step], read, tensors, tiles, flows)


def _measure_tiles(
    decoded: list[_Decoded], arguments: Mapping[int, int], results: Sequence[int], scope: Scope
) -> None:
    """Notes the most bytes of tiles in a block; has its ops look at them while they run, if that is
    asked for."""
    assert scope.tile_bytes is not None
    live = LiveTiles([e.tiles for e in decoded if e.tiles is not None], arguments, results)
    scope.peaks.append(live.peak([entry.place for entry in decoded]))
    if scope.is_watched:
        for number, entry in enumerate(decoded):
            entry.steps = [live.watched(number, s, scope.tile_bytes) for s in entry.steps]


def _release_after_last_use(
    decoded: list[_Decoded], scope: Scope, first: int, keep: set[int]
) -> None:
    """Lets go of tensors that the block made itself once no later op reads them."""
    last = {slot: i for i, entry in enumerate(decoded) for slot in entry.read}
    mine = {slot for entry in decoded for slot in entry.tensors if slot >= first}
    dying: dict[int, list[int]] = {}
    for slot in sorted(mine - keep):
        if scope.template[slot] is None:
            dying.setdefault(last[slot], []).append(slot)
    for i, slots in dying.items():
        release = _release(tuple(slots))
        decoded[i].steps.append(release)
        if decoded[i].flows:
            decoded[i].flows[release] = Flow(Kind.FREES, (), tuple(slots))


def _release(slots: tuple[int, ...]) -> Step:
    def release(frame: Frame) -> None:
        for slot in slots:
            frame[slot] = None

    return release


def decode_op(op: ir.OpView, scope: Scope) -> Step | None:
    """Decodes one op with its handler or from the table of scalar ops.

    Raises UnsupportedError naming the op and its operands' types if there is neither.
    """
    name = op.operation.name
    decode = _HANDLERS.get(name)
    if decode is not None:
        return decode(op, scope)
    if table.known(name):
        return _decode_elementwise(op, scope)
    types = ", ".join(str(operand.type) for operand in op.operands)
    raise UnsupportedError(f"the machine has no such op (operands: {types or 'none'})")


def scalar_type(mlir_type: ir.Type) -> str:
    """The spelling of a type, or of the element type of a shaped one."""
    if isinstance(mlir_type, ir.ShapedType):
        return str(mlir_type.element_type)
    return str(mlir_type)


def attribute_values(op: ir.OpView) -> dict[str, Any]:
    """The op's attributes as Python values where they have one, else as text."""
    return {name: _attribute_value(op.attributes[name]) for name in op.attributes}


def _attribute_value(attribute: ir.Attribute) -> Any:
    if isinstance(attribute, (ir.IntegerAttr, ir.FloatAttr, ir.StringAttr, ir.BoolAttr)):
        return attribute.value
    return str(attribute)


def signature_of(op: ir.OpView) -> Signature:
    """What the table has to know of an op."""
    operands = [operand.type for operand in op.operands]
    return _signature(op, operands, [result.type for result in op.results])


def _signature(op: ir.OpView, operands: Sequence[ir.Type], results: Sequence[ir.Type]) -> Signature:
    """The same, given the types of its operands and results."""
    texts = [scalar_type(type_) for type_ in operands], [scalar_type(type_) for type_ in results]
    return Signature(tuple(texts[0]), tuple(texts[1]), attribute_values(op))


def _decode_elementwise(op: ir.OpView, scope: Scope) -> Step | None:
    """An op of the table on scalars, or on whole tensors of one shape.

    Scalar results of constants are computed here and now.
    """
    given, made = list(op.operands), list(op.results)
    types = [value.type for value in given]
    result_types = [value.type for value in made]
    _refuse_other_shapes((*types, *result_types))
    meaning = table.lookup(op.operation.name, _signature(op, types, result_types))
    operands = scope.slots(given)
    ranks = [_rank(type_) for type_ in types]
    if len(set(ranks)) > 1:
        meaning = _with_equal_ranks(meaning, ranks)
    constants = [scope.constant_of(operand) for operand in given]
    if max(ranks, default=0) == 0 and len(made) == 1 and all(c is not None for c in constants):
        scope.constant(made[0], meaning(*constants))
        return None
    return elementwise_step(meaning, operands, scope.define_all(made))


def _refuse_other_shapes(types: Sequence[ir.Type]) -> None:
    """Raises UnsupportedError for what is neither a scalar nor a tensor."""
    for type_ in types:
        if isinstance(type_, ir.ShapedType) and not isinstance(
            type_, (ir.RankedTensorType, ir.UnrankedTensorType)
        ):
            raise UnsupportedError(
                f"a value of type {type_}, where only scalars and tensors are known; "
                "of views, choose the address"
            )


def _rank(mlir_type: ir.Type) -> int:
    return mlir_type.rank if isinstance(mlir_type, ir.RankedTensorType) else 0


def _with_equal_ranks(meaning: Meaning, ranks: Sequence[int]) -> Meaning:
    """Scalars beside tensors (the condition of a select) get axes of size 1."""
    rank = max(ranks)
    ones = [(1,) * (rank - r) for r in ranks]

    def aligned(*operands: Tensor) -> Any:
        return meaning(
            *(x.view(*x.shape, *o) if o else x for x, o in zip(operands, ones, strict=True))
        )

    return aligned


def elementwise_step(meaning: Meaning, operands: Sequence[int], results: Sequence[int]) -> Step:
    """A step that applies `meaning` to slots."""
    if len(results) != 1:

        def many(frame: Frame) -> None:
            values = meaning(*[frame[o] for o in operands])
            for result, value in zip(results, values, strict=True):
                frame[result] = value

        return many
    result = results[0]
    if len(operands) == 1:
        only = operands[0]

        def unary(frame: Frame) -> None:
            frame[result] = meaning(frame[only])

        return unary
    if len(operands) == 2:
        left, right = operands

        def binary(frame: Frame) -> None:
            frame[result] = meaning(frame[left], frame[right])

        return binary

    def step(frame: Frame) -> None:
        frame[result] = meaning(*[frame[o] for o in operands])

    return step
