"""Cores that wait for each other: one thread a core, of which one runs at a time.

Owns the order of turns (by core number, each until it waits or ends) and the finding of deadlocks.
Only kernels whose cores do not reach their exchanges in step run this way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from ktir.errors import MachineError
from ktir.machine.location import Place

Missing = Callable[[], Sequence[int]]
"""The cores that a wait is still for."""


class _Stopped(Exception):
    """Ends the thread of a core whose turn will not come any more."""


class _Core:
    """The thread of one core."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.go = threading.Semaphore(0)
        self.missing: Missing | None = None
        self.place: Place | None = None
        self.is_done = False
        self.error: BaseException | None = None
        self.stop: BaseException | None = None

    @property
    def is_ready(self) -> bool:
        return not self.is_done and (self.missing is None or not self.missing())


class Turns:
    """Runs `work` once for each core, one at a time."""

    def __init__(self, cores: int, work: Callable[[int], None]) -> None:
        self._work = work
        self._cores = [_Core(number) for number in range(cores)]
        self._back = threading.Semaphore(0)

    def run(self) -> None:
        """Until all cores are done. Raises the first error of a core, and MachineError for a
        deadlock, located at an op that waits."""
        threads = [
            threading.Thread(target=self._main, args=(core,), daemon=True) for core in self._cores
        ]
        for thread in threads:
            thread.start()
        try:
            self._take_turns()
        finally:
            for core in self._cores:
                if not core.is_done:
                    self._resume(core, _Stopped())
            for thread in threads:
                thread.join()

    def wait(self, number: int, missing: Missing, place: Place) -> None:
        """Called by a core: gives the turn away until nobody is missing."""
        core = self._cores[number]
        if not missing():
            return
        core.missing, core.place = missing, place
        self._back.release()
        core.go.acquire()
        if core.stop is not None:
            raise core.stop
        core.missing = core.place = None

    def _main(self, core: _Core) -> None:
        core.go.acquire()
        try:
            if core.stop is None:
                self._work(core.number)
        except _Stopped:
            pass  # another core failed; its error is the one to tell
        except Exception as error:  # noqa: BLE001  (`run` raises it again)
            core.error = error
        core.is_done = True
        self._back.release()

    def _resume(self, core: _Core, stop: BaseException | None = None) -> None:
        core.stop = stop
        core.go.release()
        self._back.acquire()

    def _take_turns(self) -> None:
        while not all(core.is_done for core in self._cores):
            ready = [core for core in self._cores if core.is_ready]
            if not ready:
                waiting = next(core for core in self._cores if not core.is_done)
                self._resume(waiting, MachineError(self._deadlock()))
                assert waiting.error is not None
                raise waiting.error
            for core in ready:
                self._resume(core)
                if core.error is not None:
                    raise core.error

    def _deadlock(self) -> str:
        """Who waits where for whom."""
        waits: dict[tuple[str, tuple[int, ...]], list[int]] = {}
        for core in self._cores:
            if core.missing is not None:
                key = (str(core.place), tuple(core.missing()))
                waits.setdefault(key, []).append(core.number)
        texts = [
            f"{_cores(numbers)} in {place} for {_cores(missing)} to publish"
            for (place, missing), numbers in waits.items()
        ]
        ended = [core.number for core in self._cores if core.is_done]
        end = f"; {_cores(ended)} ended" if ended else ""
        return (
            f"deadlock: {'; '.join(texts)} wait{end}; every source of a delivery has to reach the "
            "produce as often as its consumers"
        )


def _cores(numbers: Sequence[int]) -> str:
    listed = ", ".join(map(str, numbers))
    return f"core {listed}" if len(numbers) == 1 else f"cores {listed}"
