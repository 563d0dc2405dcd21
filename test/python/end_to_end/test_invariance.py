"""Values depend on nothing but the model and its inputs: not on cores, tiles, scratchpad, threads
or the run.

Owns bit equality between plans of one program. The one decision that changes bits is cutting a
reduction (`reduction_tile`); it stays within the tolerance.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import ktir

from .bundles import BY_TURNS, Bundle, name_of
from .support import LEVELS, assert_same_bits, leaves


def assert_same(bundle: Bundle, got: list[Any], what: str) -> None:
    for sizes, one, other in zip(bundle.sizes, got, bundle.outputs, strict=True):
        assert_same_bits(one, other, f"{sizes}: {what}")


@pytest.mark.parametrize("bundle", BY_TURNS, ids=name_of, indirect=True)
def test_same_bits_whatever_the_plan(bundle: Bundle, small_target: Path) -> None:
    """1, 2 and 32 cores, small tiles, and no use of the scratchpad give one answer."""
    linalg = bundle.program.ir("linalg")
    variants = {
        "1 core": ktir.CompileOptions(cores=1),
        "1 core, small tiles": ktir.CompileOptions(cores=1, target_file=small_target),
        "2 cores, scratchpad off": ktir.CompileOptions(cores=2, scratchpad=False),
    }
    for name, options in variants.items():
        other = ktir.compile_ir(linalg, level="linalg", like=bundle.program, options=options)
        assert_same(bundle, other(*bundle.args), name)


@pytest.mark.parametrize("bundle", BY_TURNS, ids=name_of, indirect=True)
def test_same_bits_every_time(bundle: Bundle) -> None:
    """A second run, and other numbers of torch threads, change nothing at any level."""
    assert_same(bundle, bundle.program(*bundle.args), "second run")
    for threads in (1, 2):
        torch.set_num_threads(threads)
        for level in LEVELS:
            got = bundle.program.run_level(level, *bundle.args)
            assert_same(bundle, got, f"level {level} with {threads} threads")


class Product(nn.Module):
    """A matmul large enough that torch itself would spread it over threads."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.relu(a @ b)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_large_product_and_threads(dtype: torch.dtype) -> None:
    """A product of a size at which threads share the work of one torch call."""
    torch.manual_seed(0)
    args = torch.randn(257, 1030).to(dtype), torch.randn(1030, 515).to(dtype)
    program = ktir.compile_module(Product(), args)
    results = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        results.append([program.run_level(level, *args) for level in LEVELS])
    for position, level in enumerate(LEVELS):
        assert_same_bits(results[0][position], results[0][-1], f"level {level} against sdf")
        assert_same_bits(results[1][position], results[0][position], f"level {level}, 2 threads")
    single = ktir.compile_ir(
        program.ir("linalg"),
        level="linalg",
        like=program,
        options=ktir.CompileOptions(cores=1),
    )
    assert_same_bits(single(*args), results[0][-1], "1 core")


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_cut_reduction_is_close(dtype: torch.dtype) -> None:
    """A plan that adds a contraction up in pieces gives the product within the tolerance of a
    matmul.
    """
    torch.manual_seed(0)
    args = torch.randn(40, 515).to(dtype), torch.randn(515, 130).to(dtype)
    program = ktir.compile_module(Product(), args)
    plan = program.ir("plan")
    cut, count = re.subn(r"(tile = \[[^\]]*\])", r"\1 reduction_tile = 128", plan, count=1)
    assert count == 1, plan
    assert len(program.plan.rows) == 1, "the product and its relu share a kernel"
    other = ktir.compile_ir(cut, level="plan", like=program)
    assert other.plan.rows[0].reduction_tile == 128
    expected = args[0].double() @ args[1].double()
    rtol, atol = (1e-2, 515**0.5 * 2**-10) if dtype == torch.float16 else (1e-4, 1e-4)
    for level in LEVELS[1:]:
        got = leaves(other.run_level(level, *args))[0]
        torch.testing.assert_close(
            got.double(),
            expected.relu(),
            rtol=rtol,
            atol=atol,
            msg=lambda text, at=level: f"level {at}: {text}",  # type: ignore[misc]
        )
    assert_same_bits(other.run_level("sdf", *args), other.run_level("ktir", *args), "sdf, ktir")
