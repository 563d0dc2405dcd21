"""Bytes and time: what a program moves, counted with and without data, and the time of a measured
kernel.

Owns traffic at its lower bound for programs whose working set fits. Sources of the device's figures
are in the target file.
"""

from __future__ import annotations

import json

import pytest
import torch
from module_table import Call
from torch import nn

import ktir

MIB = 1024 * 1024

ADD_MICROSECONDS = 109.66
"""Measured on the card: f16 add of [2048, 1024] on 32 cores, median of 7 (sweep_records.csv of the
public cost model).
"""


@pytest.fixture(scope="module")
def add() -> ktir.Compiled:
    x = torch.ones(2048, 1024, dtype=torch.float16)
    return ktir.compile_module(Call(torch.add), (x, x.clone()))


def test_add_moves_each_byte_once(add: ktir.Compiled) -> None:
    """Two operands in, one result out: 12 MiB exactly, counted from a run and from an estimate."""
    x = torch.ones(2048, 1024, dtype=torch.float16)
    run = add.profile(x, x + 1)
    assert torch.equal(run.outputs, x + x + 1)
    for profile in (run, add.estimate()):
        assert profile.read_bytes == 8 * MIB
        assert profile.written_bytes == 4 * MIB


def test_add_takes_the_measured_time(add: ktir.Compiled) -> None:
    """The estimate is within a quarter of the time measured on the card."""
    profile = add.estimate()
    assert profile.time_ns / 1000 == pytest.approx(ADD_MICROSECONDS, rel=0.25)
    assert not profile.extrapolated
    assert profile.kernels[0].cores == 32


def test_softmax_stays_on_the_core() -> None:
    """Softmax of [512, 1024] in f16 on 32 cores reads its input once and writes its output once: 2
    MiB exactly.
    """
    x = torch.randn(512, 1024).half()
    program = ktir.compile_module(nn.Softmax(-1), (x,), options=ktir.CompileOptions(cores=32))
    for profile in (program.profile(x), program.estimate()):
        assert profile.read_bytes == 1 * MIB
        assert profile.written_bytes == 1 * MIB
        assert [kernel.cores for kernel in profile.kernels] == [32]


def test_estimate_and_profile_agree() -> None:
    """An estimate counts what a run counts, kernel by kernel, with tails in every dimension."""
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(130, 67), nn.GELU(), nn.LayerNorm(67)).half().eval()
    x = torch.randn(33, 130).half()
    program = ktir.compile_module(module, (x,))
    run, estimate = program.profile(x), program.estimate()
    assert [k.name for k in run.kernels] == [k.name for k in estimate.kernels]
    for one, other in zip(run.kernels, estimate.kernels, strict=True):
        assert one.read_bytes == other.read_bytes > 0
        assert one.written_bytes == other.written_bytes > 0
        assert one.time_ns == other.time_ns > 0


def test_whole_sticks_are_counted() -> None:
    """A row of 65 f16 elements takes two sticks: 10 rows in and out move 2 * 10 * 256 bytes."""
    x = torch.randn(10, 65).half()
    profile = ktir.compile_module(nn.ReLU(), (x,)).estimate()
    assert (profile.read_bytes, profile.written_bytes) == (2560, 2560)


def test_profile_as_json(add: ktir.Compiled) -> None:
    """The JSON of a profile has the same totals."""
    assert json.loads(add.estimate().to_json())["read_bytes"] == 8 * MIB


def test_single_precision_is_marked_extrapolated() -> None:
    """f32 exists on the machine as an extension; its time says so."""
    x = torch.randn(64, 64)
    assert ktir.compile_module(nn.ReLU(), (x,)).estimate().extrapolated
