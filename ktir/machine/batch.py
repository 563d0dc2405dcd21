"""Iterations of a loop that run at once, stacked on the core axis.

Owns `Batch`, which holds back the stores of such iterations until it is known that none of them
could see what another one does, and `Trial`, which finds out how large the tiles of a loop are.
Which loops run so is in `stacked`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable

from ktir.machine.extents import Extent, any_meet, others_meet, owners_meet


class Dependent(Exception):
    """An iteration touches what another one of its batch writes."""


class Batch:
    """The accesses of iterations that run at once. Nothing is written before `commit`."""

    def __init__(self) -> None:
        self._loads: list[tuple[Extent, int]] = []
        self._stores: list[tuple[Extent, Callable[[], None]]] = []

    def load(self, extent: Extent) -> None:
        """Notes a load."""
        self._loads.append((extent, len(self._stores)))

    def store(self, extent: Extent, perform: Callable[[], None]) -> None:
        """Notes a store, which `perform` does."""
        self._stores.append((extent, perform))

    def commit(self) -> None:
        """Does all stores, in order. Raises Dependent, before any, if their order across
        iterations or that of loads matters."""
        for number, (store, _) in enumerate(self._stores):
            if owners_meet(store):
                raise Dependent
            for other, _ in self._stores[:number]:
                if store.near(other) and others_meet(store, other):
                    raise Dependent
            for load, stores_before in self._loads:
                if not store.near(load):
                    continue
                # A load after the store has to see it in its own iteration too.
                meet = any_meet if stores_before > number else others_meet
                if meet(store, load):
                    raise Dependent
        for _, perform in self._stores:
            perform()


@dataclasses.dataclass
class Trial:
    """What an iteration that ran alone did.

    `elements`: the most that a core moved at a time; `stored`: all that all cores stored;
    `is_shared`: whether all cores ever loaded the same; `loads`, `stores`: how many there were.
    """

    elements: int = 0
    stored: int = 0
    is_shared: bool = False
    loads: int = 0
    stores: int = 0

    def load(self, elements: int, is_shared: bool) -> None:
        """A load of so many elements a core, of the same ones by all or not."""
        self.elements = max(self.elements, elements)
        self.is_shared |= is_shared
        self.loads += 1

    def store(self, elements: int, cores: int) -> None:
        """A store of so many elements by each core."""
        self.elements = max(self.elements, elements)
        self.stored += elements * cores
        self.stores += 1

    def join(self, other: Trial) -> None:
        """What a loop inside the iteration did in one of its own, of which there may be more."""
        self.elements = max(self.elements, other.elements)
        self.stored += other.stored
        self.is_shared |= other.is_shared
        self.loads += other.loads
        self.stores += other.stores

    @property
    def comparisons(self) -> int:
        """Pairs of accesses that have to be compared where iterations like it run at once."""
        return self.stores * (self.stores + self.loads)


@dataclasses.dataclass
class Stacking:
    """What a launch knows of its loops: what an iteration does, and loops whose iterations depend
    on each other, which are not tried again."""

    trials: dict[Hashable, Trial] = dataclasses.field(default_factory=dict)
    dependent: set[Hashable] = dataclasses.field(default_factory=set)
