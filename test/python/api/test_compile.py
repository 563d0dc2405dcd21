"""`compile_module`: levels, stopping, plans, profiles, saving, and the refusal of what does not
fit.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import ktir
from ktir import CompileOptions, InputError, KtirError, UnsupportedError

from .models import Affine, affine


@pytest.fixture(scope="module")
def program() -> ktir.Compiled:
    module, inputs = affine()
    return ktir.compile_module(module, inputs)


def same(one: Any, other: Any) -> bool:
    return list(one) == list(other) and all(torch.equal(one[name], other[name]) for name in one)


def test_levels_in_order(program: ktir.Compiled) -> None:
    assert program.levels == ("torch", "linalg", "plan", "ktir", "sdf")
    assert program.level == "sdf"
    assert "graph():" in program.ir("torch") or "ExportedProgram" in program.ir("torch")
    for level, op in [
        ("linalg", "linalg.generic"),
        ("plan", "plan.kernel"),
        ("ktir", "ktdp.load"),
        ("sdf", "sdf.program"),
    ]:
        assert op in program.ir(level)
        assert " loc(" not in program.ir(level)
        assert "models.py" in program.ir(level, locations=True)
    with pytest.raises(InputError, match="unknown level 'llvm'; known: torch"):
        program.ir("llvm")


def test_calls_are_the_models(program: ktir.Compiled) -> None:
    module, (x, shift) = affine()
    expected = module(x, shift)
    found = program(x, shift)
    assert list(found) == ["hidden", "best"]
    assert found["best"].dtype == torch.int64
    torch.testing.assert_close(found["hidden"], expected["hidden"], rtol=1e-2, atol=1e-2)
    assert same(program(x, shift=shift), found)
    for level in ("linalg", "plan", "ktir"):
        assert same(program.run_level(level, x, shift), found), level
    torch.testing.assert_close(
        program.run_level("torch", x, shift)["hidden"], expected["hidden"], rtol=1e-2, atol=1e-2
    )


@pytest.mark.parametrize("level", ["torch", "linalg", "plan", "ktir"])
def test_stop_after(level: str) -> None:
    module, inputs = affine()
    begun: list[str] = []
    stopped = ktir.compile_module(module, inputs, stop_after=level, notify=begun.append)
    assert stopped.level == level == begun[-1]
    with pytest.raises(KtirError, match=f"stopped after level '{level}'"):
        stopped(*inputs)
    with pytest.raises(InputError, match="no level 'sdf'; it has torch"):
        stopped.ir("sdf")
    with pytest.raises(KtirError):
        stopped.estimate()


def test_a_program_without_mlir_is_not_saved(tmp_path: Path) -> None:
    module, inputs = affine()
    stopped = ktir.compile_module(module, inputs, stop_after="torch")
    with pytest.raises(InputError, match=r"torch\.export"):
        stopped.save(tmp_path / "a.ktirpkg")


def test_plan_is_a_table(program: ktir.Compiled) -> None:
    rows = program.plan.rows
    assert rows
    lines = str(program.plan).splitlines()
    assert len(lines) == len(rows) + 1
    assert lines[0].split()[:3] == ["kernel", "ops", "result"]
    assert "models.py" in str(program.plan)
    data = json.loads(program.plan.to_json())
    assert data[0]["split"] == list(rows[0].split)
    for row in rows:
        assert row.grid == tuple(cores for cores in row.split if cores > 1)
        assert 0 < row.scratchpad <= program.target.scratchpad.plannable_bytes


def test_profile_and_estimate(program: ktir.Compiled) -> None:
    _, inputs = affine()
    profile = program.profile(*inputs)
    estimate = program.estimate()
    assert same(profile.outputs, program(*inputs))
    assert estimate.outputs is None
    assert estimate.as_dict() == profile.as_dict()
    assert estimate.time_ns > 0
    assert estimate.read_bytes >= sum(w.numel() * 2 for w in program.weights.values())
    text = str(estimate)
    assert [line.split()[0] for line in text.splitlines()[1:-1]] == [
        k.name for k in estimate.kernels
    ]
    assert "models.py" in text
    assert json.loads(estimate.to_json())["kernels"][0]["source"]


def test_estimate_needs_no_data() -> None:
    """A model whose weights have no data is estimated; running it says why it cannot."""
    with torch.device("meta"):
        module = nn.Linear(64, 128, dtype=torch.float16)
    x = torch.zeros(4, 64).half()
    program = ktir.compile_module(module, (x.to("meta"),))
    assert program.estimate().time_ns > 0
    with pytest.raises(InputError, match="'weight' has no data"):
        program(x)


def test_options_change_the_plan_and_not_the_values(program: ktir.Compiled) -> None:
    module, inputs = affine()
    expected = program(*inputs)
    plans = [program.ir("plan")]
    for options in (CompileOptions(cores=1), CompileOptions(cores=1, scratchpad=False)):
        other = ktir.compile_module(module, inputs, options=options)
        assert other.ir("plan") not in plans
        plans.append(other.ir("plan"))
        assert same(other(*inputs), expected), options


def test_another_target(tmp_path: Path) -> None:
    """A device with more cores and half the scratchpad, from a file; it goes with the saved
    program.
    """
    figure = {"unit": "", "source": "a test", "confidence": "E"}
    figures = {
        "cores": {"value": 64, **figure},
        "scratchpad.plannable_bytes": {"value": 65536, **figure},
    }
    file = tmp_path / "wide.json"
    file.write_text(json.dumps({"schema": 1, "name": "wide", "base": "spyre", "figures": figures}))
    x = torch.randn(640, 640).half()
    program = ktir.compile_module(nn.ReLU(), (x,), options=CompileOptions(target_file=file))
    assert max(kernel.cores for kernel in program.estimate().kernels) == 64
    program.save(tmp_path / "a.ktirpkg")
    file.unlink()
    loaded = ktir.load(tmp_path / "a.ktirpkg")
    assert loaded.target == program.target
    assert torch.equal(loaded(x), x.relu())
    loaded.save(tmp_path / "b.ktirpkg")
    assert (tmp_path / "a.ktirpkg").read_bytes() == (tmp_path / "b.ktirpkg").read_bytes()
    resumed = ktir.compile_ir(loaded.ir("plan"), "plan", like=loaded)
    assert torch.equal(resumed(x), x.relu())


def test_saved_and_loaded(program: ktir.Compiled, tmp_path: Path) -> None:
    _, inputs = affine()
    path = tmp_path / "a.ktirpkg"
    program.save(path)
    loaded = ktir.load(str(path))
    assert loaded.levels == program.levels[1:]
    assert loaded.options == program.options
    assert same(loaded(*inputs), program(*inputs))
    for level in loaded.levels:
        assert loaded.ir(level) == program.ir(level)
        assert loaded.ir(level, locations=True) == program.ir(level, locations=True)
    assert str(loaded.estimate()) == str(program.estimate())
    with pytest.raises(InputError, match="no level 'torch'; it has linalg"):
        loaded.ir("torch")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": 3}, "model: found a int, expected a torch.nn.Module"),
        ({"example_inputs": 3}, "example_inputs: found a int, expected a tuple"),
        ({"target": "gpu"}, "unknown target 'gpu'; known: spyre"),
        ({"stop_after": "asm"}, "unknown level in stop_after 'asm'; known: torch, linalg"),
    ],
)
def test_arguments_are_checked(arguments: dict[str, Any], message: str) -> None:
    module, inputs = affine()
    with pytest.raises(InputError, match=message):
        ktir.compile_module(**{"model": module, "example_inputs": inputs, **arguments})


def test_dynamic_shapes_are_refused() -> None:
    module, inputs = affine()
    with pytest.raises(UnsupportedError, match=r"dynamic_shapes: found .* only static shapes"):
        ktir.compile_module(module, inputs, dynamic_shapes={"x": {0: "n"}})  # type: ignore[arg-type]


def test_programs_are_independent() -> None:
    """Two programs of one class, run in turn, and each twice."""
    module, inputs = affine()
    first = ktir.compile_module(module, inputs)
    second = ktir.compile_module(Affine().eval(), inputs)
    once = first(*inputs)
    other = second(*inputs)
    assert same(first(*inputs), once)
    assert same(second(*inputs), other)
    assert not same(once, other)
