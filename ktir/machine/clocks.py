"""What each core knows to have happened on the others: vector clocks.

Owns the order that deliveries between cores give to accesses of memory. What was accessed is noted
by `shadow`.
"""

from __future__ import annotations

import torch
from torch import Tensor


class Clocks:
    """The clocks of a run's cores. A core's accesses between two of its publications are one epoch.

    `known[q, p]`: how many epochs of core p are over for core q; `known[p, p]` is the epoch that p
    is in. `phase` counts publications: within one phase, every core stays in its epoch.
    """

    def __init__(self, cores: int) -> None:
        self.known = torch.zeros((cores, cores), dtype=torch.int64)
        self.phase = 0

    def epochs(self) -> Tensor:
        """The epoch of each core, int64 [cores]."""
        return self.known.diagonal().clone()

    def publish(self, cores: Tensor) -> Tensor:
        """Ends an epoch of these cores; returns what each of them knows, int64 [n, cores]."""
        self.known[cores, cores] += 1
        self.phase += 1
        return self.known[cores]

    def deliver(self, core: int, knowledge: Tensor) -> None:
        """`core` learns what a publisher knew, int64 [cores]."""
        torch.maximum(self.known[core], knowledge, out=self.known[core])

    def ordered(self, earlier: Tensor, epochs: Tensor, later: Tensor) -> Tensor:
        """Whether accesses of cores `earlier` in their `epochs` come before what `later` do now."""
        return (earlier == later) | (self.known[later, earlier] > epochs)
