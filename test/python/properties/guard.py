"""A guard around what may hang or take all memory."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SECONDS = 30
BYTES = 4 << 30
"""Address space that a case may take beyond what the process has."""


@contextmanager
def limited() -> Iterator[None]:
    """Raises TimeoutError after some seconds; makes large allocations fail."""

    def expire(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"not done after {SECONDS} s")

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGALRM, expire)
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + BYTES, hard))
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _address_space() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
