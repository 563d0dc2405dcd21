"""Publishing, and the wait for what others publish.

All cores run one program in step, so the n-th publication of a core is nearly always there when
another core takes its n-th delivery. Where it is not, because branches or trip counts differ,
`OutOfStep` has the kernel run again with a thread a core (`turns`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import torch
from torch import Tensor

from ktir.machine.board import Future
from ktir.machine.frame import Frame
from ktir.machine.kernel_state import KernelRun, kernel_run
from ktir.machine.location import Place
from ktir.machine.turns import Turns


class OutOfStep(Exception):
    """A delivery needs what a core has not published yet while all cores run in step."""


def publish(frame: Frame, key: Hashable, producers: Tensor, values: Sequence[Tensor]) -> Future:
    """An execution by the cores of a group, of which `producers` (numbers, ascending) contribute
    `values` [1 or producers, dims ..]."""
    run = kernel_run(frame)
    index = run.board.execute(key, frame.group.numbers)
    rows = torch.full_like(index, -1)
    rows[producers] = torch.arange(producers.shape[0])
    knowledge = None if run.watch is None else run.watch.clocks.publish(producers)
    future = Future(key, index, rows, values, knowledge)
    if run.turns is not None:
        run.board.add(future)
    return future


def arrived(
    frame: Frame, future: Future, consumers: Tensor, sources: Tensor, place: Place
) -> Future:
    """Waits; returns a future with the contributions that core numbers `consumers` [n] take from
    `sources` [n, m], -1 where there is none. `place`: the op that waits.

    Raises OutOfStep, or MachineError for a deadlock.
    """
    run = kernel_run(frame)
    wanted = sources >= 0
    there = future.rows[sources] >= 0
    there &= future.index[sources] == future.index[consumers].unsqueeze(1)
    if run.turns is None:
        if not bool((there | ~wanted).all()):
            raise OutOfStep
        found = future
    else:
        found = _wait(run, run.turns, future, consumers, sources[wanted], place)
    if run.watch is not None and found.knowledge is not None:
        for consumer, row in zip(consumers.tolist(), sources, strict=True):
            for source in row[row >= 0].tolist():
                run.watch.clocks.deliver(consumer, found.knowledge[found.rows[source]])
    return found


def _wait(
    run: KernelRun, turns: Turns, future: Future, consumers: Tensor, sources: Tensor, place: Place
) -> Future:
    """Gives the turn away until all sources have published; a turn is one core's."""
    (consumer,) = consumers.tolist() or (-1,)
    if consumer < 0:
        return future
    execution = int(future.index[consumer])
    wanted = sources.tolist()

    def missing() -> list[int]:
        return [core for core in wanted if not run.board.has(future.key, core, execution)]

    turns.wait(consumer, missing, place)
    return run.board.joined(future.key, wanted, execution)
