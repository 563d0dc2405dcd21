"""The tiles that live in a core's scratchpad while a kernel of level `ktir` runs, for check "full".

Owns which tensors live at each op of a block and the fault where they do not fit. A tensor lives
from its definition to its last use. Values that are one tile count once: reshapes and casts of a
tensor, a loop's initial value, argument and result, an output and what is computed into it. An op
that works element by element may put its result where an operand was that nobody needs any more.
`tensor.empty` holds nothing.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torch import Tensor

from ktir.errors import MachineError
from ktir.machine import table
from ktir.machine.frame import Frame
from ktir.mlir import ir
from ktir.mlir.dialects import linalg

Step = Callable[[Frame], None]

_VIEWS = frozenset(
    f"tensor.{name}"
    for name in ("cast", "bitcast", "collapse_shape", "expand_shape", "reshape", "extract_slice")
)
"""Ops whose result is memory of their first operand."""

_INTO_LAST = frozenset(("tensor.insert_slice", "tensor.insert"))
"""Ops that change their second operand."""


@dataclasses.dataclass(frozen=True)
class Tiles:
    """The tensors that an op of a block touches, by slot.

    `read` includes what its regions read, `operands` does not. `results` are new tiles; `views`
    maps results that are memory of an operand to it. `places` are operands that the result may
    replace.
    """

    read: frozenset[int]
    operands: frozenset[int]
    results: tuple[int, ...]
    views: dict[int, int]
    places: tuple[int, ...]
    has_blocks: bool


def tiles_of(
    op: Any, slot_of: Callable[[Any], int], read: Iterable[int], has_blocks: bool
) -> Tiles:
    """What an op touches."""
    name = op.operation.name
    tensors = [value for value in op.operands if isinstance(value.type, ir.RankedTensorType)]
    results = [value for value in op.results if isinstance(value.type, ir.RankedTensorType)]
    slots = tuple(slot_of(value) for value in results)
    views: dict[int, int] = {}
    if name in _VIEWS:
        views = {slots[0]: slot_of(tensors[0])}
    new = () if name == "tensor.empty" or views else slots
    places = tuple(slot_of(value) for value in _places(op, name, tensors, results))
    operands = frozenset(slot_of(value) for value in tensors)
    return Tiles(frozenset(read), operands, new, views, places, has_blocks)


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
    maps = [] if attribute is None else list(ir.ArrayAttr(attribute))
    if len(maps) != len(op.operands) or not maps[-1].value.is_permutation:
        return outputs
    inputs = zip(list(op.operands)[: -len(results)], maps, strict=False)
    return outputs + [v for v, m in inputs if m == maps[-1] and v.type == results[0].type]


class LiveTiles:
    """The ops of one block, in order, and what is left to know about it: which slots end it."""

    def __init__(
        self, entries: Sequence[Tiles], arguments: Sequence[int], results: Sequence[int]
    ) -> None:
        self._entries = entries
        roots: dict[int, int] = {}
        for entry in entries:
            for view, source in entry.views.items():
                roots[view] = roots.get(source, source)
        self._roots = roots
        mine = set(arguments) | {slot for entry in entries for slot in entry.results}
        self._mine = mine
        self._last = dict.fromkeys(mine, -1)
        for number, entry in enumerate(entries):
            for slot in self._own(entry.read):
                self._last[slot] = number
        for slot in self._own(results):
            self._last[slot] = len(entries)
        self._born = dict.fromkeys(arguments, -1)
        for number, entry in enumerate(entries):
            self._born.update(dict.fromkeys(entry.results, number))

    def _own(self, slots: Iterable[int]) -> set[int]:
        return {self._roots.get(slot, slot) for slot in slots} & self._mine

    def watched(self, number: int, step: Step, capacity: int) -> Step:
        """The step of an op, with a look at what lives while it runs."""
        entry = self._entries[number]
        survive = {s for s in self._mine if self._born[s] < number < self._last[s]}
        used = self._own(entry.read)
        if entry.has_blocks:
            # A loop's own tiles move into it; what its body reads besides stays.
            moved = self._own(entry.operands) - self._own(entry.read - entry.operands)
            around = tuple(sorted(survive | (used - moved)))
            return _around(step, around)
        dying = [s for s in used - survive if self._last[s] <= number]
        taken = [s for s in entry.places if self._roots.get(s, s) in dying][: len(entry.results)]
        present = (survive | used | set(entry.results)) - set(taken)
        return _after(step, tuple(sorted(present)), capacity)


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
        total = frame.run.live_bytes + sum(_bytes(frame, slot) for slot in slots)
        if total > capacity:
            sizes = sorted((_bytes(frame, slot) for slot in slots), reverse=True)
            largest = ", ".join(map(str, sizes[:4]))
            raise MachineError(
                f"core {int(frame.group.numbers[0])} needs {total} bytes of scratchpad for the "
                f"tiles that live here, {frame.run.live_bytes} of them around this block, the "
                f"largest others {largest}; a scratchpad has {capacity}: make tiles smaller, or "
                "use them earlier"
            )

    return run
