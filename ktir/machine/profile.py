"""What a run counts, and the first estimate of time that follows from it.

Owns the counters that ops add to while a kernel runs (`Counters`), the record of one launch
(`KernelProfile`) and of a whole run (`RunProfile`). The laws of single engines are in
`ktir.target`; here is how they combine: a kernel takes as long as the slower of the memory and the
busiest core's compute, `max(memory, matrix, vector)`, one roofline a kernel.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ktir.target import Target

Cores = npt.NDArray[np.int64] | None
"""How often each of a kernel's cores ran an op, [cores]; None if all did, once."""

_Work = tuple[str, float]
"""An engine, and the nanoseconds that it takes for an op."""

_Saved = tuple[tuple[int, ...], dict[_Work, int], dict[_Work, npt.NDArray[np.int64]]]

_NARROW = (torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2)


class Counters:
    """What one launch of a kernel has done so far, on `cores` cores.

    Bytes are sums over cores of the whole sticks that transfers to and from device memory touched.
    `shared_bytes` is the part of `read_bytes` that other cores read at the same time. `ring_bytes`
    travel from core to core and not through device memory. What engines do is kept by the time that
    it takes, so that times do not depend on the order in which it is done.
    """

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self.read_bytes = 0
        self.written_bytes = 0
        self.shared_bytes = 0
        self.ring_bytes = 0
        self.macs = 0
        self.vector_elements = 0
        self.scratchpad_peak = 0
        self.wide = False
        self._by_all: dict[_Work, int] = {}
        self._by_some: dict[_Work, npt.NDArray[np.int64]] = {}

    def save(self) -> _Saved:
        """What loops have counted so far."""
        by_some = {work: counts.copy() for work, counts in self._by_some.items()}
        sums = (self.read_bytes, self.shared_bytes, self.written_bytes)
        return (*sums, self.macs, self.vector_elements), dict(self._by_all), by_some

    def restore(self, counts: _Saved) -> None:
        """Goes back to what `save` returned."""
        sums, self._by_all, self._by_some = counts
        self.read_bytes, self.shared_bytes, self.written_bytes = sums[:3]
        self.macs, self.vector_elements = sums[3:]

    def read(self, total: int, shared: int, dtype: torch.dtype) -> None:
        """Counts `total` bytes read from device memory by all cores, `shared` of them read by
        others as well."""
        self.read_bytes += total
        self.shared_bytes += shared
        self._note(dtype)

    def write(self, total: int, dtype: torch.dtype) -> None:
        """Counts bytes written to device memory by all cores."""
        self.written_bytes += total
        self._note(dtype)

    def ring(self, total: int) -> None:
        """Counts bytes that travel from core to core."""
        self.ring_bytes += total

    def matrix(self, macs: int, time: float, cores: Cores) -> None:
        """Counts a matrix op of `macs` multiply-accumulates and `time` ns on each of `cores`."""
        self.macs += macs * self._add("matrix", time, cores)

    def vector(self, elements: int, time: float, cores: Cores) -> None:
        """Counts a vector op over `elements` points and `time` ns on each of `cores`."""
        self.vector_elements += elements * self._add("vector", time, cores)

    def busiest(self, engine: str) -> float:
        """Nanoseconds of the core on which `engine` works longest."""
        found = sorted({work for work in (*self._by_all, *self._by_some) if work[0] == engine})
        none = np.zeros(self.cores, np.int64)
        total = np.zeros(self.cores)
        for work in found:
            total += work[1] * (self._by_some.get(work, none) + self._by_all.get(work, 0))
        return float(total.max(initial=0.0))

    def _add(self, engine: str, time: float, cores: Cores) -> int:
        """Counts an op of an engine; returns how often it ran."""
        work = (engine, time)
        if cores is None:
            self._by_all[work] = self._by_all.get(work, 0) + 1
            return self.cores
        known = self._by_some.get(work)
        if known is None:
            self._by_some[work] = cores.copy()
        else:
            known += cores
        return int(cores.sum())

    def _note(self, dtype: torch.dtype) -> None:
        if dtype.is_floating_point and dtype not in _NARROW:
            self.wide = True


@dataclasses.dataclass(frozen=True)
class KernelProfile:
    """One launch of a kernel. Bytes and counts are sums over its cores, times nanoseconds of the
    busiest core.

    `scratchpad_peak` is the end of the highest buffer, in bytes. Times exist at level `sdf` only
    and are 0 elsewhere.
    `extrapolated` marks times of kernels that move f32 or f64, for which no measurement exists.
    """

    name: str
    level: str
    grid: tuple[int, ...]
    cores: int
    location: str
    read_bytes: int
    written_bytes: int
    shared_bytes: int
    ring_bytes: int
    scratchpad_peak: int
    macs: int
    vector_elements: int
    memory_ns: float
    matrix_ns: float
    vector_ns: float
    extrapolated: bool

    @property
    def time_ns(self) -> float:
        """The estimate: the slowest engine hides the others."""
        return max(self.memory_ns, self.matrix_ns, self.vector_ns)

    @property
    def bound(self) -> str:
        """The engine that decides the time: memory, matrix or vector."""
        times = {"memory": self.memory_ns, "matrix": self.matrix_ns, "vector": self.vector_ns}
        return max(times, key=lambda engine: times[engine])


def kernel_profile(
    name: str, level: str, grid: Sequence[int], location: str, counters: Counters, target: Target
) -> KernelProfile:
    """Closes the counters of one launch."""
    timed = level == "sdf"
    memory_ns = target.memory.time(counters.read_bytes, counters.written_bytes, counters.cores)
    return KernelProfile(
        name=name,
        level=level,
        grid=tuple(grid),
        cores=counters.cores,
        location=location,
        read_bytes=counters.read_bytes,
        written_bytes=counters.written_bytes,
        shared_bytes=counters.shared_bytes,
        ring_bytes=counters.ring_bytes,
        scratchpad_peak=counters.scratchpad_peak,
        macs=counters.macs,
        vector_elements=counters.vector_elements,
        memory_ns=memory_ns if timed else 0.0,
        matrix_ns=counters.busiest("matrix") if timed else 0.0,
        vector_ns=counters.busiest("vector") if timed else 0.0,
        extrapolated=counters.wide,
    )


@dataclasses.dataclass(frozen=True)
class RunProfile:
    """All launches of a run, in order. Kernels run one after another, so times add up."""

    target: str
    kernels: tuple[KernelProfile, ...]

    @property
    def time_ns(self) -> float:
        """Nanoseconds of all kernels."""
        return sum(kernel.time_ns for kernel in self.kernels)

    @property
    def read_bytes(self) -> int:
        """Bytes read from device memory."""
        return sum(kernel.read_bytes for kernel in self.kernels)

    @property
    def written_bytes(self) -> int:
        """Bytes written to device memory."""
        return sum(kernel.written_bytes for kernel in self.kernels)

    @property
    def ring_bytes(self) -> int:
        """Bytes that travelled from core to core."""
        return sum(kernel.ring_bytes for kernel in self.kernels)

    @property
    def scratchpad_peak(self) -> int:
        """The highest end of a scratchpad buffer, in bytes."""
        return max((kernel.scratchpad_peak for kernel in self.kernels), default=0)

    @property
    def extrapolated(self) -> bool:
        """Whether the time of any kernel is extrapolated."""
        return any(kernel.extrapolated for kernel in self.kernels)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON: the totals and one object a kernel."""
        return {
            "target": self.target,
            "time_ns": self.time_ns,
            "read_bytes": self.read_bytes,
            "written_bytes": self.written_bytes,
            "ring_bytes": self.ring_bytes,
            "scratchpad_peak": self.scratchpad_peak,
            "extrapolated": self.extrapolated,
            "kernels": [
                dataclasses.asdict(kernel) | {"time_ns": kernel.time_ns, "bound": kernel.bound}
                for kernel in self.kernels
            ],
        }
