"""Whole numbers that may differ by core: one int for all cores of the group, or one a core.

Owns their reading from values of the program, and the small moves on them that everything with
addresses and coordinates needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from ktir.machine.frame import Divergence

PerCore = Sequence[int]
"""One int for all cores of the group, or one a core."""


def per_core(value: Tensor) -> list[int]:
    """An index value [1 or cores] as ints: one if all cores agree, else one a core."""
    values: list[int] = value.tolist()
    if len(values) > 1 and values.count(values[0]) == len(values):
        return values[:1]
    return values


def alike(values: Tensor) -> Tensor:
    """[n] as [1] if all are equal."""
    return values[:1] if bool((values == values[0]).all()) else values


def distinct(values: Tensor) -> list[int]:
    """The different numbers in [n], ascending."""
    return sorted(set(values.tolist()))


def uniform_int(value: Tensor) -> int:
    """The number in a scalar that an op needs to be the same on all cores.

    Raises Divergence if it is not.
    """
    values = per_core(value)
    if len(values) > 1:
        raise Divergence(values)
    return values[0]


def all_uniform(values: Sequence[PerCore]) -> tuple[int, ...]:
    """The ints of a list that an op needs to be the same on all cores. Raises Divergence."""
    for entry in values:
        if len(entry) > 1:
            raise Divergence(entry)
    return tuple(entry[0] for entry in values)


def pick(values: PerCore, position: int) -> int:
    """The entry of the core at a position."""
    return values[position if len(values) > 1 else 0]


def rows(values: Sequence[PerCore]) -> list[tuple[int, ...]]:
    """The entries of several lists by core: one tuple for all cores, or one a core."""
    cores = max([len(entry) for entry in values], default=1)
    if cores == 1:
        return [tuple([entry[0] for entry in values])]
    wide = [entry if len(entry) > 1 else [entry[0]] * cores for entry in values]
    return list(zip(*wide, strict=True))


def apply(function: Callable[..., int], *values: PerCore) -> list[int]:
    """`function` on the entries of each core."""
    return [function(*row) for row in rows(values)]


def narrow_ints(values: PerCore, positions: Tensor) -> PerCore:
    """The entries for the cores at `positions` (int64)."""
    if len(values) == 1:
        return values
    return [values[position] for position in positions.tolist()]


def column(values: PerCore, rank: int) -> Tensor:
    """One value a core as int64 [1 or cores, 1, ..] with `rank` more axes."""
    return torch.tensor(list(values), dtype=torch.int64).view(-1, *[1] * rank)
