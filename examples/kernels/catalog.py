"""Which kernels there are: names, files, header comments, oracles.

A kernel is a pair NAME.mlir and NAME.py in this folder; nothing else lists them.
"""

from __future__ import annotations

import dataclasses
import importlib
from pathlib import Path

from examples.kernels.contract import Oracle

FOLDER = Path(__file__).parent


@dataclasses.dataclass(frozen=True)
class Example:
    """One kernel: its name is that of its files and of its function."""

    name: str

    @property
    def path(self) -> Path:
        """The file of the kernel."""
        return FOLDER / f"{self.name}.mlir"

    @property
    def oracle(self) -> Oracle:
        """What its numbers must be."""
        module = importlib.import_module(f"examples.kernels.{self.name}")
        oracle = module.ORACLE
        assert isinstance(oracle, Oracle), f"{module.__name__}.ORACLE is no Oracle"
        return oracle

    def header(self) -> str:
        """The comment that the file opens with, without its slashes."""
        lines = []
        for line in self.path.read_text().splitlines():
            if not line.startswith("//"):
                break
            lines.append(line.removeprefix("//").removeprefix(" "))
        return "\n".join(lines).strip()


def names() -> list[str]:
    """All kernels, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.mlir"))


def examples() -> list[Example]:
    """All kernels, sorted by name."""
    return [Example(name) for name in names()]
