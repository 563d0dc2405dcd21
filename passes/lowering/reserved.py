"""Bytes of scratchpads that views name: the program's own buffers lie elsewhere.

Owns finding them. Where values decide, buffers lie as high as they can, and a check when the
program runs says that the view ends below all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ktir.layout import element_bytes
from ktir.mlir import ir
from ktir.passes.lowering.affine import greatest, times, total
from ktir.passes.lowering.index import Index, Test
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.steps import Slot
from ktir.scratchpad import Range

if TYPE_CHECKING:
    from ktir.passes.lowering.views import Part


def reserve(selection: Selection, op: ir.Operation, part: Part) -> None:
    """Keeps slots off the bytes of a scratchpad that a view names, whichever core's they are; `op`
    makes the view."""
    if part.core is None:
        return
    size = element_bytes(str(ir.MemRefType(op.results[0].type).element_type))
    known = _known(selection, part, size)
    if known is not None:
        selection.reserved.add(known)
        return
    first = selection.first_of_own()
    selection.require(
        Test("sle", selection.plain(times(_end(selection, op, part), size), op), first),
        "its address or size in the scratchpad is not bounded before the kernel runs, and it "
        "reaches into the bytes that the program's own buffers take, at the end of the scratchpad",
        op,
    )


def _known(selection: Selection, part: Part, size: int) -> Range | None:
    """The bytes of a view on any core; None if they are not bounded before the kernel runs."""
    assert not isinstance(part.base, Slot)
    base = selection.ranges.of(part.base)
    reach = [
        selection.ranges.extent(bound, stride)
        for bound, stride in zip(part.bounds, part.strides, strict=True)
    ]
    known = [ranges for ranges in reach if ranges is not None]
    if base is None or len(known) < len(reach):
        return None
    ranges = [
        (low + sum(a for a, _ in reaches), high + sum(b for _, b in reaches) + 1)
        for (low, high), *reaches in zip(base, *known, strict=True)
    ]
    begin, end = min(a for a, _ in ranges), max(b for _, b in ranges)
    return max(begin, 0) * size, max(end, 0) * size


def _end(selection: Selection, op: ir.Operation, part: Part) -> Index:
    """The address after the last element of a view, in elements."""
    assert not isinstance(part.base, Slot)
    found = total(part.base, 1)
    for bound, stride in zip(part.bounds, part.strides, strict=True):
        last = total(selection.plain(bound, op), -1)
        reach = selection.plain(times(last, stride), op)
        found = total(found, selection.plain(greatest([reach, 0]), op))
    return found
