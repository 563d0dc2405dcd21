"""What ops are to those who run a kernel in another way than op by op: again with other data
(`fixed`, `recording`), or several iterations of a loop at once (`stacked`).

Owns one table, by name. An op that is not in it has the kernel run as it is written.
"""

from __future__ import annotations

from enum import Enum


class Role(Enum):
    """What an op does.

    `COMPUTES`: results of its operands, and nothing else. `PLACES`: finds places and sizes of its
    operands. `READS`: its results are data that lie in memory, or that other cores give.
    `EXTRACTS`: its result is data that lies in a buffer. `WRITES`: leaves data in memory or in a
    buffer. `INDIRECT`: goes to places that data names. `FILLS`: works on buffers, with an effect
    that depends on data as far as what it reads is data. `CARRIES`: runs its regions and passes
    values on. `ENDS`: ends a block.
    """

    COMPUTES = 1
    PLACES = 2
    READS = 3
    EXTRACTS = 4
    WRITES = 5
    INDIRECT = 6
    FILLS = 7
    CARRIES = 8
    ENDS = 9


_DIALECTS = ("arith", "math", "index", "affine", "tensor", "linalg", "spyreop")
"""Dialects whose ops compute, but for those that the table has."""

_STACKED: dict[Role, str] = {
    Role.COMPUTES: "sdf.index",
    Role.PLACES: "ktdp.construct_memory_view ktdp.construct_distributed_memory_view "
    "ktdp.construct_access_tile ktdp.runtime_arg_extract ktdp.get_compute_tile_id sdf.core_id "
    "sdf.by_core",
    Role.READS: "ktdp.load",
    Role.EXTRACTS: "sdf.extract",
    Role.WRITES: "ktdp.store sdf.read sdf.write",
    Role.INDIRECT: "ktdp.construct_indirect_access_tile sdf.gather sdf.scatter",
    Role.FILLS: "sdf.copy sdf.reshape sdf.constant sdf.compute sdf.points",
    Role.CARRIES: "scf.for scf.while scf.if",
    Role.ENDS: "scf.yield scf.condition sdf.yield linalg.yield tensor.yield ktdp.region_terminator",
}
"""Ops that may stand in iterations that run at once: none of them can see other iterations but
through memory, or buffers, which are looked at."""

_ALONE: dict[Role, str] = {
    Role.PLACES: "memref.subview memref.reinterpret_cast memref.alloca memref.get_global "
    "memref.dim memref.rank",
    Role.READS: "memref.load sdf.publish ktdp.inter_tile_produce ktdp.inter_tile_consume "
    "ktdp.inter_tile_reduce ktdp.inter_tile_reduce_scatter ktdp.inter_tile_scatter "
    "ktdp.inter_tile_gather ktdp.inter_tile_all_to_all",
    Role.WRITES: "memref.store memref.copy sdf.receive",
    Role.FILLS: "cf.assert",
    Role.CARRIES: "scf.index_switch scf.execute_region",
    Role.ENDS: "func.return sdf.return ktdp.yield_partial ktdp.yield_reduced",
}
"""The others."""


def _by_name(table: dict[Role, str]) -> dict[str, Role]:
    return {name: role for role, names in table.items() for name in names.split()}


ROLES = _by_name(_STACKED) | _by_name(_ALONE)
"""The table: the role of each op."""

_STACKED_NAMES = frozenset(_by_name(_STACKED))


def role_of(name: str) -> Role | None:
    """The role of the ops of this name; None for those of which nothing is known."""
    found = ROLES.get(name)
    if found is None and name.partition(".")[0] in _DIALECTS:
        return Role.COMPUTES
    return found


def may_be_stacked(name: str) -> bool:
    """Whether an op of this name may stand in iterations that run at once."""
    return name in _STACKED_NAMES or (name not in ROLES and name.partition(".")[0] in _DIALECTS)


def moves_data(name: str) -> bool:
    """Whether ops of this name move data in or out of memory."""
    return role_of(name) in (Role.READS, Role.WRITES, Role.INDIRECT)
