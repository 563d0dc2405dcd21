"""The harness of public files, on files written here: what passes, what fails, and what it says."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ktir.modules import new_context, parse_module
from test.public import emitted, examples, frontend, grammar, steps
from test.public.cases import CASES, Case
from test.public.inputs import Inputs
from test.public.report import Report

KERNEL = """
#box = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#order = affine_map<(d0) -> (d0)>
func.func @copy(%x_ptr: index, %y_ptr: index) attributes {grid = [1]} {
  %c0 = arith.constant 0 : index
  %x = ktdp.construct_memory_view %x_ptr, sizes: [64], strides: [1] {coordinate_set = #box,
      memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64xf16>
  %y = ktdp.construct_memory_view %y_ptr, sizes: [64], strides: [1] {coordinate_set = #box,
      memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64xf16>
  %from = ktdp.construct_access_tile %x[%c0] {access_tile_set = #box, access_tile_order = #order}
      : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %to = ktdp.construct_access_tile %y[%c0] {access_tile_set = #box, access_tile_order = #order}
      : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %v = ktdp.load %from : !ktdp.access_tile<64xindex> -> tensor<64xf16>
  ktdp.store %v, %to : tensor<64xf16>, !ktdp.access_tile<64xindex>
  return
}
"""

X = np.arange(64, dtype=np.float16)

ROOT = Path(__file__).resolve().parents[3]


def make(_: np.random.Generator) -> Inputs:
    return Inputs({"x_ptr": X, "y_ptr": np.zeros_like(X)})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "copy.mlir"
    path.write_text(KERNEL)
    return path


def take(file: Path, case: Case, wanted: np.ndarray) -> dict[str, str]:
    """The steps of a case whose reference leaves `wanted` in `y_ptr`."""
    answer = file.with_name("answer.npz")
    left: dict[str, Any] = {"argument:x_ptr": X, "argument:y_ptr": wanted}
    np.savez(answer, **left)
    receive, send = multiprocessing.Pipe(duplex=False)
    steps.take_steps(case, file, answer, 1, send)
    found = {}
    while receive.poll():
        try:
            found = receive.recv()["steps"]
        except EOFError:
            break
    return dict(found)


def test_every_step_of_a_good_example(file: Path) -> None:
    found = take(file, Case("copy.mlir", "copy", make, moves=True), X)
    assert found == dict.fromkeys(steps.STEPS, "")


def test_values_that_differ(file: Path) -> None:
    wanted = X.copy()
    wanted[5] = np.nextafter(wanted[5], np.float16(np.inf))
    moves = take(file, Case("copy.mlir", "copy", make, moves=True), wanted)
    assert "only moves data" in moves["ktir"]
    assert "only moves data" in moves["sdf"]
    assert take(file, Case("copy.mlir", "copy", make), wanted)["ktir"] == ""
    wanted[5] *= 2
    assert "differs from ktir-cpu" in take(file, Case("copy.mlir", "copy", make), wanted)["ktir"]


def test_an_expected_overflow_that_does_not_come(file: Path) -> None:
    found = take(file, Case("copy.mlir", "copy", make, overflows=True), X)
    assert found["ktir"] == "runs, though its tiles exceed the scratchpad"


def test_text_that_does_not_parse_ends_the_steps(file: Path) -> None:
    file.write_text("func.func @copy( {")
    assert list(take(file, Case("copy.mlir", "copy", make), X)) == ["parse"]


def test_differences_are_relative_to_the_value_or_the_mean() -> None:
    reference = np.array([1.0, -1.0, 0.001, np.inf, np.nan])
    found = np.array([1.0, -1.0, 0.002, np.inf, np.nan])
    assert steps.relative_difference(reference, reference) == 0
    assert steps.relative_difference(found, reference) == pytest.approx(0.001 / np.sqrt(2 / 3))
    found[0] = np.nan
    assert steps.relative_difference(found, reference) == np.inf


def test_a_crash_is_a_row(file: Path, tmp_path: Path) -> None:
    """The interpreter is missing in the checkout, and the inputs end our own process."""

    def leave(_: np.random.Generator) -> Inputs:
        if multiprocessing.parent_process() is not None:
            raise SystemExit(3)
        return make(_)

    (tmp_path / "examples").mkdir()
    file.rename(tmp_path / "examples" / "copy.mlir")
    row = examples.check_example(Case("copy.mlir", "copy", leave), tmp_path)
    assert "No module named 'ktir_cpu'" in row.reference_error
    assert row.steps["ktir"] == "the process ended with status 3"
    assert not row.accepted
    report = Report([row])
    assert not report.accepted
    assert "0 of 1 examples pass" in report.markdown()


def test_every_case_is_named_once() -> None:
    files = [case.file for case in CASES]
    assert len(files) == len(set(files)) == 33


DEFINITIONS = """
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
def Ktdp_Dialect : Dialect { let name = "ktdp"; let cppNamespace = "ktdp"; }
class Ktdp_Op<string name> : Op<Ktdp_Dialect, name, []>;
def Load : Ktdp_Op<"load"> {
  let arguments = (ins AnyType:$tile);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($value)";
}
def Tile : Ktdp_Op<"construct_access_tile"> {
  let arguments = (ins AnyType:$view, Variadic<Index>:$base, UnitAttr:$base_map);
  let results = (outs AnyType:$tile);
  let hasCustomAssemblyFormat = 1;
}
def Space : AttrDef<Ktdp_Dialect, "Space"> { let mnemonic = "memory_space"; }
"""


def test_grammar(tmp_path: Path) -> None:
    root = tmp_path / grammar.ROOTS[1]
    root.parent.mkdir(parents=True)
    root.write_text(DEFINITIONS)
    found = grammar.read_grammar(tmp_path)
    assert found.ops["ktdp.load"].words == (":", "->")
    assert found.ops["ktdp.construct_access_tile"].operands == (1, True)
    refusals = found.refusals(parse_module(KERNEL, "the test", new_context()))
    assert "ktdp.store: no public op" in refusals
    assert "ktdp.construct_access_tile: attribute access_tile_set is not public" in refusals
    assert "access_tile is no public type or attribute" in refusals
    assert not any("ktdp.load" in refusal for refusal in refusals)
    assert not any("memory_space" in refusal for refusal in refusals)
    with pytest.raises(FileNotFoundError, match="defines no ktdp"):
        grammar.read_grammar(tmp_path / "include")


def test_ops_that_are_only_specified_are_no_excuse_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the shipped kernels, with definitions that have `ktdp.load` only: none is accepted, and
    what is missing is a reason for those alone that need nothing else."""
    root = tmp_path / grammar.ROOTS[1]
    root.parent.mkdir(parents=True)
    root.write_text(DEFINITIONS)
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    gelu = "func.func @f(%x: f16) { %y = spyreop.gelu %x : f16 return }"
    (kernels / "a.mlir").write_text(gelu)
    (kernels / "b.mlir").write_text(gelu + KERNEL)
    monkeypatch.setattr(emitted, "KERNELS", kernels)
    monkeypatch.setattr(emitted, "small_model", lambda: "")
    _, alone, both = emitted.check_emitted(tmp_path, None)
    assert alone.reason == "specified, but not defined in this state: spyreop.gelu"
    assert not alone.passed
    assert not both.accepted
    assert "ktdp.store: no public op" in both.refusals
    page = Report(lit=[frontend.LitRow("a", "", "")], emitted=[alone], state="Of today.").markdown()
    assert "Run by our `ktir-opt`. Of today.\n" in page


def test_lit_tests_of_a_checkout(tmp_path: Path) -> None:
    folder = tmp_path / "test" / "Ktdp"
    folder.mkdir(parents=True)
    run = '// RUN: ktir-opt "%s" | FileCheck "%s"'
    text = run + "\n// CHECK: func.func @{}\nfunc.func @f() {{ return }}"
    (folder / "good.mlir").write_text(text.format("f"))
    (folder / "bad.mlir").write_text(text.format("g"))
    (tmp_path / "test" / "lit.cfg.py").write_text("raise RuntimeError('not ours')")
    rows = {row.name: row for row in frontend.run_lit_tests(tmp_path)}
    assert rows["Ktdp/good.mlir"].accepted
    assert not rows["Ktdp/bad.mlir"].accepted
    assert str(tmp_path) not in rows["Ktdp/bad.mlir"].failure


@pytest.mark.parametrize("level", ["ktir", "sdf"])
def test_the_large_kernel_of_the_benchmark(level: str) -> None:
    """Small here: that it runs and checks its values."""
    command = [sys.executable, "-m", "bench.large_kernel", level, "4096"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
