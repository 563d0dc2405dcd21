"""A plan is text: a user edits a decision and resumes. The grid follows, the values stay; an
illegal edit is refused.

Owns resuming from `NAME.plan.mlir` through `ktir.compile_ir` and through the command.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import ktir

from .support import LEVELS, assert_same_bits, command


class Layers(nn.Module):
    """Two linear layers: kernels whose rows and columns can be cut."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(130, 256)
        self.second = nn.Linear(256, 192)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.second(torch.relu(self.first(x)))
        return result


@dataclass(frozen=True)
class Planned:
    program: ktir.Compiled
    x: Tensor
    outputs: Tensor


@pytest.fixture(scope="module")
def planned() -> Planned:
    torch.manual_seed(0)
    x = torch.randn(70, 130)
    program = ktir.compile_module(Layers().eval(), (x,))
    return Planned(program, x, program(x))


SPLIT = re.compile(r"split = \[[^\]]*\] tile = \[[^\]]*\]")


def edited(plan: str, decision: str) -> str:
    """The plan with the split and tile of its first kernel replaced."""
    text, count = SPLIT.subn(decision, plan, count=1)
    assert count == 1, plan
    return text


LEGAL = {
    (7,): "split = [7, 1] tile = [5, 256]",
    (2, 4): "split = [2, 4] tile = [35, 64]",
    (8,): "split = [1, 8] tile = [70, 32]",
    (5, 2): "split = [5, 2] tile = [3, 32]",
}


@pytest.mark.parametrize(("grid", "decision"), LEGAL.items(), ids=LEGAL.values())
def test_edited_split(planned: Planned, grid: tuple[int, ...], decision: str) -> None:
    """The grid in `ktir` and `sdf` is the edited one; the bits are the same at every level."""
    assert planned.program.plan.rows[0].grid != grid, "the planner would choose otherwise"
    plan = edited(planned.program.ir("plan"), decision)
    other = ktir.compile_ir(plan, level="plan", like=planned.program)
    assert other.plan.rows[0].grid == grid
    profile = other.profile(planned.x)
    assert profile.kernels[0].grid == grid
    assert profile.kernels[1].grid == planned.program.plan.rows[1].grid, (
        "the other kernel is as it was"
    )
    shown = ", ".join(map(str, grid))
    assert re.search(rf"\bgrid = \[{shown}\]", other.ir("ktir")), other.ir("ktir")
    assert re.search(rf"\bgrid \[{shown}\]", other.ir("sdf")), other.ir("sdf")
    for level in LEVELS[1:]:
        assert_same_bits(other.run_level(level, planned.x), planned.outputs, f"{decision}, {level}")


ILLEGAL = {
    "split = [33, 1] tile = [3, 256]": r"33.*32",
    "split = [8, 8] tile = [9, 32]": r"64.*32",
    "split = [1, 9] tile = [70, 32]": r"9.*8|unit",
    "split = [2, 1] tile = [35, 48]": r"48.*32|unit",
    "split = [0, 1] tile = [70, 256]": r"0",
    "split = [2] tile = [70, 256]": r"split",
    "split = [2, 1, 1] tile = [70, 256, 1]": r"split|dimension",
}


@pytest.mark.parametrize(("decision", "constraint"), ILLEGAL.items(), ids=ILLEGAL)
def test_illegal_edit(planned: Planned, decision: str, constraint: str) -> None:
    """An edit that cannot be met is refused; the message names the constraint."""
    plan = edited(planned.program.ir("plan"), decision)
    with pytest.raises(ktir.KtirError, match=f"(?s){constraint}"):
        ktir.compile_ir(plan, level="plan", like=planned.program)


def test_illegal_cut_of_a_softmax() -> None:
    """A dimension that a reduction runs over cannot be divided."""
    x = torch.randn(64, 256, dtype=torch.float16)
    program = ktir.compile_module(nn.Softmax(-1), (x,))
    plan = edited(program.ir("plan"), "split = [1, 4] tile = [64, 64]")
    with pytest.raises(ktir.KtirError, match=r"(?is)dimension 1|reduc|parallel"):
        ktir.compile_ir(plan, level="plan", like=program)


def test_illegal_tile_does_not_fit() -> None:
    """Tiles that exceed the scratchpad are refused, naming its size."""
    x = torch.randn(4096, 1024)
    program = ktir.compile_module(nn.ReLU(), (x,), stop_after="plan")
    plan = edited(program.ir("plan"), "split = [1, 1] tile = [4096, 1024]")
    with pytest.raises(ktir.KtirError, match=r"(?s)1,?625,?344|2,?097,?152"):
        ktir.compile_ir(plan, level="plan", like=program)


def test_resume_with_the_command(planned: Planned, tmp_path: Path) -> None:
    """`ktir run NAME.plan.mlir` resumes from an edited file, named by its level."""
    x = torch.randn(70, 130)
    program = ktir.compile_module(nn.Softmax(-1), (x,))
    path = tmp_path / "softmax.plan.mlir"
    path.write_text(edited(program.ir("plan"), "split = [7, 1] tile = [5, 130]"))
    import numpy

    numpy.save(tmp_path / "x.npy", x.numpy())
    numpy.save(tmp_path / "expected.npy", program(x).numpy())
    name = program.bind(x)
    assert len(name) == 1
    arguments = ["--in", f"{next(iter(name))}={tmp_path / 'x.npy'}"]
    output = ktir.compile_ir(path).output_names[0]
    arguments += ["--expect", f"{output}={tmp_path / 'expected.npy'}", "--rtol", "0", "--atol", "0"]
    result = command("ktir", "run", path, *arguments)
    assert result.returncode == 0, result.stderr
    numpy.save(tmp_path / "expected.npy", program(x).numpy() + 1)
    result = command("ktir", "run", path, *arguments)
    assert result.returncode == 1, result.stderr
    path.write_text(edited(path.read_text(), "split = [33, 1] tile = [3, 130]"))
    result = command("ktir", "run", path, *arguments)
    assert result.returncode in (1, 2), result.stderr
    assert "32" in result.stderr
    assert "Traceback" not in result.stderr
