"""What goes wrong for a user is one clear error that says where, what and what to do; no traceback,
a fixed exit status.

Owns errors of the API at its edge, one case of each kind through a command as well; the commands'
own usage errors are tested beside the commands.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from torch import Tensor, nn

import ktir

from .broken_models import DependsOnData, Determinant
from .support import command, python


class Scale(nn.Module):
    def forward(self, x: Tensor, factor: Tensor) -> Tensor:
        return x * factor


@pytest.fixture(scope="module")
def program() -> ktir.Compiled:
    return ktir.compile_module(Scale(), (torch.ones(4, 65), torch.ones(65)))


X = torch.ones(4, 65)
F = torch.ones(65)

CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any], str]] = {
    "other shape": ((torch.ones(5, 65), F), {}, r"x\b.*5, ?65.*4, ?65"),
    "other rank": ((torch.ones(65), F), {}, r"x\b.*65.*4, ?65"),
    "shape that broadcasts": ((torch.ones(1, 65), F), {}, r"x\b.*1, ?65.*4, ?65"),
    "other dtype": ((X.half(), F), {}, r"x\b.*float16.*float32"),
    "integers for floats": ((X.long(), F), {}, r"x\b.*int64.*float32"),
    "too few": ((X,), {}, r"factor"),
    "too many": ((X, F, F), {}, r"3|third|unexpected|2"),
    "unknown name": ((X,), {"scale": F}, r"scale|factor"),
    "given twice": ((X, F), {"x": X}, r"x\b"),
    "no tensor": ((X, 2.0), {}, r"factor.*float"),
    "None": ((None, F), {}, r"x\b"),
    "a list of numbers": (([1.0, 2.0], F), {}, r"x\b"),
}


@pytest.mark.parametrize("name", CALLS)
def test_inputs_that_do_not_fit(program: ktir.Compiled, name: str) -> None:
    """The message names the input, what was given and what was expected; nothing is converted or
    broadcast silently.
    """
    args, kwargs, pattern = CALLS[name]
    with pytest.raises(ktir.InputError, match=f"(?is){pattern}"):
        program(*args, **kwargs)
    with pytest.raises(ktir.InputError, match=f"(?is){pattern}"):
        program.profile(*args, **kwargs)


def test_index_outside_the_table() -> None:
    """An index that no row of an embedding has is a fault that names it, as in PyTorch, not a row
    of zeros.
    """
    module = nn.Embedding(37, 65)
    ids = torch.tensor([[3, 36, 0]])
    program = ktir.compile_module(module, (ids,))
    assert torch.equal(program(ids), module(ids).detach())
    for wrong in (37, -1, 2**31):
        with pytest.raises(ktir.MachineError, match=str(wrong)):
            program(torch.tensor([[3, wrong, 0]]))


def test_not_exportable() -> None:
    """A module that torch cannot export: the error names the module and gives torch's reason."""
    with pytest.raises(
        ktir.ImportFailure, match=r"(?is)DependsOnData.*data-dependent|DependsOnData.*branch"
    ):
        ktir.compile_module(DependsOnData(), (torch.ones(4),))


def test_unsupported_op() -> None:
    """An op that no level can express: the error names it and the model's line."""
    with pytest.raises(ktir.UnsupportedError, match=r"(?is)slogdet") as caught:
        ktir.compile_module(Determinant(), (torch.eye(4),))
    assert re.search(r"broken_models\.py[^\d]*\d+", str(caught.value)), str(caught.value)


BAD_COMPILATIONS: dict[str, tuple[Callable[[], object], str]] = {
    "no module": (
        lambda: ktir.compile_module(torch.relu, (X,)),  # type: ignore[arg-type]
        r"module",
    ),
    "wrong example": (lambda: ktir.compile_module(nn.Linear(3, 3), (X,)), r"Linear|65"),
    "unknown level": (
        lambda: ktir.compile_module(nn.ReLU(), (X,), stop_after="llvm"),
        r"llvm.*linalg",
    ),
    "unknown target": (lambda: ktir.compile_module(nn.ReLU(), (X,), target="gpu"), r"gpu.*spyre"),
    "too many cores": (lambda: ktir.CompileOptions(cores=33), r"cores.*33"),
    "no core": (lambda: ktir.CompileOptions(cores=0), r"cores.*0"),
    "unknown check": (lambda: ktir.CompileOptions(check="most"), r"check.*most.*bounds"),
    "unknown numerics": (lambda: ktir.CompileOptions(numerics="dl8"), r"numerics.*dl8.*ieee"),
    "unknown kind of shapes": (
        lambda: ktir.compile_module(nn.ReLU(), (X,), dynamic_shapes={"input": {0: 3}}),  # type: ignore[arg-type]
        r"dynamic_shapes|shape",
    ),
}


@pytest.mark.parametrize("name", BAD_COMPILATIONS)
def test_bad_compilation(name: str) -> None:
    """Arguments that do not fit are refused by name, with what is allowed."""
    call, pattern = BAD_COMPILATIONS[name]
    with pytest.raises(ktir.KtirError, match=f"(?is){pattern}"):
        call()


MALFORMED = {
    "not MLIR": ("this is no MLIR", "ktir", r"1:1|line 1"),
    "unclosed": ("module {\n  func.func @main(%a: tensor<4xf32>) {\n", "linalg", r":3|line 3|:2"),
    "unknown op": ('module {\n  "torch.relu"() : () -> ()\n}', "linalg", r":2|line 2"),
    "wrong types": (
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf16> {\n  return %a : tensor<4xf32>\n}",
        "linalg",
        r":2|line 2",
    ),
    "dynamic": (
        "func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {\n  return %a : tensor<?xf32>\n}",
        "linalg",
        r"\?|static|dynamic",
    ),
    "no main": ("module {\n}", "linalg", r"main"),
    "not that level": (
        "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}",
        "sdf",
        r"sdf",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_ir(name: str, tmp_path: Path) -> None:
    """Text that does not parse or breaks its level's contract: the error says where."""
    text, level, pattern = MALFORMED[name]
    path = tmp_path / f"bad.{level}.mlir"
    path.write_text(text)
    with pytest.raises(ktir.KtirError, match=f"(?s){pattern}") as caught:
        ktir.compile_ir(path)
    assert isinstance(caught.value, ktir.VerifyError | ktir.UnsupportedError | ktir.InputError)
    with pytest.raises(ktir.KtirError, match=f"(?s){pattern}"):
        ktir.compile_ir(text, level=level)


def test_missing_files(tmp_path: Path) -> None:
    """A missing file is named, by every function that opens one."""
    calls: list[Callable[[], object]] = [
        lambda: ktir.load(tmp_path / "gone.ktirpkg"),
        lambda: ktir.compile_ir(tmp_path / "gone.plan.mlir"),
        lambda: ktir.run_kernel(tmp_path / "gone.mlir", x=numpy.zeros(3)),
        lambda: ktir.CompileOptions(target_file=tmp_path / "gone.json").target(),
    ]
    for call in calls:
        with pytest.raises(ktir.InputError, match="gone"):
            call()


def test_not_a_package(tmp_path: Path) -> None:
    """Some other file, an empty one, and a folder are no packages."""
    (tmp_path / "other.ktirpkg").write_bytes(b"PK\x03\x04 something else")
    (tmp_path / "empty.ktirpkg").write_bytes(b"")
    (tmp_path / "folder.ktirpkg").mkdir()
    for name in ("other", "empty", "folder"):
        with pytest.raises(ktir.InputError, match=name):
            ktir.load(tmp_path / f"{name}.ktirpkg")


def test_nowhere_to_save(program: ktir.Compiled, tmp_path: Path) -> None:
    """A full disk, a missing folder and a folder in the way are errors that name the path; nothing
    is left behind.
    """
    with pytest.raises(ktir.InputError, match=r"(?is)/dev/full.*space"):
        program.save("/dev/full")
    with pytest.raises(ktir.InputError, match=r"nowhere"):
        program.save(tmp_path / "nowhere" / "m.ktirpkg")
    (tmp_path / "taken.ktirpkg").mkdir()
    with pytest.raises(ktir.InputError, match=r"taken"):
        program.save(tmp_path / "taken.ktirpkg")
    assert [path.name for path in tmp_path.iterdir()] == ["taken.ktirpkg"]


FULL = """
import resource, sys, torch, ktir
program = ktir.compile_module(torch.nn.Linear(256, 256), (torch.ones(2, 256),))
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
try:
    program.save(sys.argv[1])
except ktir.InputError as error:
    print(error)
"""


def test_a_write_that_fails_midway_keeps_the_old_file(tmp_path: Path) -> None:
    """A file system that takes no more: the old file stays whole, nothing new is left."""
    path = tmp_path / "kept.ktirpkg"
    path.write_bytes(b"old")
    result = python(FULL, path)
    assert result.returncode == 0, result.stderr
    assert "kept.ktirpkg" in result.stdout
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["kept.ktirpkg"]


def test_an_uncaught_error_is_one_class() -> None:
    """Every error on purpose is a KtirError, so that one `except` is enough."""
    for name in ktir.__all__:
        value = getattr(ktir, name)
        if isinstance(value, type) and issubclass(value, Exception):
            assert issubclass(value, ktir.KtirError)


HERE = "test.python.end_to_end.broken_models"


def fails(*args: str | Path, status: set[int], says: str) -> None:
    """A command that fails: its exit status, one message on stderr, nothing of Python's in it."""
    result = command("ktir", *args)
    assert result.returncode in status, (result.returncode, result.stdout, result.stderr)
    assert re.search(says, result.stderr, re.DOTALL | re.IGNORECASE), result.stderr
    assert "Traceback" not in result.stderr + result.stdout
    assert "PLEASE submit a bug report" not in result.stderr


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The factories as a module that the command finds in its working folder."""
    source = Path(__file__).with_name("broken_models.py")
    (tmp_path / "models_for_test.py").write_text(source.read_text())
    monkeypatch.chdir(tmp_path)
    return "models_for_test"


def test_command_compiles_and_fails_on_a_full_disk(models: str) -> None:
    """The same model compiles to a file, and fails on a full disk with status 2."""
    result = command("ktir", "compile", f"{models}:fine", "-o", "fine.ktirpkg")
    assert result.returncode == 0, result.stderr
    assert Path("fine.ktirpkg").exists()
    fails(
        "compile",
        f"{models}:fine",
        "-o",
        "/dev/full",
        status={1, 2},
        says=r"/dev/full.*(space|ktirpkg)",
    )


@pytest.mark.parametrize(
    ("factory", "status", "says"),
    [
        ("depends_on_data", {1, 2}, "DependsOnData"),
        ("unsupported", {1, 2}, "slogdet"),
        ("raises", {1, 2}, "the weights are not here"),
        ("absent", {2}, "absent"),
    ],
)
def test_command_on_models_that_do_not_compile(
    models: str, factory: str, status: set[int], says: str
) -> None:
    """A model that cannot be exported, is not supported, or cannot be made: one message, no
    traceback.
    """
    fails("compile", f"{models}:{factory}", "-o", "m.ktirpkg", status=status, says=says)
    assert not Path("m.ktirpkg").exists()


def test_command_on_bad_files(program: ktir.Compiled, tmp_path: Path) -> None:
    """Malformed IR, a missing file, inputs of another shape, dtype or number: status 2."""
    bad = tmp_path / "bad.mlir"
    bad.write_text("module {\n  func.func @k( {\n}\n")
    fails("run", bad, status={2}, says=r"bad\.mlir.*2")
    fails("run", tmp_path / "gone.ktirpkg", status={2}, says=r"gone\.ktirpkg")
    package = tmp_path / "scale.ktirpkg"
    program.save(package)
    files = {"good": X, "other": torch.ones(5, 65), "half": X.half(), "factor": F}
    for name, value in files.items():
        numpy.save(tmp_path / f"{name}.npy", value.numpy())
    factor = ["--in", f"factor={tmp_path / 'factor.npy'}"]
    for name, says in {"other": r"x\b.*5, ?65", "half": r"x\b.*float16"}.items():
        fails(
            "run", package, "--in", f"x={tmp_path / f'{name}.npy'}", *factor, status={2}, says=says
        )
    fails("run", package, "--in", f"x={tmp_path / 'good.npy'}", status={2}, says="factor")
    good = ["--in", f"x={tmp_path / 'good.npy'}", *factor]
    fails("run", package, *good, "--in", f"y={tmp_path / 'good.npy'}", status={2}, says=r"\by\b")
    result = command("ktir", "run", package, *good)
    assert result.returncode == 0, result.stderr


OUT_OF_BOUNDS = """
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %c40 = arith.constant 40 : index
    %a = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
      coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>,
      memory_space = #ktdp.spyre_memory_space<HBM>
    } : memref<64xf16>
    %t = ktdp.construct_access_tile %a[%c40] {
      access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>,
      access_tile_order = affine_map<(d0) -> (d0)>
    } : memref<64xf16> -> !ktdp.access_tile<64xindex>
    %v = ktdp.load %t : !ktdp.access_tile<64xindex> -> tensor<64xf16>
    return
  }
}
"""


def test_program_fault(tmp_path: Path) -> None:
    """A kernel that reads outside its view faults when it runs: BoundsError here, status 1 from the
    command.
    """
    path = tmp_path / "outside.mlir"
    path.write_text(OUT_OF_BOUNDS)
    x = numpy.zeros(64, dtype=numpy.float16)
    with pytest.raises(ktir.MachineError, match=r"(?s)outside\.mlir|:\d+"):
        ktir.run_kernel(path, x=x, y=x.copy())
    numpy.save(tmp_path / "x.npy", x)
    arguments = ["--in", f"x={tmp_path / 'x.npy'}", "--in", f"y={tmp_path / 'x.npy'}"]
    fails("run", path, *arguments, status={1}, says=r"k\b|bounds|outside")
