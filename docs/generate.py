"""Generates the reference pages from the sources: `python -m docs.generate`, with `--check` to
only compare.

The pages of the dialects come from their TableGen files and builders, the page and the manifest of
the passes from their docstrings and options, the page of upstream ops from the table that tests
run.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import inspect
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

from docs import kernel_pages
from ktir.passes.base import ModulePass, describe
from test.upstream.page import upstream_page

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "reference"
KERNELS = ROOT / "docs" / "kernels"
DIALECTS = {"ktdp": "Ktdp", "plan": "Plan", "sdf": "Sdf", "spyreop": "SpyreOp"}
"""Each dialect with the prefix of its TableGen files."""


def wheel(package: str) -> Path:
    """The folder of a wheel with MLIR's tools and headers."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        raise SystemExit(f"the package `{package}` is not installed; run `make docs`")
    return Path(next(iter(spec.submodule_search_locations)))


def dialect_page(name: str) -> str:
    """The reference page of a dialect, from its TableGen files."""
    mlir = wheel("mlir")
    source = ROOT / "dialects" / name / f"{DIALECTS[name]}Ops.td"
    command: list[str | Path] = [
        mlir / "bin" / "mlir-tblgen",
        "-gen-dialect-doc",
        f"-dialect={name}",
        f"-I{mlir / 'include'}",
        f"-I{ROOT / 'dialects'}",
        source,
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    lines = (line.rstrip() for line in done.stdout.splitlines())
    return "\n".join(lines).strip() + "\n"


def builders_section() -> str:
    """The builders of `ktdp` from Python, with their signatures."""
    from ktir.mlir.dialects import ktdp_builders

    parts = [f"## Builders from Python\n\n{inspect.getdoc(ktdp_builders)}\n"]
    for name, function in inspect.getmembers(ktdp_builders, inspect.isfunction):
        if not name.startswith("_"):
            arguments = ", ".join(
                str(parameter.replace(annotation=inspect.Parameter.empty))
                for parameter in inspect.signature(function).parameters.values()
            )
            parts.append(f"### `ktdp.{name}({arguments})`\n\n{inspect.getdoc(function)}\n")
    return "\n".join(parts)


def all_passes() -> list[type[ModulePass]]:
    """Every pass, by name. A pass of this project lives below `ktir.passes`."""
    import ktir.passes

    for module in pkgutil.walk_packages(ktir.passes.__path__, "ktir.passes."):
        importlib.import_module(module.name)
    return sorted(ModulePass.__subclasses__(), key=lambda cls: cls.NAME)


def manifest() -> str:
    """What `ktir.passes.registry` registers passes from."""
    return json.dumps([describe(cls) for cls in all_passes()], indent=1) + "\n"


def passes_page() -> str:
    """The reference page of the passes, in the order of their names."""
    classes = all_passes()
    parts = [
        "# Passes\n\nGenerated from the passes' sources. "
        '`ktir-opt --NAME="option=value"` runs one; `ktir/pipeline.py` states their order.\n'
    ]
    for cls in classes:
        parts.append(f"## `{cls.NAME}`\n\n{inspect.getdoc(cls)}\n")
        options = dataclasses.fields(cls)
        if options:
            parts.append("| option | default | meaning |\n| --- | --- | --- |")
            parts.extend(
                f"| `{field.name.replace('_', '-')}` | `{field.default}` "
                f"| {field.metadata['description']} |"
                for field in options
            )
            parts.append("")
    return "\n".join(parts)


def pages() -> dict[Path, str]:
    """Every generated page by its path."""
    made = {OUT / f"{name}.md": dialect_page(name) for name in DIALECTS}
    made[OUT / "ktdp.md"] += "\n" + builders_section()
    made[OUT / "passes.md"] = passes_page()
    made[OUT / "upstream.md"] = upstream_page()
    made[ROOT / "passes" / "manifest.json"] = manifest()
    return made | kernel_pages.pages(KERNELS)


def main(arguments: list[str]) -> int:
    """Writes the pages, or with `--check` says which are stale."""
    check = arguments == ["--check"]
    stale = [
        (path, text)
        for path, text in pages().items()
        if not path.exists() or path.read_text() != text
    ]
    for path, text in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is stale: run `make docs`", file=sys.stderr)  # noqa: T201
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
