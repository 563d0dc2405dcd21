"""Loops whose iterations run at once, stacked on the core axis.

Owns which loops may: they carry nothing, hold nothing but compute, loads and stores, and their
tiles are small. Whether iterations are independent is found out by running them (`batch`); where
they are not, or something fails, they run again one after the other.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from ktir.errors import KtirError
from ktir.machine.batch import Batch, Dependent, Trial
from ktir.machine.block import Block
from ktir.machine.frame import Frame
from ktir.machine.kernel_state import KernelRun
from ktir.mlir import ir

STACKED_ELEMENTS = 1 << 18
"""Elements of a tile, of all cores and iterations together, up to which stacking pays."""

HELD_ELEMENTS = 1 << 22
"""Elements of stores, of all cores and iterations together, that are held back at a time."""

_COMPARISONS = 1 << 12
"""Pairs of accesses above which their comparison costs more than it brings."""

_FEWEST = 4
"""Iterations below which a loop just runs."""

_DIALECTS = ("arith", "math", "index", "tensor", "linalg", "affine", "spyreop")
_OPS = frozenset(
    f"ktdp.{name}"
    for name in (
        "load",
        "store",
        "get_compute_tile_id",
        "runtime_arg_extract",
        "construct_memory_view",
        "construct_distributed_memory_view",
        "construct_access_tile",
        "construct_indirect_access_tile",
    )
) | frozenset(f"scf.{name}" for name in ("for", "if", "while", "condition", "yield"))


class Stack:
    """A loop that may run so. `elements`: those of its largest tile whose size is known."""

    def __init__(self, elements: int) -> None:
        self._elements = elements

    @classmethod
    def of(cls, op: Any) -> Stack | None:
        """What can be known of an `scf.for`; None if it cannot run so."""
        if len(op.results):
            return None
        elements, moves, legal = 1, False, True

        def visit(inner: ir.Operation) -> ir.WalkResult:
            nonlocal elements, moves, legal
            name = inner.name
            moves |= name in ("ktdp.load", "ktdp.store")
            if name not in _OPS and name.partition(".")[0] not in _DIALECTS:
                legal = False
                return ir.WalkResult.INTERRUPT
            for value in inner.results:
                if isinstance(value.type, ir.RankedTensorType) and value.type.has_static_shape:
                    elements = max(elements, math.prod(value.type.shape))
            return ir.WalkResult.ADVANCE

        op.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
        return cls(elements) if legal and moves else None

    def run(self, frame: Frame, block: Block, first: Tensor, step: Tensor, count: int) -> int:
        """Runs iterations from the first on; induction values start at `first`, `step` apart, both
        [1 or cores]. Returns how many it ran; the others are left."""
        run = frame.run
        if not isinstance(run, KernelRun) or run.watch is not None or run.turns is not None:
            return 0
        if count < _FEWEST or self in run.stacking.dependent:
            return 0
        done, trial = 0, run.stacking.trials.get(self)
        if trial is None:
            trial = run.stacking.trials[self] = self._try(frame, block, run, first)
            done = 1
        at_once = _at_once(trial, first.shape[0] > 1, frame.group.size)
        while at_once > 1 and done < count:
            number = min(at_once, count - done)
            if not self._together(frame, block, run, first + done * step, step, number):
                run.stacking.dependent.add(self)
                break
            done += number
        return done

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

    def _together(
        self, frame: Frame, block: Block, run: KernelRun, first: Tensor, step: Tensor, count: int
    ) -> bool:
        """Runs `count` iterations together. Returns False, with nothing done, if that failed."""
        around = run.batch
        batch = around or Batch()
        saved = run.counters.save()
        inner = frame.stacked(count, block.captured)
        values = first.unsqueeze(1) + torch.arange(count, dtype=first.dtype) * step.unsqueeze(1)
        inner[block.arguments[0]] = values.expand(frame.group.size, count).flatten()
        run.batch = batch
        try:
            block.run(inner)
            if around is None:
                batch.commit()
        except (Dependent, KtirError):
            if around is not None:
                raise
            run.counters.restore(saved)
            return False
        finally:
            run.batch = around
        return True


def _at_once(trial: Trial, apart: bool, cores: int) -> int:
    """How many iterations to run at once. `apart`: cores have induction values of their own."""
    if trial.is_shared and not apart and cores > 1:
        # What all cores load together would be loaded for each of them.
        return 0
    if trial.comparisons > _COMPARISONS:
        return 0
    return min(STACKED_ELEMENTS // (cores * trial.elements), HELD_ELEMENTS // max(trial.stored, 1))
