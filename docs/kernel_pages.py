"""Pages about the kernels in `examples/kernels`: one each, and an index.

Owns their layout. What a page says comes from the kernel's header comment, its signature and its
oracle, so that it cannot disagree with them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from examples.kernels.catalog import Example, examples
from examples.kernels.contract import Oracle
from ktir.machine.arrays import element_type, is_array
from ktir.machine.source_names import argument_names

GENERATED = "<!-- Generated from the kernel by `python -m docs.generate`; don't edit. -->"

_OP = re.compile(r"(?:= |^\s*)(?:%[\w:, #%]+ = )?((?:ktdp|spyreop)\.\w+)", re.MULTILINE)


def pages(folder: Path) -> dict[Path, str]:
    """Every page by its path in `folder`."""
    known = examples()
    made = {folder / f"{example.name}.md": _page(example) for example in known}
    made[folder / "README.md"] = _index(known)
    return made


def _page(example: Example) -> str:
    oracle = example.oracle
    source = f"examples/kernels/{example.name}"
    parts = [
        GENERATED,
        f"# {example.name}",
        as_markdown(example.header()),
        "## Arguments",
        _arguments(example, oracle),
        "## Correctness",
        _correctness(oracle),
        "## Run it",
        f"```\npython -m examples.kernels {example.name}\n```",
        f"Source: [{source}.mlir](../../{source}.mlir), "
        f"what it must compute: [{source}.py](../../{source}.py).",
    ]
    return "\n\n".join(parts) + "\n"


def as_markdown(comment: str) -> str:
    """A header comment as Markdown: lines that are indented by themselves become blocks of text."""
    return "\n\n".join(_paragraph(text) for text in comment.split("\n\n"))


def _paragraph(text: str) -> str:
    """One paragraph. Formulas may stand between its lines."""
    lines, block, made = text.splitlines(), False, []
    listed = re.match(r"(-|\d+\.) ", lines[0]) is not None
    for line in lines:
        is_formula = line.startswith("  ") and not listed
        if is_formula != block:
            made.append("```" if block else "```text")
            block = is_formula
        made.append(line.removeprefix("  ") if is_formula else line)
    return "\n".join([*made, "```"] if block else made)


def _arguments(example: Example, oracle: Oracle) -> str:
    """The arguments in order, with what the first case gives for them."""
    inputs = oracle.inputs(oracle.cases[0], 0)
    results = oracle.expected(inputs)
    names = argument_names(example.path.read_text())[example.name]
    rows = [
        f"| `{name}` | {_kind(inputs[name])} | {'result' if name in results else ''} |"
        for name in names
    ]
    title = f"As in the first case, {_sizes(oracle.cases[0])}:"
    return "\n".join([title, "", "| argument | given | |", "| --- | --- | --- |", *rows])


def _kind(value: Any) -> str:
    if not is_array(value):
        return f"{value:g}" if isinstance(value, float) else str(value)
    return f"{element_type(value)} [{', '.join(map(str, value.shape))}]"


def _sizes(case: Any) -> str:
    return ", ".join(f"{name} {size}" for name, size in case.items())


def _correctness(oracle: Oracle) -> str:
    """What is tested, and how closely."""
    allowed = (
        "Results must be exact."
        if oracle.rtol == oracle.atol == 0
        else f"A result may be off by {oracle.atol:.3g} + {oracle.rtol:.3g} * |expected|; integers "
        "must be exact."
    )
    cases = "\n".join(f"- {_sizes(case)}" for case in oracle.cases)
    return (
        "Tested against numpy in f64 at levels `ktir` and `sdf`, which agree bit for bit, for\n\n"
        f"{cases}\n\n{allowed}"
    )


def _index(known: list[Example]) -> str:
    """The list of kernels, and which of them use which op of the dialect."""
    rows = [
        f"| [{example.name}]({example.name}.md) | {_summary(example)} | {_grid(example)} |"
        for example in known
    ]
    uses: dict[str, list[str]] = {}
    for example in known:
        for op in ops_of(example):
            uses.setdefault(op, []).append(f"[{example.name}]({example.name}.md)")
    common = {op for op, users in uses.items() if len(users) > len(known) // 2}
    ops = [f"| `{op}` | {', '.join(uses[op])} |" for op in sorted(uses) if op not in common]
    everywhere = ", ".join(f"`{op}`" for op in sorted(common))
    return "\n".join(
        [
            GENERATED,
            "",
            "# Kernels written by hand",
            "",
            "Each is a KTIR file with what it must compute beside it, in `examples/kernels`.",
            "`python -m examples.kernels` runs all of them.",
            "",
            "| kernel | what it computes | grid |",
            "| --- | --- | --- |",
            *rows,
            "",
            "## Where an op is used",
            "",
            f"In most of them: {everywhere}.",
            "",
            "| op | kernels |",
            "| --- | --- |",
            *ops,
            "",
        ]
    )


def _summary(example: Example) -> str:
    """The first sentence of the header."""
    return example.header().split("\n\n")[0].replace("\n", " ").removesuffix(".")


def _grid(example: Example) -> str:
    found = re.search(r"grid = \[([\d, ]+)\]", example.path.read_text())
    return found[1].replace(", ", " x ") if found else "1"


def ops_of(example: Example) -> set[str]:
    """The ops of the dialects `ktdp` and `spyreop` that a kernel uses."""
    code = "\n".join(
        line for line in example.path.read_text().splitlines() if not line.lstrip().startswith("//")
    )
    return set(_OP.findall(code))
