"""Type checks the package as users import it: `ktir.passes` and `ktir.tools` in their places.

A type checker does not see the mapping of an editable install, so the tree is laid out with links
in `build/types`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAGE = ROOT / "build" / "types"


def lay_out() -> Path:
    """A folder in which `ktir` is the whole package, bindings included."""
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
    return package


def main() -> int:
    """Runs mypy in strict mode; returns its exit status."""
    package = lay_out()
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file",
        str(ROOT / "pyproject.toml"),
        "--cache-dir",
        str(ROOT / "build" / "mypy"),
        str(package),
    ]
    return subprocess.run(command, cwd=STAGE, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
