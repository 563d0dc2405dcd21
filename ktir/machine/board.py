"""What cores have published for each other.

Owns `Future`, one execution of a produce by the cores of a group, and `Board`, which counts the
executions of each core. Publishing and waiting are in `futures`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Sequence

import torch
from torch import Tensor


@dataclasses.dataclass(frozen=True)
class Future:
    """One execution of a produce.

    `key`: the op. `index` int64 [cores]: how often each core had executed the op before; -1 for
    cores that do not execute it now. `rows` int64 [cores]: where a core's contribution lies along
    the first axis of `values`; -1 for cores that do not produce. `values`: one tensor [1 or
    producers, dims ..] a role. `knowledge`: what each producer knew, see `clocks`.
    """

    key: Hashable
    index: Tensor
    rows: Tensor
    values: Sequence[Tensor]
    knowledge: Tensor | None

    def narrow(self, positions: Tensor) -> Future:
        """The same: publications are kept by core number."""
        return self

    def pick(self, role: int, sources: Tensor) -> Tensor:
        """The contributions of cores [n]: [n, dims ..], or [1, dims ..] if they are one."""
        value = self.values[role]
        return value if value.shape[0] == 1 else value[self.rows_of(sources)]

    def rows_of(self, sources: Tensor) -> Tensor | slice:
        """Where the contributions of cores [n] lie along the first axis of values: [n], or the row
        of one."""
        rows = self.rows[sources]
        if rows.shape[0] and bool((rows == rows[0]).all()):
            row = int(rows[0])
            return slice(row, row + 1)
        return rows


class Board:
    """The publications of a run: how many executions of each op every core has behind it, and, if
    cores take turns, what each published."""

    def __init__(self, cores: int) -> None:
        self._cores = cores
        self._counts: dict[Hashable, Tensor] = {}
        self._published: dict[tuple[Hashable, int, int], tuple[Future, int]] = {}

    def execute(self, key: Hashable, numbers: Tensor) -> Tensor:
        """Counts an execution by these cores; returns `Future.index`."""
        counts = self._counts.setdefault(key, torch.zeros(self._cores, dtype=torch.int64))
        index = torch.full((self._cores,), -1)
        index[numbers] = counts[numbers]
        counts[numbers] += 1
        return index

    def add(self, future: Future) -> None:
        """Keeps the contributions of a future by core."""
        for core in (future.rows >= 0).nonzero().flatten().tolist():
            self._published[future.key, core, int(future.index[core])] = (future, core)

    def has(self, key: Hashable, core: int, execution: int) -> bool:
        """Whether a core published at an execution."""
        return (key, core, execution) in self._published

    def joined(self, key: Hashable, sources: Sequence[int], execution: int) -> Future:
        """The contributions of cores at one of their executions, as one future."""
        found = [self._published[key, core, execution][0] for core in sources]
        rows = torch.full((self._cores,), -1)
        rows[list(sources)] = torch.arange(len(sources))
        roles = range(len(found[0].values)) if found else ()
        values = [
            torch.cat(
                [f.pick(role, torch.tensor([c])) for f, c in zip(found, sources, strict=True)]
            )
            for role in roles
        ]
        knowledge = None
        if found and found[0].knowledge is not None:
            known = zip(found, sources, strict=True)
            knowledge = torch.stack(
                [f.knowledge[f.rows[core]] for f, core in known if f.knowledge is not None]
            )
        index = torch.full((self._cores,), execution)
        return Future(key, index, rows, values, knowledge)
