"""What `import ktir` does: almost nothing, and a clear refusal where the package is not built."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ktir

SOURCES = Path(ktir.__file__).parent


def python(code: str, *flags: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *flags, "-c", code], capture_output=True, text=True, check=False, cwd=cwd
    )


def test_every_public_name_is_there() -> None:
    for name in ktir.__all__:
        assert getattr(ktir, name) is not None
    assert set(ktir.__all__) <= set(dir(ktir))
    assert ktir.__version__


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="compile_modul"):
        _ = ktir.compile_modul


@pytest.mark.parametrize("heavy", ["torch", "torch_mlir", "numpy", "typer", "rich"])
def test_import_loads_nothing_heavy(heavy: str) -> None:
    result = python(f"import ktir, sys; sys.exit({heavy!r} in sys.modules)")
    assert result.returncode == 0, result.stderr


def test_errors_and_options_load_no_torch() -> None:
    result = python("import ktir, sys; ktir.CompileOptions(); sys.exit('torch' in sys.modules)")
    assert result.returncode == 0, result.stderr


def test_unbuilt_tree_says_what_to_do(tmp_path: Path) -> None:
    """A checkout without the compiled part, imported by a Python that has no ktir installed."""
    shutil.copytree(
        SOURCES, tmp_path / "ktir", ignore=shutil.ignore_patterns("mlir", "__pycache__")
    )
    result = python("import ktir", "-S", cwd=tmp_path)
    assert result.returncode == 1
    message = result.stderr.strip().splitlines()[-1]
    assert message.startswith("ImportError: ")
    assert str(tmp_path / "ktir") in message
    assert "make setup" in message
    assert "pip install" in message
