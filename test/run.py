"""Runs every test of the project: `python -m test.run [lint|lit|pytest]`.

Each part prints its own report; the last line counts parts. The exit status is 0 only if all parts
passed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
PYTHON_TREES = ["ktir", "passes", "tools", "test", "docs", "bench", "examples"]


def run(*command: str | Path) -> bool:
    """Runs a command in the project's root; says whether it succeeded."""
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode == 0


def lint() -> bool:
    """Style and types of the sources, and generated pages that are stale."""
    sources = [
        path
        for pattern in ("*.cpp", "*.h")
        for tree in ("dialects", "python")
        for path in sorted((ROOT / tree).rglob(pattern))
    ]
    return all(
        [
            run(BIN / "ruff", "check", *PYTHON_TREES),
            run(BIN / "ruff", "format", "--check", *PYTHON_TREES),
            run(BIN / "clang-format", "--dry-run", "--Werror", *sources),
            run(sys.executable, "-m", "test.types"),
            run(sys.executable, "-m", "docs.generate", "--check"),
        ]
    )


def lit() -> bool:
    """The IR tests."""
    return run(BIN / "lit", "--quiet", "--order=lexical", "-j2", "test")


def pytest() -> bool:
    """API, machine and end-to-end tests."""
    return run(sys.executable, "-m", "pytest")


def say(text: str) -> None:
    """Prints a line at once, in order with what the parts print."""
    print(text, flush=True)  # noqa: T201


PARTS: dict[str, Callable[[], bool]] = {"lint": lint, "lit": lit, "pytest": pytest}


def main(names: list[str]) -> int:
    """Runs the named parts, all by default."""
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        print(f"unknown part {unknown[0]!r}; there are {', '.join(PARTS)}", file=sys.stderr)  # noqa: T201
        return 2
    failed = 0
    for name in names or PARTS:
        start = time.monotonic()
        passed = PARTS[name]()
        failed += not passed
        took = time.monotonic() - start
        say(f"== {name}: {'passed' if passed else 'FAILED'}, {took:.0f} s")
    total = len(names or PARTS)
    say(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
