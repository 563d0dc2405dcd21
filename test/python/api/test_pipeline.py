"""Running levels: what comes out keeps its level's contract, and failures say what, where and how
to repeat.
"""

from __future__ import annotations

import dataclasses
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import torch

import ktir
from ktir import CompileOptions, PassError, PlanError, UnsupportedError, VerifyError
from ktir.contracts import check_contract
from ktir.levels import MLIR_LEVELS
from ktir.mlir import ir
from ktir.modules import parse_module
from ktir.pipeline import STAGES, lower, run_passes
from ktir.target import Target

from .models import KERNEL, RELU

OPTIONS = CompileOptions()
TARGET = OPTIONS.target()


def parse(text: str) -> ir.Operation:
    return parse_module(text, "the test", ir.Context())


def test_stages_are_the_levels() -> None:
    assert tuple(STAGES) == MLIR_LEVELS


def test_lower_leaves_its_input_alone() -> None:
    module = parse(RELU)
    before = str(module)
    seen: list[str] = []
    made = lower(module, "linalg", "sdf", OPTIONS, TARGET, seen.append)
    assert str(module) == before
    assert list(made) == seen == ["plan", "ktir", "sdf"]


def test_options_reach_the_passes() -> None:
    text = STAGES["plan"].passes(CompileOptions(cores=4, scratchpad=False), TARGET)
    assert "ktir-divide-work{cores=4}" in text
    assert any("minimal=true" in element for element in text)
    module = lower(parse(RELU), "linalg", "plan", CompileOptions(cores=2), TARGET)["plan"]
    assert re.search(r"split = \[(1, 2|2, 1)\]", str(module))


def target_of(cores: int) -> Target:
    """Spyre with another number of cores."""
    return dataclasses.replace(TARGET, cores=cores)


@pytest.mark.parametrize(("cores", "says"), [(TARGET.cores, False), (TARGET.cores * 2, True)])
def test_a_plan_says_how_many_cores_there_are_if_not_spyres(cores: int, says: bool) -> None:
    module = lower(parse(RELU), "linalg", "plan", OPTIONS, target_of(cores))["plan"]
    assert ("plan.cores" in str(module)) == says


def test_verifiers_of_plan_take_spyres_cores_where_none_are_stated() -> None:
    rows = TARGET.cores + 1
    text = f"""func.func @main(%x: tensor<{rows}x64xf16>) -> tensor<{rows}x64xf16> {{
      %r = plan.kernel "k" split = [{rows}, 1] tile = [1, 64]
        ins(%a = %x : tensor<{rows}x64xf16>) -> (tensor<{rows}x64xf16>) {{
        plan.yield %a : tensor<{rows}x64xf16>
      }}
      return %r : tensor<{rows}x64xf16>
    }}"""
    with pytest.raises(VerifyError, match=rf"uses {rows} cores, the target has {TARGET.cores}"):
        parse(text)
    parse(f"module attributes {{plan.cores = {rows}}} {{ {text} }}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("module {", r"the test:1:\d+: "),
        ("module {\n  func.func @f() { foo.bar }\n}", r"the test:2:\d+: .*\n    func.func @f"),
        ('module {\n  "torch.relu"() : () -> ()\n}', r"of an unknown dialect\n    \"torch\.relu"),
        ("", "expected one function @main"),
        ("\0\1\2", "the test"),
    ],
)
def test_malformed_text(text: str, problem: str) -> None:
    with pytest.raises(VerifyError, match=problem):
        check_contract(parse(text), "linalg")


@pytest.mark.parametrize(
    ("level", "text", "problem"),
    [
        ("linalg", KERNEL, "expected one function @main of one block, found @double"),
        (
            "linalg",
            RELU.replace("return %1", "scf.execute_region { scf.yield }\n    return %1"),
            r"'scf.execute_region' at -:\d+:\d+, where only ops of arith",
        ),
        ("plan", RELU, r"'linalg.generic' at .* outside a plan.kernel, where only"),
        (
            "linalg",
            "func.func @main(%x: tensor<?xf16>) -> tensor<?xf16> { return %x : tensor<?xf16> }",
            r"argument 0 of @main is tensor<\?xf16>, expected a tensor of static shape",
        ),
        ("ktir", "func.func @f(%x: index) { %0 = ub.poison : f32 return }", "ub.poison"),
        ("sdf", KERNEL, "found 'func.func' at .* @double among the kernels"),
        ("ktir", "module {}", r"level ktir: there is nothing to run; expected kernels \(a func"),
        ("ktir", "module @kernels { func.func private @f() }", "nothing to run"),
        ("sdf", "module { module @kernels {} }", r"nothing to run; expected kernels \(an sdf"),
    ],
)
def test_contracts(level: str, text: str, problem: str) -> None:
    module = parse(text)
    with pytest.raises(VerifyError, match=problem):
        check_contract(module, level)


def test_ktir_of_other_tools_keeps_the_contract() -> None:
    check_contract(parse(KERNEL), "ktir")


@pytest.mark.parametrize("level", ["ktir", "sdf"])
def test_a_program_may_launch_nothing(level: str) -> None:
    module, inputs = torch.nn.Identity(), (torch.ones(3),)
    program = ktir.compile_module(module, inputs)
    check_contract(parse(program.ir(level)), level)
    assert torch.equal(program(*inputs), inputs[0])


def failing(tmp_path: Path, kind: type[ktir.KtirError], element: str, text: str = RELU) -> str:
    options = CompileOptions(reproducer_folder=tmp_path)
    with pytest.raises(kind) as caught:
        run_passes(parse(text), ["canonicalize", element, "cse"], kind, "ktir", options)
    return str(caught.value)


def test_a_failing_pass_leaves_a_reproducer(tmp_path: Path) -> None:
    """The message names the pass and its reason; the command in it repeats the failure."""
    message = failing(tmp_path, UnsupportedError, "ktir-emit")
    assert message.startswith("level ktir, pass ktir-emit: ")
    assert "run ktir-distribute before" in message
    found = re.search(r"repeat with: ktir-opt (.*)$", message)
    assert found is not None
    command = shlex.split(found[1])
    assert Path(command[0]).parent == tmp_path
    tool = Path(sys.executable).with_name("ktir-opt")
    result = subprocess.run([tool, *command], capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "run ktir-distribute before" in result.stderr


def test_a_refusal_leaves_nothing_unless_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    options = CompileOptions()
    with pytest.raises(UnsupportedError, match="run ktir-distribute before") as caught:
        run_passes(parse(RELU), ["ktir-emit"], UnsupportedError, "ktir", options)
    assert "repeat with" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(PassError, match="repeat with: ktir-opt"):
        run_passes(parse(RELU), ["ktir-no-such-pass"], UnsupportedError, "ktir", options)
    assert len(list(tmp_path.iterdir())) == 1


def test_reproducer_without_a_place(tmp_path: Path) -> None:
    options = CompileOptions(reproducer_folder=tmp_path / "missing")
    with pytest.raises(
        UnsupportedError, match=r"could not be written: No such file.*reproducer_folder"
    ):
        run_passes(parse(RELU), ["ktir-emit"], UnsupportedError, "ktir", options)


def test_internal_errors_are_pass_errors(tmp_path: Path) -> None:
    """A pipeline that does not parse is our own fault, never the user's."""
    message = failing(tmp_path, PassError, "ktir-no-such-pass")
    assert "ktir-no-such-pass" in message


def test_plan_that_cannot_be_met_is_a_plan_error() -> None:
    plan = str(lower(parse(RELU), "linalg", "plan", OPTIONS, TARGET)["plan"])
    one = re.sub(r"tile = \[\d+, \d+\]", "tile = [1, 13]", plan)
    with pytest.raises(ktir.KtirError, match="13"):
        ktir.compile_ir(one, "plan")
    assert issubclass(PlanError, ktir.KtirError)
