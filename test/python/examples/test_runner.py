"""`python -m examples.kernels` and the files it writes for `ktir run`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from examples.kernels.__main__ import main
from examples.kernels.catalog import Example, names
from examples.kernels.files import write
from examples.kernels.running import Outcome
from ktir.tools.ktir import app


def test_a_table_with_one_row_a_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vector_add", "top_k"]) == 0
    printed = capsys.readouterr().out
    for name in ("vector_add", "top_k"):
        assert re.search(rf"{name}.* 32 .*right", printed)


def test_a_wrong_result_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("examples.kernels.running.difference", _always_wrong)
    assert main(["vector_add"]) == 1
    assert "wrong: z_ptr" in capsys.readouterr().out


def _always_wrong(*_: object) -> object:
    from examples.kernels.contract import Difference

    return Difference(1.0, 1)


def test_levels_that_differ_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def differ(one: Outcome, other: Outcome) -> bool:
        return False

    monkeypatch.setattr("examples.kernels.__main__.same_bits", differ)
    assert main(["vector_add"]) == 1
    assert "levels differ" in capsys.readouterr().out


def test_an_unknown_kernel_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["vector_ad"])
    assert stopped.value.code == 2
    assert "no kernel 'vector_ad'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["softmax_rows", "rms_norm", "top_k"])
def test_written_files_run_with_ktir_run(name: str, tmp_path: Path) -> None:
    example = Example(name)
    command = write(example, example.oracle.cases[1], tmp_path)
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    wrong = [_other(argument) for argument in command]
    assert CliRunner().invoke(app, wrong).exit_code == 1


def _other(argument: str) -> str:
    """Expects the input where the result was expected."""
    return argument.replace("y_ptr.expected.npy", "x_ptr.npy").replace(
        "values_ptr.expected.npy", "places_ptr.npy"
    )


def test_write_prints_a_command_for_each_kernel(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["vector_add", "--write", str(tmp_path)]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert shlex.split(line)[:2] == ["ktir", "run"]
    assert (tmp_path / "vector_add" / "z_ptr.expected.npy").exists()


def test_names_are_those_of_the_files() -> None:
    assert "softmax_rows" in names()
