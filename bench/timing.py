"""How things are timed: processes and calls, best of several, with peak memory."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any


def best_of(call: Callable[[], Any], repeats: int = 5) -> float:
    """Seconds of the fastest of `repeats` calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def best_within(call: Callable[[], Any], seconds: float, repeats: int = 20) -> float:
    """Seconds of the fastest call, after one that does not count, of as many as fit into `seconds`:
    at least one, at most `repeats`.
    """
    start = time.perf_counter()
    call()
    room = int(seconds / max(time.perf_counter() - start, 1e-6))
    return best_of(call, min(max(room, 1), repeats))


def process_seconds(command: Sequence[str], repeats: int = 10, stdin: str = "") -> float:
    """Seconds of the fastest of `repeats` runs of a command; raises if it fails."""

    def run() -> None:
        subprocess.run(command, input=stdin, check=True, capture_output=True, text=True)

    return best_of(run, repeats)


_PEAK = """
import os, sys
quiet = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[quiet])
_, status, usage = os.wait4(pid, 0)
print(usage.ru_maxrss)
sys.exit(status != 0)
"""
"""Prints the peak of a command in KiB. A process inherits the peak of the one that started it, so a
small one has to."""


def process_peak_bytes(command: Sequence[str]) -> int:
    """Peak resident memory of one run of a command, in bytes; raises if it fails."""
    starter = [sys.executable, "-c", _PEAK, *command]
    done = subprocess.run(starter, stdout=subprocess.PIPE, check=True)
    return int(done.stdout) * 1024
