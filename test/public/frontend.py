"""The lit tests of ktir-mlir-frontend with our `ktir-opt`.

Owns a configuration of lit for them, since theirs asks for a build of LLVM; the tests themselves
are copied to a temporary folder and run by their RUN lines as they are.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent

CONFIGURATION = """
import lit.formats
config.name = "ktir-mlir-frontend"
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir"]
config.environment["PATH"] = {path!r}
config.substitutions.append((r"\\bFileCheck\\b", "filecheck"))
"""

SHOWN = 300
"""Characters of a failure that are kept."""

REASONS: Mapping[str, str] = {}
"""Why a test is not expected to pass, by its name under `test/`."""


@dataclasses.dataclass(frozen=True)
class LitRow:
    """One test: `failure` is empty if it passed."""

    name: str
    failure: str
    reason: str

    @property
    def passed(self) -> bool:
        """Whether the test passed."""
        return not self.failure

    @property
    def accepted(self) -> bool:
        """Whether it passed, or need not for a written reason."""
        return self.passed or bool(self.reason)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return dataclasses.asdict(self) | {"passed": self.passed}


def run_lit_tests(checkout: Path) -> Iterator[LitRow]:
    """Runs every test under `test/` of the checkout; by name."""
    with tempfile.TemporaryDirectory() as folder:
        tests = Path(folder) / "test"
        shutil.copytree(checkout / "test", tests, ignore=_all_but_tests)
        path = os.pathsep.join([str(BIN), os.environ.get("PATH", "")])
        (tests / "lit.cfg.py").write_text(CONFIGURATION.format(path=path))
        results = Path(folder) / "results.json"
        command = [str(BIN / "lit"), "--quiet", "-j2", "-o", str(results), str(tests)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if not results.exists():
            raise RuntimeError(f"lit did not run: {done.stderr.strip()}")
        for test in sorted(json.loads(results.read_text())["tests"], key=lambda t: str(t["name"])):
            name = test["name"].partition(" :: ")[2]
            failure = "" if test["code"] == "PASS" else _summary(test["output"])
            yield LitRow(name, failure, REASONS.get(name, ""))


def _all_but_tests(folder: str, names: list[str]) -> list[str]:
    keep = {name for name in names if name.endswith(".mlir") or (Path(folder) / name).is_dir()}
    return [name for name in names if name not in keep or name == "python"]


def _summary(output: str) -> str:
    """The first error in what a test printed, without the temporary folder."""
    lines = [line.strip() for line in output.splitlines()]
    error = next((line for line in lines if re.search(r"\berror\b", line, re.I)), None)
    text = error or next((line for line in reversed(lines) if line), "no output")
    return re.sub(r"/\S*/test/", "", text)[:SHOWN]
