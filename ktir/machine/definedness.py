"""Whether what a kernel leaves in memory depends on contents that nobody has defined.

Owns that question for check "full". A kernel may compute with undefined contents as long as nothing
of it reaches memory: cores that receive no tile run the ops behind a delivery too, tails are
computed and left out. So values are not followed through ops. The kernel runs a second time, on the
memory it began with and other undefined contents: if it leaves the same, it depends on none of
them. If not, two more runs, compared store by store, find the store and the origin to tell of.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import torch
from torch import Tensor

from ktir.errors import KtirError, MachineError
from ktir.machine.footprint import BITS, Footprint
from ktir.machine.garbage import Garbage, Origin
from ktir.machine.journal import Journal
from ktir.machine.shadow import Actor, place


class Stores(Protocol):
    """Follows the stores of a run."""

    def note(self, footprint: Footprint, actor: Actor, data: Tensor) -> None:
        """A store has happened: what lies there now, [rows, points], zero where nothing moved."""


Rerun = Callable[[Garbage, Stores | None], None]
"""Runs the kernel again from the memory as it is, with these undefined contents; what stores do is
told if someone asks for it."""


def check_defined(journal: Journal, used: Collection[Origin], rerun: Rerun) -> None:
    """Raises MachineError if what a run left in memory depends on the undefined contents `used`,
    which were fresh bytes in it. `journal` was kept during the run; memory stays as it left it."""
    left = journal.present()
    try:
        if not _leaves_the_same(journal, left, Garbage(used), rerun):
            _tell(journal, list(used), rerun)
    finally:
        journal.restore(left)


def _leaves_the_same(
    journal: Journal, left: dict[int, Tensor], garbage: Garbage, rerun: Rerun
) -> bool:
    journal.restore()
    try:
        rerun(garbage, None)
    except KtirError:
        return False
    return journal.holds(left)


def _tell(journal: Journal, used: Sequence[Origin], rerun: Rerun) -> None:
    """Raises MachineError at the first store that brings something else with other contents of one
    origin, or of all. None does where only the bits of a NaN differ."""
    log = _Log()
    journal.restore(history=True)
    rerun(Garbage(), log)
    choices = [[origin] for origin in used]
    for changed in choices if len(used) == 1 else [*choices, list(used)]:
        journal.restore(history=True)
        comparison = _Comparison(log.stores, changed)
        try:
            rerun(Garbage(changed), comparison)
        except _DependsError as error:
            raise MachineError(str(error)) from error
        except KtirError as error:
            raise MachineError(f"{error}; that depends on {_named(changed)}") from error
        comparison.finish()


class _DependsError(MachineError):
    """A store depends on undefined contents."""


@dataclasses.dataclass(frozen=True)
class _Store:
    """What a store has left where."""

    ends: list[tuple[int, int]]
    data: Tensor


class _Log:
    """The stores of a run."""

    def __init__(self) -> None:
        self.stores: list[_Store] = []

    def note(self, footprint: Footprint, actor: Actor, data: Tensor) -> None:
        self.stores.append(_Store(footprint.ends(), data.clone()))


class _Comparison:
    """Compares the stores of a run with those of another one."""

    def __init__(self, stores: Sequence[_Store], changed: Sequence[Origin]) -> None:
        self._stores, self._changed, self._count = stores, changed, 0

    def note(self, footprint: Footprint, actor: Actor, data: Tensor) -> None:
        number, self._count = self._count, self._count + 1
        same = number < len(self._stores) and self._stores[number].data.shape == data.shape
        if not same or self._stores[number].ends != footprint.ends():
            raise _DependsError(
                f"{place(footprint, actor, 0, 0)}; whether and where depends on "
                f"{_named(self._changed)}"
            )
        wrong = _differs(self._stores[number].data, data)
        if bool(wrong.any()):
            row, point = wrong.nonzero()[0].tolist()
            raise _DependsError(
                f"{place(footprint, actor, row, point)}, with a value that depends on "
                f"{_named(self._changed)}"
            )

    def finish(self) -> None:
        """The run is over. Raises MachineError if stores are missing."""
        if self._count < len(self._stores):
            raise MachineError(f"a store happens or not, which depends on {_named(self._changed)}")


def _named(origins: Sequence[Origin]) -> str:
    texts = " and ".join(origin.text for origin in origins)
    return f"{texts}, which nobody has written; write all of it before, or keep it out of memory"


def _differs(one: Tensor, other: Tensor) -> Tensor:
    """Where elements differ in more than the bits of a NaN."""
    bits = BITS[one.dtype.itemsize]
    found = one.view(bits) != other.view(bits)
    if one.dtype.is_floating_point and bool(found.any()):
        found &= ~(torch.isnan(one) & torch.isnan(other))
    return found
