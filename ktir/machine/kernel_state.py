"""What kernels have beyond other functions, while they are decoded and while they run.

Owns `KernelScope` and `KernelRun`, which the dialects with memories share.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from ktir.errors import UnsupportedError
from ktir.layout import STICK_BYTES, round_up
from ktir.machine.batch import Batch, Stacking, Trial
from ktir.machine.block import Flow, Interval, Kind, Resolve, Step, Touched
from ktir.machine.board import Board
from ktir.machine.coverage import Coverage
from ktir.machine.decode import Callees, Scope
from ktir.machine.definedness import Stores
from ktir.machine.fixed import data_values
from ktir.machine.footprint import TileBytes
from ktir.machine.frame import Frame, Run
from ktir.machine.iteration import Iteration
from ktir.machine.journal import Journal
from ktir.machine.memory import DeviceMemory, Scratchpad
from ktir.machine.patterns import Offsets
from ktir.machine.profile import Counters
from ktir.machine.roles import Role, role_of
from ktir.machine.stacked_buffers import Buffers
from ktir.machine.turns import Turns
from ktir.machine.watch import Watch
from ktir.mlir import ir
from ktir.target import Target

_KINDS: dict[Role | None, Kind] = {
    Role.CARRIES: Kind.CARRIES,
    Role.READS: Kind.MOVES,
    Role.WRITES: Kind.MOVES,
    Role.FILLS: Kind.COMPUTES,
}
"""What the steps of ops are for one who records; of others: `FIXED`, as far as they see no data."""


class KernelScope(Scope):
    """The slots of a kernel, and what its ops say about the scratchpad while they are decoded.

    `scratchpad_end` is the end of the highest buffer so far, `coverage` what of the scratchpad is
    written before it is read, `iterations` what bodies of loops around do there, `has_local_views`
    whether views of scratchpads at addresses of the program exist, `reach` the bytes of scratchpads
    that transfers may touch by address, `is_steady` whether the places that it writes depend on no
    data, `has_exchanges` whether cores wait for each other, `allocated_bytes` what the kernel
    allocates at the end of each scratchpad. `values` is false for a walk that counts only.
    `is_recorded`: whether launches may be recorded.
    """

    empty_is_zero = True
    """Public kernels accumulate on `tensor.empty`; the lowering to `sdf` takes it for zeros too."""

    def __init__(
        self,
        callees: Callees,
        target: Target,
        values: bool,
        is_recorded: bool = False,
    ) -> None:
        super().__init__(callees)
        self.target = target
        self.values = values
        self.scratchpad_end = 0
        self.coverage = Coverage()
        self.has_local_views = False
        self.reach: list[tuple[int, int]] = []
        self.is_steady = True
        self.has_exchanges = False
        self.allocated_bytes = 0
        self.iterations: list[Iteration] = []
        self.is_recorded = is_recorded
        self._resolvers: dict[Step, Resolve] = {}
        self._touched = Touched()
        self._constants: dict[str, tuple[int, Tensor]] = {}

    def add_constant(self, name: str, value: Tensor) -> int:
        """Puts a constant of the module into the kernel's memory of them; returns its byte."""
        if name not in self._constants:
            end = max((at + v.nbytes for at, v in self._constants.values()), default=0)
            self._constants[name] = (round_up(end, STICK_BYTES), value)
        return self._constants[name][0]

    def constants(self) -> DeviceMemory | None:
        """The memory of all constants; None if there are none."""
        if not self._constants:
            return None
        end = max(at + value.nbytes for at, value in self._constants.values())
        memory = DeviceMemory(end, tracked=True)
        for name, (at, value) in self._constants.items():
            size = value.nbytes
            memory.add_region(f"@{name}", at, size)
            memory.typed(torch.uint8)[at : at + size] = value.reshape(-1).view(torch.uint8)
            assert memory.shadow is not None
            memory.shadow.give(TileBytes.of(Offsets([at]), (size,), (1,), 1))
        return memory

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """Around the decoding of a block."""
        with contextlib.ExitStack() as stack:
            for coverage in (self.coverage, *(body.coverage for body in self.iterations)):
                stack.enter_context(coverage.block())
            yield

    @contextlib.contextmanager
    def iteration(self) -> Iterator[Iteration]:
        """Around the decoding of the body of a loop: what an iteration does to the scratchpad."""
        body = Iteration()
        self.iterations.append(body)
        try:
            yield body
        finally:
            self.iterations.remove(body)

    def resolves(self, step: Step, resolve: Resolve) -> Step:
        """Notes how a step is made that does what `step` did at the same places; returns `step`."""
        self._resolvers[step] = resolve
        return step

    def touch(self, reads: Sequence[Interval], writes: Sequence[Interval], partly: bool) -> None:
        """Notes the buffers of the op that is decoded."""
        self._touched = Touched(tuple(reads), tuple(writes), partly)

    def flow(
        self, name: str, results: Sequence[ir.Value], step: Step, read: set[int], first: int
    ) -> Flow | None:
        """What a step is for those who record launches; None where nobody does."""
        if not self.is_recorded:
            return None
        touched, self._touched = self._touched, Touched()
        kind = _KINDS.get(role_of(name), Kind.FIXED)
        reads = tuple(sorted([slot for slot in read if slot < first]))
        writes = tuple([self._slots[result] for result in results])
        return Flow(kind, reads, writes, self._resolvers.get(step), touched)

    def data_slots(self, kernel: ir.Operation) -> frozenset[int] | None:
        """The slots of values that depend on data, if launches of the kernel can be recorded."""
        data = data_values(kernel)
        if data is None:
            return None
        return frozenset(self._slots[value] for value in data if value in self._slots)


class KernelRun(Run):
    """One launch: the cores of its grid, the memories they move elements between, what is counted.

    `bounds` says whether coordinates and arrays are checked; the ends of a memory always are.
    `values` is false for a walk that counts only. `constants` is memory that is only read. `watch`
    is there for check "full". `board` has
    what cores published, `turns` whose turn it is if they do not run in step, `journal` what device
    memory held before, if the launch may have to begin again. `buffers` is where the buffers of
    scratchpads are: there, or apart for iterations that run at once. `batch` holds back the stores
    of these, `trial` measures one that runs alone, `stacking` knows which loops run so.
    """

    def __init__(
        self,
        grid: Sequence[int],
        device: DeviceMemory,
        scratchpad: Scratchpad | None,
        target: Target,
        check: str = "bounds",
        values: bool = True,
        constants: DeviceMemory | None = None,
    ) -> None:
        super().__init__(grid)
        self.device = device
        self.scratchpad = scratchpad
        self.buffers: Buffers | None = scratchpad
        self.target = target
        self.bounds = check != "off"
        self.watch = Watch(self.cores, target) if check == "full" and values else None
        self.values = values
        self.constants = constants
        self.counters = Counters(self.cores)
        self.board = Board(self.cores)
        self.turns: Turns | None = None
        self.journal: Journal | None = None
        self.stores: Stores | None = None
        self.batch: Batch | None = None
        self.trial: Trial | None = None
        self.stacking = Stacking()


def kernel_run(frame: Frame) -> KernelRun:
    """The launch that a frame belongs to. Raises UnsupportedError if there is none."""
    if not isinstance(frame.run, KernelRun):
        raise UnsupportedError("memory, or an exchange between cores, outside a kernel")
    return frame.run
