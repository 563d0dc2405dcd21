"""Kernels: found in a module, decoded once, launched on memories.

Owns what a kernel is at levels `ktir` (a `func.func` with a grid) and `sdf` (an `sdf.program`), and
one launch of it, which ends in a profile. Who places its operands in device memory is `kernel` for
a kernel alone and `host` for a whole program.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

import ktir.machine.asserts
import ktir.machine.host_memory
import ktir.machine.ktdp_exchange
import ktir.machine.ktdp_indirect
import ktir.machine.reshaped_views
import ktir.machine.sdf_compute
import ktir.machine.sdf_indexed
import ktir.machine.sdf_ops
import ktir.machine.sdf_points
import ktir.machine.sdf_ring  # noqa: F401  (they register their ops)
from ktir.errors import InputError, KtirError, VerifyError
from ktir.machine.block import Block
from ktir.machine.coverage import Interval, merged
from ktir.machine.decode import decode_region, scalar_type
from ktir.machine.definedness import Stores, check_defined
from ktir.machine.frame import CoreGroup, Frame
from ktir.machine.functions import Library
from ktir.machine.futures import OutOfStep
from ktir.machine.garbage import Garbage, Origin
from ktir.machine.journal import Journal
from ktir.machine.kernel_state import KernelRun, KernelScope
from ktir.machine.ktdp_ops import runtime_arg
from ktir.machine.livetiles import Peak, most_bytes
from ktir.machine.location import Place
from ktir.machine.memory import DeviceMemory, Scratchpad
from ktir.machine.profile import KernelProfile, kernel_profile
from ktir.machine.recording import Recorder, Recording, Repetition
from ktir.machine.sdf_buffers import decode_buffer
from ktir.machine.sdf_transfers import TRANSFERS
from ktir.machine.turns import Turns
from ktir.machine.values import argument_name, noted
from ktir.machine.workers import running
from ktir.mlir import ir
from ktir.target import Target

Fill = Callable[[Scratchpad], None]
"""Puts into scratchpads what they hold before a kernel begins."""

Record = Callable[[Recording], None]
"""Takes the recording of a launch."""


@dataclass(frozen=True)
class Parameter:
    """An argument of a kernel: its name and the scalar type of its value.

    `element` is the element type of what it is the address of, None if it is not an address itself.
    `promises` are those of a runtime argument.
    """

    name: str
    type_text: str
    element: str | None
    promises: Mapping[str, int]


@dataclass(frozen=True)
class _Start:
    """What a launch begins with; `journal` keeps what device memory holds then."""

    arguments: Sequence[Tensor]
    device: DeviceMemory
    target: Target
    grid: tuple[int, ...]
    values: bool
    fill: Fill | None
    journal: Journal | None


@dataclass(frozen=True)
class Kernel:
    """A decoded kernel. `scratchpad_end` is the end of its highest scratchpad buffer, `unwritten`
    the bytes that it may read before it wrote them, `reach` those that transfers may touch by
    address, of any core (level `sdf`). `is_steady`: it writes to the
    same places whatever the data. `has_exchanges`: cores wait for each other. `peak`: the most
    bytes of tiles that are known to live at a time (level `ktir`), where they may be too many.
    `constants`: memory of the constants of the module that it reads. `data`: finds the slots that
    depend on data, None if launches cannot be recorded; not there if they shall not."""

    name: str
    level: str
    grid: tuple[int, ...]
    location: str
    parameters: tuple[Parameter, ...]
    template: tuple[Any, ...]
    block: Block
    scratchpad_end: int
    unwritten: tuple[Interval, ...]
    reach: tuple[Interval, ...]
    local_views: bool
    is_steady: bool
    has_exchanges: bool
    peak: Peak | None
    constants: DeviceMemory | None
    data: Callable[[], frozenset[int] | None] | None

    def scratchpad(
        self,
        target: Target,
        cores: int,
        values: bool = True,
        tracked: bool = False,
        touched: Interval | None = None,
    ) -> Scratchpad | None:
        """Scratchpads as large as the kernel needs, fresh wherever it may see it; None if it does
        not address any. `touched`: the bytes that will be addressed, if that is known. If they are
        `tracked`, bytes that one core alone can touch have no history."""
        fresh = None if tracked else self.unwritten
        if self.local_views:
            fresh = None if touched is None else (touched, *self.unwritten)
        size = target.scratchpad.bytes if self.local_views else self.scratchpad_end
        if self.local_views or self.level == "sdf":
            reach = self.reach if self.level == "sdf" else ((0, size),)
            return Scratchpad(cores, size, values, reach if tracked else (), fresh)
        return None

    def launch(
        self,
        arguments: Sequence[Tensor],
        device: DeviceMemory,
        target: Target,
        *,
        grid: Sequence[int] | None = None,
        check: str = "bounds",
        values: bool = True,
        scratchpad: Scratchpad | None = None,
        fill: Fill | None = None,
        record: Record | None = None,
    ) -> KernelProfile:
        """Runs the kernel on every core of its grid.

        `arguments`: one tensor [1] a parameter. `grid` replaces the kernel's own. `check`: see
        `ktir.options.CHECKS`; "full" needs tracked memories. `values`: false counts only.
        `scratchpad`: those to use, fresh where the kernel reads before it writes; made here if not
        given, and filled by `fill`. `record` is called with the recording of a launch that can be
        repeated. Raises InputError for a grid that the target does not have, and what the kernel's
        ops raise.
        """
        grid = self.grid if grid is None else tuple(grid)
        check_grid(grid, target)
        if check != "off" and self.peak is not None:
            self.peak.check(target.scratchpad.bytes)
        watched = check == "full" and values
        journal = Journal(device) if values and (watched or self.has_exchanges) else None
        start = _Start(arguments, device, target, grid, values, fill, journal)
        garbage = Garbage() if watched else None
        run, recorder = self._attempt(start, check, scratchpad, garbage, None, record is not None)
        if garbage is not None and garbage.used and journal is not None:

            def rerun(contents: Garbage, stores: Stores | None) -> None:
                again = "bounds" if stores is None else check
                self._attempt(start, again, garbage=contents, stores=stores)

            check_defined(journal, garbage.used, rerun)
        for memory in (device, self.constants):
            if memory is not None and memory.shadow is not None:
                memory.shadow.end_kernel()
        run.counters.scratchpad_peak = self.scratchpad_end
        profile = kernel_profile(self.name, self.level, grid, self.location, run.counters, target)
        touched = None if run.scratchpad is None else run.scratchpad.touched
        recording = None if recorder is None else recorder.finish(touched)
        if record is not None and recording is not None:
            record(recording)
        return profile

    def _attempt(
        self,
        start: _Start,
        check: str,
        scratchpad: Scratchpad | None = None,
        garbage: Garbage | None = None,
        stores: Stores | None = None,
        record: bool = False,
    ) -> tuple[KernelRun, Recorder | None]:
        """Runs the kernel with undefined contents of `garbage`; again, with turns, where its cores
        do not keep step. `scratchpad`: the one to use, else it is made here."""
        recorder = None
        run = self._new_run(start, check, scratchpad, garbage)
        run.stores = stores
        try:
            frame = self._frame(run, start.arguments, run.everyone)
            data = self.data() if record and self.data is not None else None
            if data is not None:
                recorder = run.recorder = Recorder(frame, data, self.local_views)
            self._run(frame)
        except OutOfStep:
            recorder = None
            # Device memory is as before; a kernel begins with fresh scratchpads.
            if start.journal is not None:
                start.journal.restore(history=check == "full")
            run = self._new_run(start, check, None, garbage)
            run.stores = stores
            self._run_in_turns(run, start.arguments)
        return run, recorder

    def _new_run(
        self, start: _Start, check: str, scratchpad: Scratchpad | None, garbage: Garbage | None
    ) -> KernelRun:
        cores, tracked = math.prod(start.grid), check == "full"
        pad = scratchpad or self._filled(
            start.target, cores, start.values, tracked, start.fill, garbage
        )
        run = KernelRun(
            start.grid, start.device, pad, start.target, check, start.values, self.constants
        )
        run.journal, run.garbage = start.journal, garbage
        return run

    def repeat(
        self,
        recording: Recording,
        device: DeviceMemory,
        target: Target,
        grid: Sequence[int],
        check: str,
        fill: Fill | None,
    ) -> None:
        """Runs a launch that repeats a recorded one, with the same arguments, grid and check, on
        device memory with arrays at the same places. Raises what the steps raise, and ChangedError
        if it is none after all.
        """
        pad = self.scratchpad(target, math.prod(grid), touched=recording.touched)
        self._fill(pad, fill)
        recording.play(Repetition(grid, device, pad, target, check, True, self.constants))

    def _filled(
        self,
        target: Target,
        cores: int,
        values: bool,
        tracked: bool,
        fill: Fill | None,
        garbage: Garbage | None = None,
    ) -> Scratchpad | None:
        """Scratchpads with what they begin with."""
        pad = self.scratchpad(target, cores, values, tracked)
        if garbage is not None and pad is not None:
            for start, end in self.unwritten:
                text = f"bytes {start} to {end - 1} of a scratchpad"
                contents = garbage.bytes(Origin((start, end), text), end - start)
                pad.refill(start, end, contents)
        self._fill(pad, fill)
        return pad

    def _fill(self, pad: Scratchpad | None, fill: Fill | None) -> None:
        if fill is not None:
            if pad is None:
                raise InputError(f"@{self.name} addresses no scratchpad, but is given contents")
            fill(pad)

    def _frame(self, run: KernelRun, arguments: Sequence[Tensor], cores: CoreGroup) -> Frame:
        """What the body runs on for some cores."""
        frame = Frame(self.template, run, cores)
        for slot, value in zip(self.block.arguments, arguments, strict=True):
            frame[slot] = value
        return frame

    def _run(self, frame: Frame) -> None:
        with running():
            self.block.run(frame)

    def _run_in_turns(self, run: KernelRun, arguments: Sequence[Tensor]) -> None:
        """Runs the body for each core apart, which waits where others are not as far."""

        def work(core: int) -> None:
            self._run(self._frame(run, arguments, run.everyone.narrow(torch.tensor([core]))))

        run.turns = Turns(run.cores, work)
        run.turns.run()


def check_grid(grid: Sequence[int], target: Target) -> int:
    """The number of cores of a grid. Raises InputError if it has none, or more than the target."""
    cores = math.prod(grid)
    if any(extent < 1 for extent in grid) or cores > target.cores:
        raise InputError(
            f"grid {list(grid)} has {cores} cores; {target.name} has 1 to {target.cores}"
        )
    return cores


def kernels_of(root: ir.Operation) -> dict[str, ir.Operation]:
    """All functions with a body and all programs in a module and the modules inside it, by name.

    Raises VerifyError for two of one name in different modules.
    """
    found: dict[str, ir.Operation] = {}
    for op in root.regions[0].blocks[0].operations:
        inner: dict[str, ir.Operation] = {}
        if op.operation.name == "builtin.module":
            inner = kernels_of(op.operation)
        elif op.operation.name in ("func.func", "sdf.program") and len(op.regions[0].blocks):
            inner = {ir.StringAttr(op.attributes["sym_name"]).value: op.operation}
        for name, kernel in inner.items():
            if name in found:
                raise VerifyError(f"there are two kernels @{name}")
            found[name] = kernel
    return found


def is_kernel(op: ir.Operation) -> bool:
    """Whether a function runs on cores: it has a grid, or ops of `ktdp`, or is an `sdf.program`."""
    if op.name == "sdf.program" or "grid" in op.attributes:
        return True
    found = False

    def visit(inner: ir.Operation) -> ir.WalkResult:
        nonlocal found
        found = inner.name.startswith("ktdp.")
        return ir.WalkResult.INTERRUPT if found else ir.WalkResult.ADVANCE

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def decode_kernel(
    op: ir.Operation,
    library: Library,
    target: Target,
    values: bool = True,
    check: str = "bounds",
    recorded: bool = False,
) -> Kernel:
    """Decodes a kernel of either level, to be launched with `check`; so that launches may be
    recorded, if asked for.

    Raises the errors of the ops it cannot decode, located.
    """
    level = "sdf" if op.name == "sdf.program" else "ktir"
    scope = KernelScope(library, target, values, recorded)
    if level == "ktir":
        scope.is_watched = check == "full" and values
        if scope.is_watched or most_bytes(op) > target.scratchpad.bytes:
            scope.tile_bytes = target.scratchpad.bytes
        scope.callees = library.called_by(scope)
    try:
        block = decode_region(op.regions[0], scope)
    except KtirError as error:
        error.locate(str(Place.of(op)))
        raise
    arguments = list(op.regions[0].blocks[0].arguments)
    return Kernel(
        name=ir.StringAttr(op.attributes["sym_name"]).value,
        level=level,
        grid=kernel_grid(op),
        location=str(op.location),
        parameters=tuple(_parameter(argument) for argument in arguments),
        template=tuple(scope.template),
        block=block,
        scratchpad_end=scope.scratchpad_end,
        unwritten=scope.coverage.unwritten,
        reach=merged(scope.reach),
        local_views=scope.has_local_views,
        is_steady=level == "sdf" and scope.is_steady,
        has_exchanges=scope.has_exchanges,
        peak=max(scope.peaks, key=lambda peak: peak.total, default=None),
        constants=scope.constants(),
        data=functools.cache(functools.partial(scope.data_slots, op)) if recorded else None,
    )


def kernel_grid(op: ir.Operation) -> tuple[int, ...]:
    """The grid that a kernel states; one core if it states none. Raises VerifyError if it is no
    list of integers."""
    if "grid" not in op.attributes:
        return (1,)
    grid = op.attributes["grid"]
    if isinstance(grid, ir.DenseI64ArrayAttr):
        return tuple(grid)
    extents = list(grid) if isinstance(grid, ir.ArrayAttr) else [grid]
    if not isinstance(grid, ir.ArrayAttr) or not all(
        isinstance(e, ir.IntegerAttr) for e in extents
    ):
        raise VerifyError(f"{Place.of(op)}: grid is {grid}; expected integers, such as [4, 8]")
    return tuple(ir.IntegerAttr(extent).value for extent in extents)


def _parameter(argument: ir.BlockArgument[Any]) -> Parameter:
    note = noted(argument, "ktir.element")
    elements = set() if note is None else {str(ir.TypeAttr(note).value)}
    for use in argument.uses:
        owner = use.owner
        if owner.name == "ktdp.construct_memory_view" and use.operand_number == 0:
            elements.add(scalar_type(owner.results[0].type))
        elif owner.name in TRANSFERS and use.operand_number == 0:
            elements.add(decode_buffer(owner.attributes[TRANSFERS[owner.name]]).type_text)
    element = elements.pop() if len(elements) == 1 else None
    type_text, promises = runtime_arg(argument.type)
    return Parameter(argument_name(argument), type_text, element, promises)
