"""How many threads torch uses while the machine runs.

An operation that torch splits over threads ends when the last of them does. On a busy computer that
takes milliseconds, where most operations of a kernel take microseconds. So the machine runs on one
thread, and only products that gain from more use those that torch has. No bit depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

import torch

LARGE = 1 << 25
"""Multiplications of a product that is worth several threads: about a millisecond of one."""

_allowed: ContextVar[int] = ContextVar("_allowed", default=1)
"""The threads that torch had before the run."""


@contextmanager
def running() -> Iterator[None]:
    """Runs without gradients and on one thread; torch has its threads back afterwards."""
    threads = torch.get_num_threads()
    token = _allowed.set(max(threads, _allowed.get()))
    torch.set_num_threads(1)
    try:
        with torch.no_grad():
            yield
    finally:
        torch.set_num_threads(threads)
        _allowed.reset(token)


def together(multiplications: int) -> AbstractContextManager[None]:
    """Uses all threads for a product of so many multiplications, if it is large."""
    if multiplications < LARGE or _allowed.get() == 1:
        return nullcontext()
    return _all_threads()


@contextmanager
def _all_threads() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(_allowed.get())
    try:
        yield
    finally:
        torch.set_num_threads(threads)
