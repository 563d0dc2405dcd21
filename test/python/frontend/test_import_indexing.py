"""Convolutions, top-k and writes to computed places: rewritten whole, so compared with torch."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from module_table import Call
from native import call_natively
from torch import Tensor
from torch.nn import functional as F
from torch.utils import _pytree as pytree

from ktir.errors import UnsupportedError
from ktir.frontend.importer import import_model

INDEX = torch.tensor([4, 0, 4])


def values(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))).half()


def written(x: Tensor, place: Any, value: Any) -> Tensor:
    """x[place] = value on a copy."""
    x = x * 1
    x[place] = value
    return x


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (
            lambda x, w, b: F.conv1d(x, w, b, padding=1),
            (values(2, 6, 17), values(8, 6, 3), values(8)),
        ),
        (lambda x, w: F.conv1d(x, w, stride=2, dilation=2), (values(2, 6, 17), values(8, 6, 3))),
        (
            lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=(1, 2)),
            (values(2, 4, 9, 11), values(5, 4, 3, 2), values(5)),
        ),
        (lambda x, w: F.conv2d(x, w, stride=4), (values(2, 3, 16, 16), values(65, 3, 4, 4))),
        (lambda x, w: F.conv2d(x, w, groups=2), (values(2, 4, 5, 5), values(6, 2, 3, 3))),
        (lambda x, w: F.conv1d(x, w, groups=6, padding="same"), (values(2, 6, 9), values(6, 1, 3))),
    ],
    ids=["padded", "strided", "plane", "patches", "groups", "depthwise"],
)
def test_convolutions(function: Any, args: tuple[Tensor, ...]) -> None:
    module = Call(function)
    result = call_natively(import_model(module, args), args)
    torch.testing.assert_close(result, function(*args), rtol=1e-2, atol=4e-3)


def test_writes_and_top_are_exact() -> None:
    x = values(6, 9)
    x[0, 2] = math.nan

    def function(x: Tensor, index: Tensor, rows: Tensor, columns: Tensor) -> list[Any]:
        return [
            tuple(x.topk(3)),
            tuple(x.topk(2, 0, largest=False)),
            x.index_copy(0, index, rows),
            x.index_copy(1, index, columns),
            x.index_add(0, index[:2], rows[:2], alpha=2),
            written(x, index, rows),
            written(x, index - 6, rows),
            written(x, (slice(None), index), 2.0),
            written(x, x > 0, 0.5),
        ]

    args = (x, INDEX, values(3, 9), values(6, 3))
    results = pytree.tree_leaves(call_natively(import_model(Call(function), args), args))
    for result, reference in zip(results, pytree.tree_leaves(function(*args)), strict=True):
        assert torch.equal(result.nan_to_num(7.0), reference.nan_to_num(7.0))


def test_what_is_left_is_refused() -> None:
    pair = (torch.tensor([0]), torch.tensor([1]))
    with pytest.raises(UnsupportedError, match=r"aten\.index_put"):
        import_model(Call(lambda x: x.index_put(pair, x[0, :1])), (values(6, 9),))
    with pytest.raises(UnsupportedError, match=r"aten\.topk"):
        import_model(Call(lambda x: x.topk(33)), (values(6, 40),))
