"""Loops whose iterations run at once, stacked on the core axis.

Owns which loops may: they carry nothing, neither as values nor in buffers (`iteration`), hold
nothing but compute, loads and stores, and their tiles are small. Whether iterations are independent
in device memory is found out by running them (`batch`); where they are not, or something fails,
they run again one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import KtirError
from ktir.machine.batch import Batch, Dependent, Trial
from ktir.machine.block import Block
from ktir.machine.coverage import Interval
from ktir.machine.frame import CoreGroup, Frame
from ktir.machine.iteration import Iteration
from ktir.machine.kernel_state import KernelRun
from ktir.machine.roles import may_be_stacked, moves_data
from ktir.machine.sdf_transfers import TRANSFERS
from ktir.machine.stacked_buffers import StackedBuffers
from ktir.mlir import ir

STACKED_ELEMENTS = 1 << 19
"""Elements of a tile, of all cores and iterations together, up to which stacking pays."""

LARGE = 1 << 16
"""Elements of a tile, of all cores together, above which an iteration works longer on them than it
takes to go through its ops."""

HELD_ELEMENTS = 1 << 22
"""Elements of stores, of all cores and iterations together, that are held back at a time."""

_COMPARISONS = 1 << 12
"""Pairs of accesses above which their comparison costs more than it brings."""

_FEWEST = 4
"""Iterations below which a loop just runs."""


class Stack:
    """A loop that may run so. `elements`: those of its largest tile whose size is known; `places`:
    where in the scratchpad an iteration may write to buffers."""

    def __init__(self, elements: int, places: Sequence[Interval]) -> None:
        self._elements = elements
        self._places = places

    @classmethod
    def of(cls, op: Any, iteration: Iteration | None) -> Stack | None:
        """What can be known of an `scf.for`, of whose body `iteration` tells; None if it cannot run
        so."""
        if len(op.results) or iteration is None or not iteration.is_alone:
            return None
        elements, moves, legal = iteration.elements, False, True

        def visit(inner: ir.Operation) -> ir.WalkResult:
            nonlocal elements, moves, legal
            moves |= moves_data(inner.name)
            if not _is_legal(inner):
                legal = False
                return ir.WalkResult.INTERRUPT
            for value in inner.results:
                if isinstance(value.type, ir.RankedTensorType) and value.type.has_static_shape:
                    elements = max(elements, math.prod(value.type.shape))
            return ir.WalkResult.ADVANCE

        op.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
        return cls(elements, iteration.places) if legal and moves else None

    def run(self, frame: Frame, block: Block, first: Tensor, step: Tensor, count: int) -> int:
        """Runs iterations from the first on; induction values start at `first`, `step` apart, both
        [1 or cores]. Returns how many it ran; the others are left."""
        run = frame.run
        if not isinstance(run, KernelRun) or run.watch is not None or run.turns is not None:
            return 0
        if count < _FEWEST or self in run.stacking.dependent:
            return 0
        if run.recorder is not None and run.recorder.fits(count * len(block.steps)):
            return 0
        done, trial = 0, run.stacking.trials.get(self)
        if trial is None:
            trial = run.stacking.trials[self] = self._try(frame, block, run, first)
            done = 1
        at_once = _at_once(trial, first.shape[0] > 1, frame.group.size)
        buffers: StackedBuffers | None = None
        while at_once > 1 and done < count:
            number = min(at_once, count - done)
            if buffers is None or buffers.count != number:
                buffers = self._buffers(frame.group, run, number)
            together = _Together(frame, block, run, buffers)
            if not together.run(first + done * step, step, number):
                run.stacking.dependent.add(self)
                break
            done += number
        return done

    def _buffers(self, group: CoreGroup, run: KernelRun, count: int) -> StackedBuffers | None:
        """Buffers of so many iterations; None if they write to none."""
        if not self._places or run.buffers is None or not run.values:
            return None
        return StackedBuffers(run.buffers, group.rows, group.is_whole, count, self._places)

    def _try(self, frame: Frame, block: Block, run: KernelRun, first: Tensor) -> Trial:
        """Runs one iteration; returns what it did."""
        around, trial = run.trial, Trial(self._elements)
        run.trial = trial
        try:
            frame[block.arguments[0]] = first
            block.run(frame)
        finally:
            run.trial = around
        if around is not None:
            around.join(trial)
        return trial


class _Together:
    """Iterations of a body at once, with `buffers` of their own if they write to any."""

    def __init__(
        self, frame: Frame, block: Block, run: KernelRun, buffers: StackedBuffers | None
    ) -> None:
        self._frame, self._block, self._run, self._buffers = frame, block, run, buffers

    def run(self, first: Tensor, step: Tensor, count: int) -> bool:
        """Runs `count` iterations. Returns False, with nothing done, if that failed."""
        run, block = self._run, self._block
        around, memory = run.batch, run.buffers
        batch = around or Batch()
        saved = run.counters.save()
        inner = self._frame.stacked(count, block.captured)
        values = first.unsqueeze(1) + torch.arange(count, dtype=first.dtype) * step.unsqueeze(1)
        inner[block.arguments[0]] = values.expand(self._frame.group.size, count).flatten()
        run.batch = batch
        run.buffers = self._buffers or memory
        try:
            block.run(inner)
            if around is None:
                batch.commit()
            if self._buffers is not None:
                self._buffers.commit()
        except (Dependent, KtirError):
            if around is not None:
                raise
            run.counters.restore(saved)
            return False
        finally:
            run.batch, run.buffers = around, memory
        return True


def _is_legal(op: ir.Operation) -> bool:
    """Whether an op may be in such a loop."""
    if op.name in TRANSFERS:
        move: Any = op.opview
        # A scratchpad that is addressed holds the buffers of one iteration.
        return move.core is None
    return may_be_stacked(op.name)


def _at_once(trial: Trial, apart: bool, cores: int) -> int:
    """How many iterations to run at once. `apart`: cores have induction values of their own."""
    if trial.is_shared and not apart and cores > 1:
        # What all cores load together would be loaded for each of them.
        return 0
    if trial.comparisons > _COMPARISONS or cores * trial.elements > LARGE:
        return 0
    return min(STACKED_ELEMENTS // (cores * trial.elements), HELD_ELEMENTS // max(trial.stored, 1))
