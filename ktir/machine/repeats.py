"""Launches of a kernel that repeat earlier ones, and what they take over.

Owns what makes two launches alike (`launch_key`), the little store of those that may be repeated
(`Repeats`), and a launch that is (`Repeat`). How a launch is recorded is in `recording`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ktir.errors import InputError
from ktir.machine import arrays
from ktir.machine.launch import Fill, Kernel
from ktir.machine.memory import DeviceMemory, Scratchpad
from ktir.machine.placed import Name, Placement
from ktir.machine.profile import KernelProfile, RunProfile
from ktir.machine.recording import ChangedError, Recording
from ktir.machine.workers import running
from ktir.target import Target

Scratchpads = Mapping[tuple[int, int], Any]
"""What scratchpads hold before a kernel begins, by core and address in elements."""


class Result(NamedTuple):
    """What a kernel left: every array by the name, or address, it was given under; and the
    profile."""

    arrays: dict[str | int, Any]
    profile: RunProfile


@dataclasses.dataclass(frozen=True)
class Launch:
    """A kernel on so many cores of a target."""

    kernel: Kernel
    target: Target
    grid: tuple[int, ...]
    check: str

    def run(
        self,
        placement: Placement,
        memory: DeviceMemory,
        scratchpads: Scratchpads | None,
        record: bool,
    ) -> tuple[KernelProfile, Recording | None]:
        """Runs it on filled memory; the recording is there if it was asked for and can be."""
        found: list[Recording] = []
        profile = self.kernel.launch(
            placement.arguments,
            memory,
            self.target,
            grid=self.grid,
            check=self.check,
            fill=filling(scratchpads),
            record=found.append if record else None,
        )
        return profile, found[0] if found else None


@dataclasses.dataclass(frozen=True)
class Repeat:
    """What launches on arrays like those of one that was recorded take over from it.

    `unwritten`: for each array, what stands for it if nobody gives it.
    """

    launch: Launch
    placement: Placement
    recording: Recording
    profile: KernelProfile
    unwritten: Sequence[arrays.Unwritten | None]

    @running()
    def run(
        self, args: Mapping[str, Any], device: Mapping[int, Any], scratchpads: Scratchpads | None
    ) -> Result | None:
        """The launch on these arrays; None if it turns out not to be a repetition, with nothing
        done."""
        given: Sequence[Any] = [
            (device[name] if isinstance(name, int) else args[name]) if fresh is None else fresh
            for name, fresh in zip(self.placement.names, self.unwritten, strict=True)
        ]
        launch, memory = self.launch, self.placement.filled(given, tracked=False)
        if not memory.is_whole:
            # Arrays of one shape are lent or not as their elements lie; see `Prepared.run`.
            return None
        try:
            launch.kernel.repeat(
                self.recording,
                memory,
                launch.target,
                launch.grid,
                launch.check,
                filling(scratchpads),
            )
        except ChangedError:
            return None
        found: dict[Name, Any] = self.placement.results(memory, given)
        return Result(found, RunProfile(launch.target.name, (self.profile,)))


Remember = Callable[[Repeat | None], None]
"""Takes what later launches can take over."""


class Repeats:
    """The launches of one kernel that may be repeated, by what makes them alike.

    A launch that comes for the second time is recorded, from the third on it is repeated.
    """

    MOST = 16
    """Recordings that are kept."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Repeat | None] = {}
        self._refused: set[Hashable] = set()

    def find(self, key: Hashable) -> Repeat | None:
        """What a launch can take over."""
        return self._known.get(key)

    def remember(self, key: Hashable) -> Remember | None:
        """Notes a launch that is not repeated; takes its recording, if it is worth one."""
        if key is None or key in self._refused:
            return None
        if key not in self._known:
            self._make_room()
            self._known[key] = None
            return None
        return functools.partial(self._keep, key)

    def _make_room(self) -> None:
        if len(self._known) >= self.MOST:
            self._known.pop(next(iter(self._known)))

    def _keep(self, key: Hashable, repeat: Repeat | None) -> None:
        if repeat is not None:
            self._known[key] = repeat
            return
        self._known.pop(key, None)
        if len(self._refused) >= self.MOST:
            self._refused.clear()
        self._refused.add(key)


def launch_key(
    args: Mapping[str, Any], device: Mapping[int, Any], scratchpads: Scratchpads | None, check: str
) -> Hashable:
    """Equal for launches that differ in elements of arrays only; None for those that are not to be
    repeated."""
    if check == "full":
        return None
    kinds = [
        (name, _kind(value))
        for given in (args, device, scratchpads or {})
        for name, value in given.items()
    ]
    if any(kind is None for _, kind in kinds):
        return None
    return check, len(args), len(device), tuple(kinds)


def _kind(value: Any) -> Hashable:
    """What of an argument decides how a launch goes: all of a scalar, but no element of an
    array."""
    if type(value) is np.ndarray and value.ndim:
        return "numpy", value.dtype, value.shape
    if isinstance(value, Tensor) and value.ndim:
        plain = value.layout is torch.strided and value.device.type == "cpu"
        return ("torch", value.dtype, value.shape) if plain and not value.is_nested else None
    if isinstance(value, (np.generic, np.ndarray, Tensor)):
        if value.ndim:
            return None
        value = value.item()
    if type(value) is float:
        return value.hex()
    return (type(value), value) if type(value) in (int, bool) else None


def unwritten_of(placed: Sequence[Any]) -> list[arrays.Unwritten | None]:
    """The arrays that nobody gave."""
    return [array if isinstance(array, arrays.Unwritten) else None for array in placed]


def filling(scratchpads: Scratchpads | None) -> Fill | None:
    """Fills scratchpads with arrays, if there are any."""
    return functools.partial(_fill, scratchpads) if scratchpads else None


def _fill(given: Scratchpads, pad: Scratchpad) -> None:
    """Puts arrays into scratchpads. Raises InputError for places that are not there."""
    for (core, address), array in given.items():
        start = address * int(array.dtype.itemsize)
        end = start + arrays.byte_count(array)
        if not 0 <= core < pad.cores or start < 0 or end > pad.size:
            raise InputError(
                f"scratchpads[{core}, {address}] is bytes {start} to {end - 1} of core {core}; "
                f"there are {pad.cores} cores with {pad.size} bytes each"
            )
        data = torch.empty(end - start, dtype=torch.uint8)
        arrays.put_bytes(array, data)
        pad.give(core, start, data)
