"""The tiles that live in a core's scratchpad while a kernel of level `ktir` runs.

Owns which tensors live at each op of a block and the fault where they do not fit. A tensor lives
from its definition to its last use. Values that are one tile count once: reshapes and casts of a
tensor, a loop's initial value, argument and result, an output and what is computed into it. A slice
of a tile is a tile of its own. An op that works element by element may put its result where an
operand was that nobody needs any more. `tensor.empty` holds nothing. What sizes in types say is
known before a kernel runs; with check "full", tiles whose sizes are values are looked at while it
does.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from torch import Tensor

from ktir.errors import MachineError
from ktir.inside import ops_inside
from ktir.machine import table
from ktir.machine.frame import Frame
from ktir.machine.location import Place
from ktir.machine.numerics import dtype_of
from ktir.mlir import ir
from ktir.mlir.dialects import linalg

Step = Callable[[Frame], None]

_VIEWS = frozenset(
    f"tensor.{name}" for name in ("cast", "bitcast", "collapse_shape", "expand_shape", "reshape")
)
"""Ops whose result is memory of their first operand."""

_INTO_LAST = frozenset(("tensor.insert_slice", "tensor.insert"))
"""Ops that change their second operand."""


@dataclasses.dataclass(frozen=True)
class Tiles:
    """The tensors that an op of a block touches, by slot.

    `read` includes what its regions read, `operands` does not. `results` are new tiles; `views`
    maps results that are memory of an operand to it. `places` are operands that the result may
    replace. `sizes`: bytes of the results, 0 where they are not known. `peaks`: those of the
    op's blocks; None if it has none.
    """

    read: frozenset[int]
    operands: frozenset[int]
    results: tuple[int, ...]
    sizes: tuple[int, ...]
    views: dict[int, int]
    places: tuple[int, ...]
    peaks: tuple[Peak, ...] | None


_WIDEST = 8
"""Bytes of the widest element that a tile has."""


def most_bytes(kernel: ir.Operation) -> int:
    """What all tiles of a kernel whose sizes are known have together, or more."""
    return _WIDEST * sum(
        math.prod(value.type.shape)
        for op in ops_inside(kernel)
        for value in (*op.results, *_arguments(op))
        if isinstance(value.type, ir.RankedTensorType) and value.type.has_static_shape
    )


def _arguments(op: ir.Operation) -> Iterator[ir.Value]:
    """The arguments of blocks in an op."""
    for region in op.regions:
        for block in region:
            yield from block.arguments


def known_bytes(tensor_type: Any) -> int:
    """Bytes of a tensor; 0 if they are not known."""
    if not tensor_type.has_static_shape:
        return 0
    size: int = math.prod(tensor_type.shape)
    return size * dtype_of(str(tensor_type.element_type)).itemsize


def tiles_of(
    op: Any,
    name: str,
    results: Sequence[Any],
    slots: Sequence[int],
    slot_of: Callable[[Any], int],
    read: Iterable[int],
    peaks: Sequence[Peak] | None,
) -> Tiles:
    """What an op touches. `results`: those that are tensors, which live in `slots`."""
    tensors = [value for value in op.operands if isinstance(value.type, ir.RankedTensorType)]
    views: dict[int, int] = {}
    if name in _VIEWS:
        views = {slots[0]: slot_of(tensors[0])}
    new = () if name == "tensor.empty" or views else tuple(slots)
    sizes = tuple([known_bytes(value.type) for value in results]) if new else ()
    places = tuple([slot_of(value) for value in _places(op, name, tensors, results)])
    operands = frozenset([slot_of(value) for value in tensors])
    blocks = None if peaks is None else tuple(peaks)
    return Tiles(frozenset(read).difference(slots), operands, new, sizes, views, places, blocks)


def _places(op: Any, name: str, tensors: Sequence[Any], results: Sequence[Any]) -> list[Any]:
    """The operands whose place a result may take."""
    if not results:
        return []
    if name in _INTO_LAST:
        return list(tensors[1:2])
    if table.known(name):
        return [value for value in tensors if value.type == results[0].type]
    if not name.startswith("linalg."):
        return []
    outputs = list(op.operands)[-len(results) :]
    attribute = linalg.get_indexing_maps(op)  # type: ignore[attr-defined]  # made at run time
    entries = [] if attribute is None else list(ir.ArrayAttr(attribute))
    maps = [ir.AffineMapAttr(entry).value for entry in entries]
    if len(maps) != len(op.operands) or not maps[-1].is_permutation:
        return outputs
    inputs = zip(list(op.operands)[: -len(results)], maps, strict=False)
    return outputs + [v for v, m in inputs if m == maps[-1] and v.type == results[0].type]


@dataclasses.dataclass(frozen=True)
class Peak:
    """The most bytes that live at a time in a block, as far as sizes are known, and where."""

    total: int
    largest: tuple[int, ...]
    place: Place | None

    def check(self, capacity: int) -> None:
        """Raises MachineError if they do not fit into a scratchpad."""
        if self.total > capacity:
            error = _overflow(self.total, self.largest, capacity)
            error.locate(str(self.place))
            raise error


class LiveTiles:
    """The tiles of one block, by op."""

    def __init__(
        self, entries: Sequence[Tiles], arguments: Mapping[int, int], results: Sequence[int]
    ) -> None:
        """`arguments`: bytes of the tiles that the block begins with, by slot; `results`: the slots
        that it ends with."""
        self._entries = entries
        self._sizes = dict(arguments)
        roots: dict[int, int] = {}
        for entry in entries:
            self._sizes.update(zip(entry.results, entry.sizes, strict=True))
            for view, source in entry.views.items():
                roots[view] = roots.get(source, source)
        self._roots = roots
        self._last = dict.fromkeys(self._sizes, -1)
        self._born = dict.fromkeys(arguments, -1)
        for number, entry in enumerate(entries):
            self._born.update(dict.fromkeys(entry.results, number))
            for slot in self._own(entry.read):
                self._last[slot] = number
        for slot in self._own(results):
            self._last[slot] = len(entries)

    def _own(self, slots: Iterable[int]) -> set[int]:
        return {self._roots.get(slot, slot) for slot in slots} & self._sizes.keys()

    def _present(self, number: int) -> set[int]:
        """What lives while an op runs; around its blocks, if it has any."""
        entry = self._entries[number]
        survive = {s for s in self._sizes if self._born[s] < number < self._last[s]}
        used = self._own(entry.read)
        if entry.peaks is not None:
            # A loop's own tiles move into it; what its body reads besides stays.
            moved = self._own(entry.operands) - self._own(entry.read - entry.operands)
            return survive | (used - moved)
        dying = [s for s in used - survive if self._last[s] <= number]
        taken = [s for s in entry.places if self._roots.get(s, s) in dying][: len(entry.results)]
        return (survive | used | set(entry.results)) - set(taken)

    def peak(self, places: Sequence[Place]) -> Peak:
        """The op, or the op in a block of one, at which most is known to live."""
        found = Peak(0, (), None)
        for number, entry in enumerate(self._entries):
            sizes = sorted((self._sizes[s] for s in self._present(number)), reverse=True)
            here = [Peak(sum(sizes), tuple(sizes[:4]), places[number])]
            for inner in entry.peaks or ():
                total = here[0].total + inner.total
                here.append(dataclasses.replace(inner, total=total))
            for peak in here:
                if peak.total > found.total:
                    found = peak
        return found

    def watched(self, number: int, step: Step, capacity: int) -> Step:
        """The step of an op, with a look at what lives while it runs."""
        slots = tuple(sorted(self._present(number)))
        if self._entries[number].peaks is not None:
            return _around(step, slots)
        return _after(step, slots, capacity)


def _overflow(total: int, largest: Sequence[int], capacity: int) -> MachineError:
    """The error for tiles that do not fit."""
    return MachineError(
        f"the scratchpad overflows: {total} bytes live, {capacity} bytes there; the largest tiles "
        f"have {', '.join(map(str, largest))} bytes; make tiles smaller, or use them earlier"
    )


def _bytes(frame: Frame, slot: int) -> int:
    value = frame[slot]
    return math.prod(value.shape[1:]) * value.itemsize if isinstance(value, Tensor) else 0


def _around(step: Step, slots: tuple[int, ...]) -> Step:
    """Blocks inside an op start with what lives around it."""

    def run(frame: Frame) -> None:
        around = frame.run.live_bytes
        frame.run.live_bytes = around + sum(_bytes(frame, slot) for slot in slots)
        try:
            step(frame)
        finally:
            frame.run.live_bytes = around

    return run


def _after(step: Step, slots: tuple[int, ...], capacity: int) -> Step:
    def run(frame: Frame) -> None:
        step(frame)
        sizes = [_bytes(frame, slot) for slot in slots]
        total = frame.run.live_bytes + sum(sizes)
        if total > capacity:
            raise _overflow(total, sorted(sizes, reverse=True)[:4], capacity)

    return run
