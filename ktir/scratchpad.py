"""The one allocator of scratchpad addresses.

Owns the question "where do these buffers lie, and how high does memory fill up?" for buffers whose
lifetimes are known. Planners ask it whether a kernel fits, the lowering to `sdf` lets it place. It
knows nothing of IR, ops or cores; what a buffer is for, and when it lives, is up to its callers, as
is what the bytes of a reserved range are for.

Placing buffers of given lifetimes at the least height is dynamic storage allocation, which is
NP-hard. The allocator tries a fixed list of orders with first fit and best fit, stops as soon as
the peak equals the lower bound (`peak_live`), and otherwise improves the best order by moving the
buffer that defines the peak to its front. All of it is deterministic: ties fall to the earlier
buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ktir.errors import PlanError
from ktir.layout import STICK_BYTES, round_up

_IMPROVEMENT_ROUNDS = 24
"""Moves to the front that are tried after the fixed orders."""

_LISTED = 12
"""How many buffers an error lists by name."""

Range = tuple[int, int]
"""Bytes from the first, up to but without the second."""


@dataclass(frozen=True)
class Buffer:
    """Something that occupies `size` bytes from program point `start` to `end`, both included.

    Raises ValueError if it has no bytes or ends before it starts.
    """

    name: str
    size: int
    start: int
    end: int

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"buffer {self.name!r} has a size of {self.size} bytes")
        if self.end < self.start:
            raise ValueError(
                f"buffer {self.name!r} ends at {self.end}, before it starts: {self.start}"
            )


@dataclass(frozen=True)
class Allocation:
    """What `allocate` decides: the address of each buffer by name and the end of the highest one.

    Both are in bytes.
    """

    addresses: dict[str, int]
    peak: int


def allocate(
    buffers: Sequence[Buffer],
    capacity: int,
    alignment: int = STICK_BYTES,
    reserved: Sequence[Range] = (),
) -> Allocation:
    """Gives every buffer an address so that no two overlap in both time and space, and none lies in
    a `reserved` range.

    Addresses are multiples of `alignment`, and sizes are rounded up to it. Raises PlanError if the
    buffers do not fit into `capacity` bytes: it names the buffers alive at the fullest point, the
    bytes they need and the bytes there are. Raises ValueError if two buffers share a name.
    """
    _refuse_equal_names(buffers)
    problem = _Problem.of(buffers, alignment, reserved)
    placement = _solve(problem)
    if placement.peak > capacity:
        raise PlanError(_overflow(buffers, problem, placement.peak, capacity))
    addresses = {buffer.name: placement.addresses[i] for i, buffer in enumerate(buffers)}
    return Allocation(addresses, placement.peak)


def peak_live(buffers: Iterable[Buffer], alignment: int = STICK_BYTES) -> int:
    """The most bytes alive at one point: a lower bound on the peak of every allocation."""
    return _fullest_point(buffers, alignment)[1]


def _fullest_point(buffers: Iterable[Buffer], alignment: int) -> tuple[int, int]:
    """The first point at which the most bytes are alive, and these bytes."""
    changes: dict[int, int] = {}
    for buffer in buffers:
        size = round_up(buffer.size, alignment)
        changes[buffer.start] = changes.get(buffer.start, 0) + size
        changes[buffer.end + 1] = changes.get(buffer.end + 1, 0) - size
    live, best_point, best = 0, 0, 0
    for point in sorted(changes):
        live += changes[point]
        if live > best:
            best_point, best = point, live
    return best_point, best


@dataclass(frozen=True)
class _Placement:
    """Addresses by position in the problem, and the end of the highest buffer."""

    addresses: dict[int, int]
    peak: int


@dataclass(frozen=True)
class _Problem:
    """Buffers by position: rounded sizes, lifetimes and who is alive together with whom; and what
    is taken all the time."""

    sizes: list[int]
    starts: list[int]
    ends: list[int]
    conflicts: list[list[int]]
    fullest_point: int
    lower_bound: int
    reserved: list[Range]

    @staticmethod
    def of(buffers: Sequence[Buffer], alignment: int, reserved: Sequence[Range] = ()) -> _Problem:
        conflicts: list[list[int]] = [[] for _ in buffers]
        active: list[int] = []
        for i in sorted(range(len(buffers)), key=lambda i: (buffers[i].start, i)):
            active = [j for j in active if buffers[j].end >= buffers[i].start]
            for j in active:
                conflicts[i].append(j)
                conflicts[j].append(i)
            active.append(i)
        fullest_point, lower_bound = _fullest_point(buffers, alignment)
        return _Problem(
            sizes=[round_up(buffer.size, alignment) for buffer in buffers],
            starts=[buffer.start for buffer in buffers],
            ends=[buffer.end for buffer in buffers],
            conflicts=conflicts,
            fullest_point=fullest_point,
            lower_bound=lower_bound,
            reserved=[
                (begin // alignment * alignment, round_up(end, alignment))
                for begin, end in reserved
                if end > begin
            ],
        )

    def span(self, i: int) -> int:
        """How many points buffer `i` lives."""
        return self.ends[i] - self.starts[i] + 1


# Each order ends in the position, so that equal buffers are placed as they were given.
_ORDERS: tuple[Callable[[_Problem, int], tuple[int, ...]], ...] = (
    lambda p, i: (-p.sizes[i], -p.span(i), p.starts[i], i),
    lambda p, i: (-p.span(i), -p.sizes[i], p.starts[i], i),
    lambda p, i: (-p.span(i) * p.sizes[i], p.starts[i], i),
    lambda p, i: (p.starts[i], -p.span(i), -p.sizes[i], i),
    lambda p, i: (p.starts[i], -p.sizes[i], -p.span(i), i),
    lambda p, i: (p.starts[i], p.sizes[i], -p.span(i), i),
    lambda p, i: (-p.ends[i], -p.span(i), -p.sizes[i], i),
    lambda p, i: (-p.ends[i], -p.sizes[i], -p.span(i), i),
)

_Fit = Callable[[list[tuple[int, int]], int], int]


def _solve(problem: _Problem) -> _Placement:
    """The placement with the lowest peak among the fixed orders and their improvements."""
    best: _Placement | None = None
    best_order: list[int] = []
    best_fit: _Fit = _first_fit
    for key in _ORDERS:
        order = sorted(range(len(problem.sizes)), key=lambda i: key(problem, i))
        for fit in (_first_fit, _best_fit):
            placement = _place(problem, order, fit)
            if best is None or placement.peak < best.peak:
                best, best_order, best_fit = placement, order, fit
            if best.peak == problem.lower_bound:
                return best
    assert best is not None
    return _improve(problem, best, best_order, best_fit)


def _improve(problem: _Problem, best: _Placement, order: list[int], fit: _Fit) -> _Placement:
    """Moves the buffer that defines the peak to the front, round by round; keeps the best seen."""
    current = best
    for _ in range(_IMPROVEMENT_ROUNDS):
        top = max(order, key=lambda i: (current.addresses[i] + problem.sizes[i], -i))
        order = [top, *(i for i in order if i != top)]
        current = _place(problem, order, fit)
        if current.peak < best.peak:
            best = current
        if best.peak == problem.lower_bound:
            break
    return best


def _place(problem: _Problem, order: Sequence[int], fit: _Fit) -> _Placement:
    """Places the buffers one after the other, each where `fit` finds room among those placed."""
    addresses: dict[int, int] = {}
    peak = 0
    for i in order:
        placed = [
            (addresses[j], addresses[j] + problem.sizes[j])
            for j in problem.conflicts[i]
            if j in addresses
        ]
        taken = sorted(placed + problem.reserved)
        addresses[i] = fit(taken, problem.sizes[i])
        peak = max(peak, addresses[i] + problem.sizes[i])
    return _Placement(addresses, peak)


def _first_fit(taken: list[tuple[int, int]], size: int) -> int:
    """The lowest address with `size` free bytes, given the sorted (begin, end) of what is taken."""
    free_from = 0
    for begin, end in taken:
        if begin - free_from >= size:
            return free_from
        free_from = max(free_from, end)
    return free_from


def _best_fit(taken: list[tuple[int, int]], size: int) -> int:
    """The address of the smallest gap that holds `size` bytes; above all others if none does."""
    free_from = 0
    best: tuple[int, int] | None = None
    for begin, end in taken:
        gap = begin - free_from
        if gap >= size and (best is None or gap < best[0]):
            best = (gap, free_from)
        free_from = max(free_from, end)
    return best[1] if best else free_from


def _refuse_equal_names(buffers: Sequence[Buffer]) -> None:
    seen: set[str] = set()
    for buffer in buffers:
        if buffer.name in seen:
            raise ValueError(f"two buffers are named {buffer.name!r}")
        seen.add(buffer.name)


def _overflow(buffers: Sequence[Buffer], problem: _Problem, peak: int, capacity: int) -> str:
    """The text of the error for buffers that do not fit: what is alive at the fullest point."""
    point = problem.fullest_point
    live = [i for i, buffer in enumerate(buffers) if buffer.start <= point <= buffer.end]
    live.sort(key=lambda i: (-problem.sizes[i], i))
    listing = ", ".join(f"{buffers[i].name} ({problem.sizes[i]} bytes)" for i in live[:_LISTED])
    if len(live) > _LISTED:
        listing += f" and {len(live) - _LISTED} smaller ones"
    text = (
        f"the scratchpad overflows: {problem.lower_bound} bytes live, {capacity} bytes there; "
        f"alive at the fullest point are {listing}"
    )
    if problem.reserved:
        ranges = ", ".join(f"{begin} to {end - 1}" for begin, end in sorted(problem.reserved))
        text += f"; bytes {ranges} are reserved"
    if problem.lower_bound > capacity:
        return text
    return f"{text}; they would fit, but no placement found has a peak below {peak} bytes"
