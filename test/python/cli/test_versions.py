"""`--version` of both commands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import ktir as package
from ktir.mlir._mlir_libs import _ktir

from .support import ktir


def test_both_state_the_package_and_mlir() -> None:
    driver = Path(sys.executable).with_name("ktir-opt")
    found = subprocess.run([driver, "--version"], capture_output=True, text=True, check=True).stdout
    versions = f"{package.__version__}\nMLIR {_ktir.mlir_version()}\n"
    assert found == f"ktir-opt {versions}"
    assert ktir("--version").stdout == f"ktir {versions}"
    assert _ktir.mlir_version().startswith("22.")
