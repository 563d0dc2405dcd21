"""Numbers on the command line of `ktir run`: how they may be written, and what does not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .support import assert_refused, ktir
from .test_run_kernel import SCALED

FLAG = """
func.func @flag(%n: i8, %on: i1, %h: f16) attributes {grid = [1]} {
  return
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kernels with scalar arguments."""
    folder = tmp_path_factory.mktemp("scalars")
    (folder / "scale.mlir").write_text(SCALED)
    (folder / "flag.mlir").write_text(FLAG)
    return folder


INTEGERS = {"64": 64, "0x40": 64, "0b1000": 8, "1_0": 10, "6.4e1": 64, "64.0": 64, "-0": 0}


@pytest.mark.parametrize("text", INTEGERS)
def test_integers(folder: Path, text: str) -> None:
    given = ("--in", "x_ptr=arange", "--in", f"n={text}", "--in", "by=1", "--json")
    result = ktir("run", "scale.mlir", *given, cwd=folder)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["outputs"]["y_ptr"]["shape"] == [INTEGERS[text]]


@pytest.mark.parametrize("text", ["2", "-0x10", "nan", "-inf", "Infinity", "1e-50", "1_0.5"])
def test_floats(folder: Path, text: str) -> None:
    given = ("--in", "x_ptr=arange", "--in", "n=64", "--in", f"by={text}")
    result = ktir("run", "scale.mlir", *given, cwd=folder)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("text", ["true", "false", "0", "1"])
def test_truth_values(folder: Path, text: str) -> None:
    given = ("--in", "n=200", "--in", f"on={text}", "--in", "h=65519")
    result = ktir("run", "flag.mlir", *given, cwd=folder)
    assert result.returncode == 0, result.stderr


REFUSED = {
    "no integer": (("scale.mlir", "n=1.5"), ("'n': 1.5 is not an integer, as index is",)),
    "nan": (("scale.mlir", "n=nan"), ("'n': nan is not an integer",)),
    "inf": (("scale.mlir", "n=inf"), ("'n': inf is not an integer",)),
    "true": (("scale.mlir", "n=true"), ("'n': found True, expected a number of type index",)),
    "index": (
        ("scale.mlir", "n=9223372036854775808"),
        ("'n': 9223372036854775808 does not fit into index", "to 9223372036854775807"),
    ),
    "float of index": (("scale.mlir", "n=1e30"), ("'n': 1000000", "does not fit into index")),
    "f32": (("scale.mlir", "by=1e39"), ("'by': 1e+39 does not fit into f32", "3.40282e+38")),
    "no number": (("scale.mlir", "n=0x"), ("n=0x: expected a number",)),
    "i8": (("flag.mlir", "n=256"), ("'n': 256 does not fit into i8, which holds -128 to 255",)),
    "i1": (("flag.mlir", "on=2"), ("'on': 2 does not fit into i1",)),
    "f16": (("flag.mlir", "h=65520"), ("'h': 65520 does not fit into f16", "65504")),
}

REST = {
    "scale.mlir": {"x_ptr": "zeros:64", "n": "64", "by": "1"},
    "flag.mlir": {"n": "0", "on": "0", "h": "0"},
}


@pytest.mark.parametrize(("arguments", "words"), REFUSED.values(), ids=REFUSED)
def test_refused(folder: Path, arguments: tuple[str, str], words: tuple[str, ...]) -> None:
    file, wrong = arguments
    name, _, text = wrong.partition("=")
    given = [f"{key}={value}" for key, value in {**REST[file], name: text}.items()]
    options = [word for entry in given for word in ("--in", entry)]
    assert_refused(ktir("run", file, *options, cwd=folder), *words)
