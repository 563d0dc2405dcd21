"""Who gives to whom in an exchange between cores: the sets of inter-tile ops, enumerated.

Owns `Producers` and `Deliveries`, tables by core number for a run of so many cores. How values
travel is in `futures`, what ops make of them in `ktdp_exchange`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import torch
from torch import Tensor

from ktir.errors import VerifyError
from ktir.machine.sets import IntegerSet


def members(tiles: IntegerSet, symbols: Sequence[int], cores: int) -> list[int]:
    """The cores in a set of one dimension, ascending."""
    values = [torch.arange(cores), *symbols[: tiles.symbols]]
    inside = torch.as_tensor(tiles.contains(values)).expand(cores)
    return [int(core) for core in inside.nonzero().flatten()]


def group_numbers(groups: IntegerSet, cores: int) -> list[int]:
    """The groups of a future; where nothing bounds them, at most one a core from 0 on."""
    bound = groups.bind()
    if bound.empty:
        return []
    low = 0 if bound.low[0] is None else bound.low[0]
    high = cores - 1 if bound.high[0] is None else bound.high[0]
    return [number for number in range(low, high + 1) if bound.contains([number])]


@dataclasses.dataclass(frozen=True)
class Producers:
    """`groups`: the group in which each core produces, int64 [cores]; -1 where it does not."""

    groups: Tensor

    @classmethod
    def of(cls, producers: IntegerSet, groups: IntegerSet, cores: int) -> Producers:
        """The producers of all groups. Raises VerifyError for a core in two of them."""
        found = torch.full((cores,), -1)
        for group in group_numbers(groups, cores):
            for core in members(producers, [group], cores):
                _once("produces", core, int(found[core]), group)
                found[core] = group
        return cls(found)

    def of_group(self, group: int) -> list[int]:
        """The cores that produce in a group, ascending."""
        return [int(core) for core in (self.groups == group).nonzero().flatten()]


def _once(does: str, core: int, before: int, group: int) -> None:
    if before >= 0:
        raise VerifyError(
            f"core {core} {does} in groups {before} and {group}; groups have no core in common"
        )


@dataclasses.dataclass(frozen=True)
class Deliveries:
    """What each core receives, by its number.

    `groups` int64 [cores]: the group in which it consumes; -1 where it does not. `sources`: the
    cores it receives from, ascending; int64 [cores, most], -1 after the last. `places`: its
    position among the consumers of its group, `shares`: how many these are; int64 [cores].
    """

    groups: Tensor
    sources: Tensor
    places: Tensor
    shares: Tensor

    @classmethod
    def of(
        cls,
        producers: IntegerSet,
        consumers: IntegerSet,
        dependency: IntegerSet | None,
        groups: IntegerSet,
        cores: int,
    ) -> Deliveries:
        """Enumerates all groups. Raises VerifyError for a core in two of them, and for a source
        that does not produce in the group (R3)."""
        produced = Producers.of(producers, groups, cores)
        found = cls(*(torch.full((cores,), -1) for _ in range(4)))
        lists: list[list[int]] = [[] for _ in range(cores)]
        for group in group_numbers(groups, cores):
            inside = produced.of_group(group)
            receiving = members(consumers, [group], cores)
            for place, core in enumerate(receiving):
                _once("consumes", core, int(found.groups[core]), group)
                found.groups[core], found.places[core] = group, place
                found.shares[core] = len(receiving)
                lists[core] = inside
                if dependency is not None:
                    lists[core] = members(dependency, [core, group], cores)
                    _check_sources(core, lists[core], inside, group)
        most = max(map(len, lists), default=0)
        rows = [sources + [-1] * (most - len(sources)) for sources in lists]
        sources = torch.tensor(rows, dtype=torch.int64).view(cores, most)
        return dataclasses.replace(found, sources=sources)


def _check_sources(core: int, sources: Sequence[int], producers: Sequence[int], group: int) -> None:
    strangers = sorted(set(sources) - set(producers))
    if strangers:
        raise VerifyError(
            f"core {core} depends on core {strangers[0]}, which does not produce in group {group}; "
            f"its producers are {list(producers)} (R3)"
        )
