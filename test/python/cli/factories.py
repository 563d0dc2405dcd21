"""Models that the commands compile by name: `cli.factories:NAME`."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

Made = tuple[nn.Module, tuple[Any, ...], dict[str, Any]]


def linear() -> Made:
    """A linear layer, always the same."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return nn.Linear(65, 96).half().eval(), (torch.zeros(5, 65).half(),), {}


class Branch(nn.Module):
    """Control flow that depends on values: torch cannot export it."""

    def forward(self, x: Tensor) -> Tensor:
        return x if x.sum() > 0 else -x


def branch() -> Made:
    return Branch(), (torch.ones(4),), {}


class Sort(nn.Module):
    """An operator that no level has."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.sort(x).values


def sort() -> Made:
    return Sort(), (torch.ones(4, 8),), {}


def fails() -> Made:
    raise RuntimeError("no such checkpoint")


def wrong() -> str:
    return "a model"
