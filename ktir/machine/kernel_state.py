"""What kernels have beyond other functions, while they are decoded and while they run.

Owns `KernelScope` and `KernelRun`, which the dialects with memories share.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from ktir.machine.batch import Batch, Stacking, Trial
from ktir.machine.board import Board
from ktir.machine.coverage import Coverage
from ktir.machine.decode import Callees, Scope
from ktir.machine.frame import Run
from ktir.machine.journal import Journal
from ktir.machine.memory import DeviceMemory, Scratchpad
from ktir.machine.profile import Counters
from ktir.machine.turns import Turns
from ktir.machine.watch import Watch
from ktir.target import Target


class KernelScope(Scope):
    """The slots of a kernel, and what its ops say about the scratchpad while they are decoded.

    `scratchpad_end` is the end of the highest buffer so far, `coverage` what of the scratchpad is
    written before it is read, `has_local_views` whether views of scratchpads at addresses of the
    program exist, `is_steady` whether the places that it writes depend on no data,
    `has_exchanges` whether cores wait for each other. `values` is false for a walk that counts
    only.
    """

    empty_is_zero = True
    """Public kernels accumulate on `tensor.empty`; the lowering to `sdf` takes it for zeros too."""

    def __init__(self, callees: Callees, target: Target, values: bool) -> None:
        super().__init__(callees)
        self.target = target
        self.values = values
        self.scratchpad_end = 0
        self.coverage = Coverage()
        self.has_local_views = False
        self.is_steady = True
        self.has_exchanges = False

    def block(self) -> contextlib.AbstractContextManager[None]:
        """Around the decoding of a block."""
        return self.coverage.block()


class KernelRun(Run):
    """One launch: the cores of its grid, the memories they move elements between, what is counted.

    `bounds` says whether coordinates and arrays are checked; the ends of a memory always are.
    `values` is false for a walk that counts only. `watch` is there for check "full". `board` has
    what cores published, `turns` whose turn it is if they do not run in step, `journal` what device
    memory held before, if the launch may have to begin again. `batch` holds back the stores of
    iterations that run at once, `trial` measures one that runs alone, `stacking` knows which loops
    run so.
    """

    def __init__(
        self,
        grid: Sequence[int],
        device: DeviceMemory,
        scratchpad: Scratchpad | None,
        target: Target,
        check: str = "bounds",
        values: bool = True,
    ) -> None:
        super().__init__(grid)
        self.device = device
        self.scratchpad = scratchpad
        self.target = target
        self.bounds = check != "off"
        self.watch = Watch(self.cores, target) if check == "full" and values else None
        self.values = values
        self.counters = Counters(self.cores)
        self.board = Board(self.cores)
        self.turns: Turns | None = None
        self.journal: Journal | None = None
        self.batch: Batch | None = None
        self.trial: Trial | None = None
        self.stacking = Stacking()
