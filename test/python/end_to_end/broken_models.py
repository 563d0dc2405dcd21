"""Factories for the command line of models that are fine, cannot be exported, or use what is not
supported.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

Factory = tuple[nn.Module, tuple[Any, ...], dict[str, Any]]


class DependsOnData(nn.Module):
    """torch.export cannot trace it: Python branches on a value."""

    def forward(self, x: Tensor) -> Tensor:
        if x.sum() > 0:
            return x + 1
        return x - 1


class Determinant(nn.Module):
    """Exports, but no level can express a matrix factorisation."""

    def forward(self, x: Tensor) -> Tensor:
        logarithm: Tensor = torch.linalg.slogdet(x)[1]
        return logarithm


def fine() -> Factory:
    return nn.ReLU(), (torch.ones(4, 65),), {}


def depends_on_data() -> Factory:
    return DependsOnData(), (torch.ones(4),), {}


def unsupported() -> Factory:
    return Determinant(), (torch.eye(4),), {}


def raises() -> Factory:
    raise RuntimeError("the weights are not here")
