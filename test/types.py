"""Type checks the package as users import it, with `ktir.passes` and `ktir.tools` in their places,
and what uses it: commands of the project, examples and tests.

A type checker does not see the mapping of an editable install, so the tree is laid out with links
in `build/types`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAGE = ROOT / "build" / "types"
USERS = ("bench", "docs", "examples")
PACKAGES = ("oracle", "producers", "public", "upstream")
"""Packages below `test` that are imported under that name."""


def lay_out() -> list[Path]:
    """Fills the stage; returns the folders from which modules are imported.

    `ktir` is the whole package, bindings included. Tests are imported as pytest does it: from the
    folder above their package, or from their own if that is none.
    """
    import ktir.mlir

    shutil.rmtree(STAGE, ignore_errors=True)
    package = STAGE / "ktir"
    package.mkdir(parents=True)
    for entry in (ROOT / "ktir").iterdir():
        if entry.name != "__pycache__":
            (package / entry.name).symlink_to(entry)
    (package / "passes").symlink_to(ROOT / "passes")
    (package / "tools").symlink_to(ROOT / "tools")
    (package / "mlir").symlink_to(Path(next(iter(ktir.mlir.__path__))))
    for name in USERS:
        (STAGE / name).symlink_to(ROOT / name)
    runners = STAGE / "test"
    runners.mkdir()
    packages = (ROOT / "test" / name for name in PACKAGES)
    for entry in (*(ROOT / "test").glob("*.py"), *packages):
        if entry.name != "lit.cfg.py":  # lit runs it, with names of its own
            (runners / entry.name).symlink_to(entry)
    tests = STAGE / "tests"
    tests.symlink_to(ROOT / "test" / "python")
    folders = (entry for entry in sorted(tests.iterdir()) if any(entry.glob("*.py")))
    return [STAGE, tests, *(entry for entry in folders if not (entry / "__init__.py").exists())]


def main() -> int:
    """Runs mypy in strict mode; returns its exit status."""
    bases = lay_out()
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--explicit-package-bases",
        "--config-file",
        str(ROOT / "pyproject.toml"),
        "--cache-dir",
        str(ROOT / "build" / "mypy"),
        *("ktir", *USERS, "test", "tests"),
    ]
    environment = os.environ | {"MYPYPATH": os.pathsep.join(map(str, bases))}
    return subprocess.run(command, cwd=STAGE, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
