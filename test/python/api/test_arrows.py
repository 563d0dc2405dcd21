"""Which modules may import which: the arrows of docs/architecture.md, read from the sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ktir
import ktir.passes
import ktir.tools

ROOTS = {
    "ktir": Path(ktir.__file__).parent,
    "ktir.passes": Path(ktir.passes.__file__).parent,
    "ktir.tools": Path(ktir.tools.__file__).parent,
}
SHARED = {
    "buffer_ops",
    "contracts",
    "dialects",
    "errors",
    "grids",
    "inside",
    "intervals",
    "layout",
    "locations",
    "memory_spaces",
    "mlir",
    "plain_control",
    "resources",
    "scratchpad",
    "target",
    "unsigned_loops",
}
"""What knows of no level: free for all to import."""


def sources() -> Iterator[tuple[str, Path]]:
    """Every module of the package by its dotted name; the bindings are upstream's."""
    for package, root in ROOTS.items():
        for path in sorted(root.rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            if package == "ktir" and parts[0] in ("mlir", "passes", "tools"):
                continue
            yield ".".join((package, *(part for part in parts if part != "__init__"))), path


MODULES = dict(sources())


def imported(path: Path) -> Iterator[tuple[str, int]]:
    """The names that a module imports, wherever in it, with the line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            # `from ktir import x` imports the module ktir.x if there is one.
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno


def part_of(name: str) -> str:
    """What `name` belongs to directly below `ktir`: `passes` for ktir.passes.base.option."""
    return name.split(".")[1] if name.startswith("ktir.") else ""


def test_all_parts_are_read() -> None:
    assert {"ktir.api", "ktir.machine.kernel", "ktir.passes.base", "ktir.tools.ktir"} <= set(
        MODULES
    )


@pytest.mark.parametrize("part", ["passes", "machine"])
def test_passes_and_machine_know_only_ir_and_device(part: str) -> None:
    """Neither knows of the other, of the frontend, or of what drives them."""
    wrong = [
        f"{path}:{line}: {name}"
        for module, path in MODULES.items()
        if part_of(module) == part
        for name, line in imported(path)
        if name.split(".")[0] == "ktir" and part_of(name) not in SHARED | {part}
    ]
    assert not wrong


def test_shared_modules_know_only_each_other() -> None:
    wrong = [
        f"{path}:{line}: {name}"
        for module, path in MODULES.items()
        if part_of(module) in SHARED
        for name, line in imported(path)
        if name.split(".")[0] == "ktir" and part_of(name) not in SHARED
    ]
    assert not wrong


def test_the_package_does_not_know_its_commands() -> None:
    wrong = [
        f"{path}:{line}: {name}"
        for module, path in MODULES.items()
        if part_of(module) != "tools"
        for name, line in imported(path)
        if part_of(name) == "tools"
    ]
    assert not wrong


def names_torch_mlir(path: Path) -> bool:
    """Whether code, not prose, names it: an import, or a text that is the name of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    names = [*(name for name, _ in imported(path)), *texts]
    return any(name.split(".")[0] == "torch_mlir" for name in names)


def test_only_the_frontend_names_torch_mlir() -> None:
    named = {module for module, path in MODULES.items() if names_torch_mlir(path)}
    assert named
    assert {part_of(module) for module in named} == {"frontend"}
