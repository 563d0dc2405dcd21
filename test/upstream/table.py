"""The one table: for each upstream op the kernels that run it or are refused.

An op *runs* at a level if a kernel of it has the right values there; it is *refused* if every
kernel of it is refused there with a message that names the op, or the type that is in the way.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from . import control, elementwise, memory, products, refusals, structured, tensors
from .case import LEVELS, Case
from .registry import DIALECTS, registered

RUNS, REFUSED = "runs", "refused"


@functools.cache
def cases() -> Mapping[str, Sequence[Case]]:
    """All kernels, by op, in the order of their modules."""
    found: dict[str, list[Case]] = {}
    for module in (elementwise, tensors, products, structured, control, memory, refusals):
        for case in module.cases():
            found.setdefault(case.op, []).append(case)
    return found


def status(op: str, level: str) -> str | None:
    """What becomes of an op at a level; None for an op that the table lacks."""
    if op in refusals.UNKNOWN:
        return REFUSED
    kernels = cases().get(op, ())
    if not kernels:
        return None
    return RUNS if any(level not in kernel.refused for kernel in kernels) else REFUSED


def missing() -> list[str]:
    """Registered ops that the table lacks."""
    return [op for d in DIALECTS for op in registered(d) if status(op, LEVELS[0]) is None]


def stale() -> list[str]:
    """Ops of the table that are not registered, and ops that are in it twice."""
    known = {op for dialect in DIALECTS for op in registered(dialect)}
    listed = [*cases(), *refusals.UNKNOWN]
    return [op for op in listed if op not in known or listed.count(op) > 1]
