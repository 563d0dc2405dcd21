"""Bad input of every kind: one error that says where and what to do, and the exit status."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from api.models import KERNEL, RELU
from safetensors.torch import save_file

import ktir as api

from .factories import linear
from .support import HERE, assert_refused, ktir


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program and inputs, right and wrong."""
    folder = tmp_path_factory.mktemp("bad")
    module, inputs, _ = linear()
    api.compile_module(module, inputs).save(folder / "linear.ktirpkg")
    np.save(folder / "x.npy", np.zeros((5, 65), np.float16))
    np.save(folder / "shape.npy", np.zeros((5, 64), np.float16))
    np.save(folder / "dtype.npy", np.zeros((5, 65), np.float32))
    np.save(folder / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    (folder / "text.npy").write_text("not an array")
    (folder / "cut.npy").write_bytes((folder / "x.npy").read_bytes()[:200])
    (folder / "bad.plan.mlir").write_text("module {\n  plan.kernel oops\n}\n")
    for level in ("ktir", "sdf"):
        (folder / f"empty.{level}.mlir").write_text("module {\n}\n")
    (folder / "text.pt2").write_text("not a program")
    (folder / "text.ktirpkg").write_text("not a package")
    (folder / "relu.linalg.mlir").write_text(RELU)
    for name in ("double.mlir", "double.plan.mlir"):
        (folder / name).write_text(KERNEL)
    save_file({"x": torch.zeros(2)}, folder / "small.safetensors")
    return folder


MODELS = {
    "cannot be exported": (
        ("cli.factories:branch",),
        ("torch cannot export Branch", "factories.py:", "control flow"),
    ),
    "unsupported op": (("cli.factories:sort",), ("sort", "factories.py:")),
    "factory fails": (
        ("cli.factories:fails",),
        ("cli.factories:fails failed: RuntimeError: no such checkpoint", "factories.py:"),
    ),
    "factory returns something else": (
        ("cli.factories:wrong",),
        ("returned (str), expected (module, args, kwargs)",),
    ),
    "no such function": (("cli.factories:nothing",), ("has no function 'nothing'", "linear")),
    "no such module": (
        ("nowhere.models:f",),
        ("cannot import 'nowhere.models': there is no module 'nowhere'", "MODEL may be package."),
    ),
    "no such submodule": (("cli.nothing:f",), ("there is no module 'cli.nothing'", "a .pt2 file")),
    "no module named": ((":f",), ("found ':f', expected package.module:factory",)),
    "no function named": (("cli.factories:",), ("expected package.module:factory",)),
    "no form of a model": (("resnet50",), ("found 'resnet50', expected package.module:factory",)),
    "missing .pt2": (("gone.pt2",), ("cannot read gone.pt2",)),
}


BROKEN_MODULES = {
    "import nowhere": "ModuleNotFoundError: No module named 'nowhere', at",
    "1 / 0": "ZeroDivisionError: division by zero, at",
    "def f(:": "SyntaxError: invalid syntax (broken.py, line 1)\n",
}


@pytest.mark.parametrize(("text", "reason"), BROKEN_MODULES.items(), ids=BROKEN_MODULES)
def test_a_module_that_cannot_be_imported(text: str, reason: str, tmp_path: Path) -> None:
    """The error names the user's line, not one of what imports it."""
    (tmp_path / "broken.py").write_text(text + "\n")
    result = ktir("compile", "broken:f", "-o", "m.ktirpkg", cwd=tmp_path)
    place = f" {tmp_path / 'broken.py'}:1: {text}\n" if reason.endswith(", at") else ""
    assert_refused(result, f"error: cannot import 'broken': {reason}{place}")


@pytest.mark.parametrize(("arguments", "words"), MODELS.values(), ids=MODELS)
def test_models(arguments: tuple[str, ...], words: tuple[str, ...], tmp_path: Path) -> None:
    output = tmp_path / "m.ktirpkg"
    assert_refused(ktir("compile", *arguments, "-o", output), *words)
    assert not output.exists()


FILES = {
    "malformed .mlir": (("compile", "bad.plan.mlir", "-o", "m.ktirpkg"), ("bad.plan.mlir:2:",)),
    "empty .ktir.mlir": (
        ("compile", "empty.ktir.mlir", "-o", "m.ktirpkg"),
        ("empty.ktir.mlir: level ktir: there is nothing to run", "@host"),
    ),
    "empty .sdf.mlir": (
        ("compile", "empty.sdf.mlir", "--emit", "sdf"),
        ("empty.sdf.mlir: level sdf: there is nothing to run", "sdf.program"),
    ),
    "missing .mlir": (("compile", "gone.mlir", "-o", "m.ktirpkg"), ("cannot read gone.mlir",)),
    "no .pt2": (("compile", "text.pt2", "--emit", "linalg"), ("text.pt2", "torch.export.save")),
    "nowhere to save": (("compile", "relu.linalg.mlir"), ("-o: found nothing", "--emit")),
    "wrong suffix": (("compile", "relu.linalg.mlir", "-o", "m.zip"), ("-o: found m.zip",)),
    "suffix of another level": (
        ("compile", "relu.linalg.mlir", "--emit", "plan", "-o", "relu.sdf.mlir"),
        ("-o: the name relu.sdf.mlir says level 'sdf'", "name it relu.plan.mlir"),
    ),
    "suffix of no level": (
        ("compile", "relu.linalg.mlir", "--emit", "plan", "-o", "relu.mlir"),
        ("-o: the name relu.mlir says level 'ktir'", "name it relu.plan.mlir"),
    ),
    "level above": (("compile", "bad.plan.mlir", "--emit", "linalg"), ("comes after it",)),
    "unknown level": (("compile", "relu.linalg.mlir", "--emit", "asm"), ("'asm'", "linalg, plan")),
    "too many cores": (
        ("compile", "relu.linalg.mlir", "--emit", "plan", "--cores", "64"),
        ("cores", "64", "32"),
    ),
    "missing target": (
        ("compile", "relu.linalg.mlir", "--emit", "plan", "--target-file", "t.json"),
        ("t.json", "No such file"),
    ),
    "array made up beyond memory": (
        ("run", "double.mlir", "--in", "x_ptr=randn:99999999999999x64"),
        ("x_ptr=randn", "do not fit into this computer's memory"),
    ),
    "array made up beyond numbers": (
        ("run", "double.mlir", "--in", "x_ptr=zeros:99999999999999999999x64"),
        ("x_ptr=zeros", "no array has that"),
    ),
    "missing folder": (("compile", "relu.linalg.mlir", "-o", "no/m.ktirpkg"), ("no/m.ktirpkg",)),
    "missing package": (("run", "gone.ktirpkg"), ("cannot read gone.ktirpkg",)),
    "no package": (("run", "text.ktirpkg"), ("text.ktirpkg is not a usable ktir package",)),
    "number of inputs": (("run", "linear.ktirpkg"), ("missing input", "float16[5, 65]")),
    "unknown input": (
        ("run", "linear.ktirpkg", "--in", "input=x.npy", "--in", "y=x.npy"),
        ("there is no input 'y'; there are input",),
    ),
    "shape": (
        ("run", "linear.ktirpkg", "--in", "input=shape.npy"),
        ("'input'", "float16[5, 64]", "float16[5, 65]"),
    ),
    "dtype": (
        ("run", "linear.ktirpkg", "--in", "input=dtype.npy"),
        ("'input'", "float32[5, 65]", "float16[5, 65]"),
    ),
    "input twice": (
        ("run", "linear.ktirpkg", "--in", "input=x.npy", "--in", "input=x.npy"),
        ("'input' is given twice",),
    ),
    "missing array": (
        ("run", "linear.ktirpkg", "--in", "input=gone.npy"),
        ("cannot read gone.npy",),
    ),
    "no array": (("run", "linear.ktirpkg", "--in", "input=text.npy"), ("text.npy",)),
    "cut array": (("run", "linear.ktirpkg", "--in", "input=cut.npy"), ("cut.npy",)),
    "pickled array": (("run", "linear.ktirpkg", "--in", "input=objects.npy"), ("objects.npy",)),
    "no name": (("run", "linear.ktirpkg", "--in", "x.npy"), ("expected NAME=FILE",)),
    "wrong array in file": (
        ("run", "linear.ktirpkg", "--in", "input=small.safetensors"),
        ("float32[2]",),
    ),
    "unknown output": (
        ("run", "linear.ktirpkg", "--in", "input=x.npy", "--out", "z=z.npy"),
        ("no output 'z'; there are output",),
    ),
    "unknown type of output": (
        ("run", "linear.ktirpkg", "--in", "input=x.npy", "--out", "output=z.csv"),
        ("z.csv", ".safetensors"),
    ),
    "shape of a reference": (
        ("run", "linear.ktirpkg", "--in", "input=x.npy", "--expect", "output=x.npy"),
        ("[5, 96]", "[5, 65]"),
    ),
    "unknown check": (
        ("run", "linear.ktirpkg", "--check", "some"),
        ("check: found 'some'", "off, bounds, full"),
    ),
    "address": (("run", "k.mlir", "--at", "here=x.npy"), ("'here'", "number of elements")),
    "address beyond device memory": (
        (
            "run",
            "double.mlir",
            "--at",
            f"{1 << 39}=x.npy",
            "--in",
            "x_ptr=zeros",
            "--in",
            "y_ptr=zeros",
        ),
        (f"device[{1 << 39}] at bytes {1 << 40} to", "outside device memory of 120259084288 bytes"),
    ),
    "a plan without @main": (
        ("run", "double.plan.mlir", "--weights", "linear.ktirpkg"),
        ("double.plan.mlir: level plan: expected one function @main", "found @double"),
    ),
    "a kernel of a plan": (
        ("run", "double.plan.mlir", "--func", "double"),
        ("--func does not go with this file", "is at level plan"),
    ),
    "a function that is no kernel": (
        ("run", "linear.ktirpkg", "--func", "main"),
        ("there is no function @main; functions with a body: @linear_0",),
    ),
    "options that do not go together": (
        ("run", "linear.ktirpkg", "--weights", "linear.ktirpkg"),
        ("--weights does not go with this file",),
    ),
}


@pytest.mark.parametrize(("arguments", "words"), FILES.values(), ids=FILES)
def test_files(folder: Path, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    before = {file.name for file in folder.iterdir()}
    assert_refused(ktir(*arguments, cwd=folder), *words)
    assert {file.name for file in folder.iterdir()} == before


@pytest.mark.parametrize("arguments", [("compile",), ("run", "--no-such-option"), ("dance",)])
def test_usage(arguments: tuple[str, ...]) -> None:
    result = ktir(*arguments)
    assert result.returncode == 2
    assert "Usage: ktir" in result.stderr
    assert "Traceback" not in result.stderr


def test_full_disk(folder: Path, tmp_path: Path) -> None:
    """A file system that takes few bytes a file: for the program and for an output."""
    output = tmp_path / "m.ktirpkg"
    result = ktir("compile", folder / "relu.linalg.mlir", "-o", output, limit=1000)
    assert_refused(result, f"cannot write {output}: File too large")
    array = tmp_path / "y.npy"
    result = ktir(
        "run", folder / "linear.ktirpkg", "--in", f"input={folder / 'x.npy'}", "--out",
        f"output={array}", limit=500,
    )  # fmt: skip
    assert_refused(result, f"cannot write {array}: File too large")
    assert list(tmp_path.iterdir()) == []


SLOW = """
import time
def slow():
    print("begun", flush=True)
    time.sleep(60)
"""


def test_interrupt(tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(SLOW)
    code = "from ktir.tools.ktir import main; main()"
    command = [sys.executable, "-c", code, "compile", "waits:slow", "-o", "m.ktirpkg"]
    # What runs in the background of a script inherits that interrupts are ignored.
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert not (tmp_path / "m.ktirpkg").exists()
    assert HERE.exists()


def test_full_disk_behind_standard_output() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ktir.tools.ktir", "--help"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "error: cannot write the output: No space left on device\n"


@pytest.mark.parametrize("rtol", ["nan", "-1"])
def test_tolerance_is_a_number_from_zero_on(folder: Path, rtol: str) -> None:
    done = ktir(
        *("run", folder / "linear.ktirpkg", "--in", f"input={folder / 'x.npy'}"),
        *("--expect", f"output={folder / 'x.npy'}", "--rtol", rtol),
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
