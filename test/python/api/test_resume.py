"""`compile_ir`: compilation starts from MLIR of any level, from text or from a file."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import ktir
from ktir import InputError, KtirError, VerifyError

from .models import KERNEL, RELU, affine

X = torch.randn(5, 65, generator=torch.Generator().manual_seed(0)).half()


def test_from_text_with_names() -> None:
    program = ktir.compile_ir(RELU, "linalg")
    assert program.levels == ("linalg", "plan", "ktir", "sdf")
    assert torch.equal(program(X), X.relu())
    assert torch.equal(program(x=X), X.relu())
    assert program.output_names == ("output",)


def test_from_a_file_whose_name_states_the_level(tmp_path: Path) -> None:
    file = tmp_path / "relu.linalg.mlir"
    file.write_text(RELU)
    for source in (file, str(file)):
        assert torch.equal(ktir.compile_ir(source)(X), X.relu())


@pytest.mark.parametrize("level", ["linalg", "plan", "ktir", "sdf"])
def test_every_level_resumes(level: str) -> None:
    module, inputs = affine()
    program = ktir.compile_module(module, inputs)
    resumed = ktir.compile_ir(program.ir(level), level, like=program)
    assert resumed.levels == program.levels[program.levels.index(level) :]
    found, expected = resumed(*inputs), program(*inputs)
    assert list(found) == ["hidden", "best"]
    assert all(torch.equal(found[name], expected[name]) for name in found)
    by_weights = ktir.compile_ir(program.ir(level), level, weights=program.weights)
    hidden, best = by_weights(*inputs)
    assert torch.equal(hidden, expected["hidden"])
    assert torch.equal(best, expected["best"])


def test_without_weights_all_arguments_are_inputs() -> None:
    module, (x, shift) = affine()
    program = ktir.compile_module(module, (x, shift))
    bare = ktir.compile_ir(program.ir("plan"), "plan")
    hidden, _ = bare(**program.weights, x=x, shift=shift)
    assert torch.equal(hidden, program(x, shift)["hidden"])
    with pytest.raises(InputError, match="missing"):
        bare(x=x, shift=shift)


def test_stop_after_and_below() -> None:
    assert ktir.compile_ir(RELU, "linalg", stop_after="plan").level == "plan"
    assert ktir.compile_ir(RELU, "linalg", stop_after="linalg").level == "linalg"


def test_kernels_of_other_tools_compile_but_have_no_main(tmp_path: Path) -> None:
    program = ktir.compile_ir(KERNEL, "ktir")
    program.save(tmp_path / "kernels.ktirpkg")
    for either in (program, ktir.load(tmp_path / "kernels.ktirpkg")):
        assert "sdf.program @double" in either.ir("sdf")
        with pytest.raises(KtirError, match="no @main, only kernels"):
            either(X)
        with pytest.raises(KtirError, match="@main"):
            either.estimate()


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown level ''"):
        ktir.compile_ir(RELU)
    with pytest.raises(InputError, match=r"cannot read .*missing\.mlir: No such file"):
        ktir.compile_ir(tmp_path / "missing.mlir")
    with pytest.raises(InputError, match="unknown level 'torch'; known: linalg"):
        ktir.compile_ir(RELU, "torch")
    with pytest.raises(VerifyError, match=r"the text is not legal MLIR:\nthe text:1:1"):
        ktir.compile_ir("nonsense {\n", "plan")
    broken = tmp_path / "broken.plan.mlir"
    broken.write_text("module {\n  plan.kernel\n}\n")
    with pytest.raises(VerifyError, match=r"broken\.plan\.mlir:\d+:\d+"):
        ktir.compile_ir(broken)
    with pytest.raises(VerifyError, match=r"level plan: found 'linalg.generic'"):
        ktir.compile_ir(RELU, "plan")


def test_like_must_fit() -> None:
    module, inputs = affine()
    program = ktir.compile_module(module, inputs)
    with pytest.raises(InputError, match=r"'x' of @main is float16\[5, 64\], but"):
        ktir.compile_ir(RELU.replace("65", "64"), "linalg", like=program)
