"""Contractions whose reduction is cut into pieces: the planner cuts it, or a user does.

Partial sums are rounded at other places than a whole sum, so against `linalg` there is a tolerance;
`ktir` and `sdf` do the same in the same order, so between them there is none.
"""

from __future__ import annotations

import re

import pytest
import torch
from torch import Tensor, nn

import ktir


class Product(nn.Module):
    """relu(a @ b)."""

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return torch.relu(a @ b)


class Contraction(nn.Module):
    """Two dimensions are summed; the inner one is cut."""

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return torch.einsum("bijk,bjkl->bil", a, b)


def assert_levels_agree(program: ktir.Compiled, args: tuple[Tensor, ...], expected: Tensor) -> None:
    """`ktir` and `sdf` equal each other bit for bit, and `expected` to a few roundings of
    its largest number.
    """
    first, second = (program.run_level(level, *args) for level in ("ktir", "sdf"))
    assert torch.equal(first, second)
    close = 0.0
    if first.is_floating_point():
        close = 4 * torch.finfo(first.dtype).eps * expected.abs().max().item()
    torch.testing.assert_close(first, expected, rtol=0, atol=close)


@pytest.mark.parametrize(("rows", "columns"), [(4, 64), (256, 64), (67, 200)])
def test_a_reduction_that_does_not_fit(rows: int, columns: int) -> None:
    """A stick of columns of a weight with 40000 inputs is larger than the scratchpad."""
    torch.manual_seed(0)
    model, x = nn.Linear(40000, columns).half().eval(), torch.randn(rows, 40000).half()
    program = ktir.compile_module(model, (x,))
    (row,) = program.plan.rows
    assert row.reduction_tile is not None
    expected = program.run_level("linalg", x)
    assert_levels_agree(program, (x,), expected)
    weight, bias = model.weight.double(), model.bias.double()
    exact = nn.functional.linear(x.double(), weight, bias)
    torch.testing.assert_close(program(x).double(), exact, rtol=4e-3, atol=4e-3)
    (kernel,) = program.profile(x).kernels
    assert kernel.scratchpad_peak <= row.scratchpad, "a kernel holds what its plan counts"


def numbers(*shape: int) -> Tensor:
    """Random, the same each time."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


CASES: dict[str, tuple[nn.Module, tuple[Tensor, ...]]] = {
    "f16": (Product(), (numbers(70, 130).half(), numbers(130, 66).half())),
    "batches": (Product(), (numbers(3, 70, 130), numbers(3, 130, 66))),
    "vector": (Product(), (numbers(130), numbers(130, 66))),
    "integers": (Product(), (torch.arange(9100).view(70, 130), torch.arange(8580).view(130, 66))),
    "two": (Contraction(), (numbers(2, 5, 6, 70), numbers(2, 6, 70, 9))),
}


@pytest.mark.parametrize("size", [1, 50, 128, 200])
@pytest.mark.parametrize("case", CASES)
def test_an_edited_piece(case: str, size: int) -> None:
    """Pieces need not be sticks, nor divide the reduction, nor be smaller than it."""
    model, args = CASES[case]
    program = ktir.compile_module(model, args)
    plan, count = re.subn(
        r"(tile = \[[^\]]*\])( ins)", rf"\1 reduction_tile = {size}\2", program.ir("plan")
    )
    assert count == 1
    edited = ktir.compile_ir(plan, level="plan", like=program)
    assert edited.plan.rows[0].reduction_tile == size
    assert_levels_agree(edited, args, program.run_level("linalg", *args))
