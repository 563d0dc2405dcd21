"""Random chains of pointwise ops and reductions: every level and every number of cores gives the
same bits, close to torch.

Owns the search for shapes and combinations that nobody thought of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import hypothesis.strategies as st
import torch
from hypothesis import HealthCheck, given, settings
from torch import Tensor, nn
from torch.nn import functional as F

import ktir

from .support import LEVELS, assert_same_bits, leaves

Step = Callable[[Tensor, Tensor], Tensor]

STEPS: dict[str, Step] = {
    "add other": lambda x, other: x + other,
    "multiply other": lambda x, other: x * other,
    "subtract from one": lambda x, other: 1.0 - x,
    "relu": lambda x, other: torch.relu(x),
    "tanh": lambda x, other: torch.tanh(x),
    "sigmoid": lambda x, other: torch.sigmoid(x),
    "gelu": lambda x, other: F.gelu(x),
    "keep positive": lambda x, other: torch.where(x > 0, x, other),
    "clamp": lambda x, other: x.clamp(-1.0, 1.5),
    "through f32": lambda x, other: (x.float() * 0.5).to(x.dtype),
    "less mean of rows": lambda x, other: x - x.mean(-1, keepdim=True),
    "less maximum of columns": lambda x, other: x - x.amax(0, keepdim=True),
    "plus sum of rows": lambda x, other: x + x.sum(-1, keepdim=True) * 0.125,
    "softmax": lambda x, other: torch.softmax(x, -1),
    "softmax of columns": lambda x, other: torch.softmax(x, 0),
}

ENDS: dict[str, Callable[[Tensor], Tensor]] = {
    "all": lambda x: x,
    "sum of rows": lambda x: x.sum(-1),
    "mean of columns": lambda x: x.mean(0),
    "maximum": lambda x: x.amax(-1),
    "transposed": lambda x: x.transpose(0, -1) * 1.0,
    "first half": lambda x: x[..., : (x.shape[-1] + 1) // 2] + 0.0,
}


class Chain(nn.Module):
    """Steps applied one after another; all of `ends` of the result are outputs."""

    def __init__(self, steps: tuple[str, ...], ends: tuple[str, ...]) -> None:
        super().__init__()
        self.steps = steps
        self.ends = ends

    def forward(self, x: Tensor, other: Tensor) -> tuple[Tensor, ...]:
        for step in self.steps:
            x = STEPS[step](x, other)
        return tuple(ENDS[end](x) for end in self.ends)


@dataclass(frozen=True)
class Problem:
    steps: tuple[str, ...]
    ends: tuple[str, ...]
    shape: tuple[int, ...]
    broadcast: tuple[bool, ...]
    dtype: torch.dtype
    seed: int

    def inputs(self) -> tuple[Tensor, Tensor]:
        generator = torch.Generator().manual_seed(self.seed)
        other = [
            1 if one else extent for extent, one in zip(self.shape, self.broadcast, strict=True)
        ]
        x = torch.randn(self.shape, generator=generator)
        y = torch.randn(other, generator=generator)
        return x.to(self.dtype), y.to(self.dtype)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    extent = st.one_of(st.integers(1, 9), st.sampled_from([31, 32, 33, 63, 64, 65, 67, 100, 130]))
    shape = tuple(draw(st.lists(extent, min_size=2, max_size=3)))
    return Problem(
        steps=tuple(draw(st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=4))),
        ends=tuple(draw(st.lists(st.sampled_from(sorted(ENDS)), min_size=1, max_size=2))),
        shape=shape,
        broadcast=tuple(draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))),
        dtype=draw(st.sampled_from([torch.float16, torch.float32])),
        seed=draw(st.integers(0, 2**16)),
    )


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(problems())
def test_random_chains(problem: Problem) -> None:
    """1, 2 and 32 cores and all levels give the same bits, close to what the model gives in f64 and
    in torch.
    """
    module, inputs = Chain(problem.steps, problem.ends), problem.inputs()
    program = ktir.compile_module(module, inputs)
    outputs = program(*inputs)
    for level in LEVELS:
        assert_same_bits(program.run_level(level, *inputs), outputs, f"level {level}")
    for cores in (1, 2):
        other = ktir.compile_ir(
            program.ir("linalg"),
            level="linalg",
            like=program,
            options=ktir.CompileOptions(cores=cores),
        )
        assert_same_bits(other(*inputs), outputs, f"{cores} cores")
    expected = module(*inputs)
    rtol, atol = (2e-2, 2e-2) if problem.dtype == torch.float16 else (1e-4, 1e-4)
    for got, reference in zip(leaves(outputs), leaves(expected), strict=True):
        scale = max(1.0, float(reference.abs().max()))
        torch.testing.assert_close(got, reference, rtol=rtol, atol=atol * scale)
