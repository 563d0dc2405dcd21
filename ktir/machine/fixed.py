"""Which values of a kernel depend on the data that it reads, and whether nothing but values does.

Owns the analysis that tells what a launch may take over from an earlier one on arrays at the same
places with the same scalars (`recording`): the way that a kernel goes and the places that it
touches, if no element that it reads decides about them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from ktir.mlir import ir

_DIALECTS = ("arith", "math", "index", "affine", "tensor", "linalg", "spyreop")
"""Dialects whose ops compute results of operands, and do nothing else."""

_CARRIES = ("scf.for", "scf.while", "scf.if", "scf.index_switch", "scf.execute_region")

_DECIDES = {"scf.for": 3, "scf.if": 1, "scf.index_switch": 1, "scf.condition": 1}
"""How many of an op's first operands decide which way a kernel goes."""

_READS = frozenset(
    {"ktdp.load", "memref.load", "sdf.extract", "sdf.publish"}
    | {
        f"ktdp.inter_tile_{name}"
        for name in (
            "produce",
            "consume",
            "reduce",
            "reduce_scatter",
            "scatter",
            "gather",
            "all_to_all",
        )
    }
)
"""Ops whose results are data, whatever their operands are."""

_PLACES = frozenset(
    {
        "ktdp.construct_memory_view",
        "ktdp.construct_distributed_memory_view",
        "ktdp.construct_access_tile",
        "ktdp.runtime_arg_extract",
        "ktdp.get_compute_tile_id",
        "memref.subview",
        "memref.reinterpret_cast",
        "memref.alloca",
        "memref.get_global",
        "memref.dim",
        "memref.rank",
        "sdf.core_id",
        "sdf.by_core",
    }
)
"""Ops that find places and sizes of their operands."""

_MOVES = frozenset(
    {"ktdp.store", "memref.store", "memref.copy", "sdf.read", "sdf.write", "sdf.receive"}
)
"""Ops that write memory whose elements are data."""

_COMPUTES = frozenset(
    {f"sdf.{name}" for name in ("copy", "reshape", "constant", "compute", "points")} | {"cf.assert"}
)
"""Ops without results that matter as far as what they read is data."""

_ENDS = ("func.return", "sdf.return", "sdf.yield", "scf.yield", "scf.condition")
_ISOLATED = ("sdf.compute",)
_INNER = ("ktdp.yield_partial", "ktdp.yield_reduced")


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
        if name not in _CARRIES and name not in _ISOLATED:
            inner = [value for below in _inside(op) for value in below.operands]
            blocks = [block for region in op.regions for block in region.blocks]
            arguments = [argument for block in blocks for argument in block.arguments]
        return cls(name, op, list(op.operands), list(op.results), inner, arguments)


def moves(name: str) -> bool:
    """Whether an op of this name reads or writes memory whose elements are data, and does not just
    compute."""
    return name in _MOVES or (name in _READS and name != "sdf.extract")


def computes(name: str) -> bool:
    """Whether an op of this name has an effect that depends on what it reads only."""
    return name in _COMPUTES


def carries(name: str) -> bool:
    """Whether an op of this name only runs its regions, and passes values on."""
    return name in _CARRIES


def _inside(op: Any) -> Iterator[Any]:
    """All ops in an op's regions, but for those that compute elements and see nothing else."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner
                if inner.operation.name not in _ISOLATED:
                    yield from _inside(inner)


def _is_known(op: _Op) -> bool:
    """Whether it is known what an op depends on. Those that compute have results, and see no
    memory."""
    name = op.name
    known = (_READS, _PLACES, _MOVES, _COMPUTES, _CARRIES, _ENDS, _INNER)
    if any(name in names for names in known) or name in ("linalg.yield", "tensor.yield"):
        return True
    computes = name.partition(".")[0] in _DIALECTS and len(op.results) > 0
    return computes and not any(isinstance(value.type, ir.MemRefType) for value in op.operands)


def _data_of(op: _Op, data: set[ir.Value]) -> Iterator[ir.Value]:
    """The values that an op defines and that are data, if `data` are."""
    if op.name in _CARRIES:
        yield from _carried(op.name, op.view, data)
    elif op.name in _READS or not data.isdisjoint((*op.operands, *op.inner)):
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
    if name in _DECIDES:
        return operands[: _DECIDES[name]]
    if name in _PLACES:
        return operands
    if name == "sdf.compute":
        return list(op.view.lengths)
    if name == "cf.assert":
        return []
    if name == "memref.store":
        operands = operands[1:]
    if name in _MOVES or name in _READS or name in _COMPUTES:
        return [value for value in operands if _is_place(value)]
    return []


def _is_place(value: ir.Value) -> bool:
    """Whether an operand of an op that moves elements says where they lie."""
    if isinstance(value.type, ir.RankedTensorType):
        return False
    return not str(value.type).startswith(("!ktdp.tile_future", "!sdf.future"))
