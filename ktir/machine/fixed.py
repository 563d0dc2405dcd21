"""Which values of a kernel depend on the data that it reads, and whether nothing but values does.

Owns the analysis that tells what a launch may take over from an earlier one on arrays at the same
places with the same scalars (`recording`): the way that a kernel goes and the places that it
touches, if no element that it reads decides about them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from ktir.machine.roles import Role, role_of
from ktir.mlir import ir

_DECIDES = {"scf.for": 3, "scf.if": 1, "scf.index_switch": 1, "scf.condition": 1}
"""How many of an op's first operands decide which way a kernel goes."""

_ISOLATED = "sdf.compute"
"""The op whose region computes elements and sees nothing else."""


def data_values(kernel: ir.Operation) -> frozenset[ir.Value] | None:
    """The values of a kernel that depend on data; None if data decides which way it goes or which
    places it touches, or if it has an op of which that is not known."""
    ops = [_Op.of(op) for op in _inside(kernel)]
    if not all(_is_known(op) for op in ops):
        return None
    found: set[ir.Value] = set()
    before = -1
    while len(found) > before:
        before = len(found)
        for op in ops:
            found.update(_data_of(op, found))
    decided = any(value in found for op in ops for value in _deciding(op))
    return None if decided else frozenset(found)


@dataclasses.dataclass(frozen=True)
class _Op:
    """An op: its values, those that ops in its regions read, and those that its regions take."""

    name: str
    view: Any
    operands: list[ir.Value]
    results: list[ir.Value]
    inner: list[ir.Value]
    arguments: list[ir.Value]

    @classmethod
    def of(cls, op: Any) -> _Op:
        """The values of an op."""
        inner: list[ir.Value] = []
        arguments: list[ir.Value] = []
        name = op.operation.name
        if role_of(name) is not Role.CARRIES and name != _ISOLATED:
            inner = [value for below in _inside(op) for value in below.operands]
            blocks = [block for region in op.regions for block in region.blocks]
            arguments = [argument for block in blocks for argument in block.arguments]
        return cls(name, op, list(op.operands), list(op.results), inner, arguments)


def _inside(op: Any) -> Iterator[Any]:
    """All ops in an op's regions, but for those that compute elements and see nothing else."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner
                if inner.operation.name != _ISOLATED:
                    yield from _inside(inner)


def _is_known(op: _Op) -> bool:
    """Whether it is known what an op depends on. Those that compute have results, and see no
    memory."""
    role = role_of(op.name)
    if role is None or role is Role.INDIRECT:
        return False
    if role is not Role.COMPUTES:
        return True
    sees_memory = any(isinstance(value.type, ir.MemRefType) for value in op.operands)
    return len(op.results) > 0 and not sees_memory


def _data_of(op: _Op, data: set[ir.Value]) -> Iterator[ir.Value]:
    """The values that an op defines and that are data, if `data` are."""
    role = role_of(op.name)
    if role is Role.CARRIES:
        yield from _carried(op.name, op.view, data)
    elif role in (Role.READS, Role.EXTRACTS) or not data.isdisjoint((*op.operands, *op.inner)):
        yield from op.results
        yield from op.arguments


def _carried(name: str, op: Any, data: set[ir.Value]) -> Iterator[ir.Value]:
    """Values move in turn: from operands and ends of regions to arguments of regions and
    results."""
    regions = [region.blocks[0] for region in op.regions if len(region.blocks)]
    ends = [list(block.operations[len(block.operations) - 1].operands) for block in regions]
    if name == "scf.for":
        arguments = [list(regions[0].arguments)[1:]]
        sources = [list(op.operands)[3:], ends[0]]
        targets = [*arguments, list(op.results)]
    elif name == "scf.while":
        sources = [list(op.operands), ends[1]]
        targets = [list(regions[0].arguments)]
        passed = ends[0][1:]
        yield from _along([passed], [list(regions[1].arguments), list(op.results)], data)
    else:
        sources, targets = ends, [list(op.results)]
    yield from _along(sources, targets, data)


def _along(
    sources: list[list[ir.Value]], targets: list[list[ir.Value]], data: set[ir.Value]
) -> Iterator[ir.Value]:
    for source in sources:
        for number, value in enumerate(source):
            if value in data:
                yield from (target[number] for target in targets if number < len(target))


def _deciding(op: _Op) -> list[ir.Value]:
    """The operands that decide where an op reads and writes, or which way a kernel goes."""
    name, operands = op.name, op.operands
    role = role_of(name)
    if name in _DECIDES:
        return operands[: _DECIDES[name]]
    if role is Role.PLACES:
        return operands
    if name == "sdf.compute":
        return list(op.view.lengths)
    if name == "cf.assert":
        return []
    if name == "memref.store":
        operands = operands[1:]
    if role in (Role.READS, Role.EXTRACTS, Role.WRITES, Role.FILLS):
        return [value for value in operands if _is_place(value)]
    return []


def _is_place(value: ir.Value) -> bool:
    """Whether an operand of an op that moves elements says where they lie."""
    if isinstance(value.type, ir.RankedTensorType):
        return False
    return not str(value.type).startswith(("!ktdp.tile_future", "!sdf.future"))
