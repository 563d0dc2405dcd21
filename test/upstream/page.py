"""The page docs/reference/upstream.md: which upstream ops run, and which are refused and why."""

from __future__ import annotations

from .case import LEVELS
from .refusals import REASONS, UNKNOWN
from .registry import DIALECTS, registered
from .table import RUNS, status

_HEAD = """# Upstream ops in kernels

Generated from the table of `test/upstream`, whose kernels run each op at both levels, on every
element type that it takes, against numbers that are worked out another way. Every op that the
installed MLIR registers in these dialects is in the table; a test fails if one is missing.

| dialect | ops | run at both levels | run at `ktir` only | refused by name |
| --- | --- | --- | --- | --- |
"""


def upstream_page() -> str:
    """The page's text."""
    rows, sections = [], []
    for dialect in DIALECTS:
        ops = registered(dialect)
        by = {op: tuple(status(op, level) == RUNS for level in LEVELS) for op in ops}
        both = [op for op in ops if by[op] == (True, True)]
        some = [op for op in ops if by[op] == (True, False)]
        none = [op for op in ops if by[op] == (False, False)]
        rows.append(f"| `{dialect}` | {len(ops)} | {len(both)} | {len(some)} | {len(none)} |")
        sections.append(_section(dialect, both, some, none))
    return _HEAD + "\n".join(rows) + "\n\n" + "\n".join(sections)


def _section(dialect: str, both: list[str], some: list[str], none: list[str]) -> str:
    lines = [f"## `{dialect}`", ""]
    if both:
        lines += [f"Run at both levels: {_names(both)}.", ""]
    for op in some:
        lines.append(f"- `{op}` runs at `ktir` only: {REASONS[op]}")
    by_reason: dict[str, list[str]] = {}
    for op in none:
        by_reason.setdefault(UNKNOWN.get(op) or REASONS[op], []).append(op)
    lines += [f"- refused: {_names(ops)}: {reason}" for reason, ops in by_reason.items()]
    return "\n".join(lines).rstrip() + "\n"


def _names(ops: list[str]) -> str:
    return ", ".join(f"`{op.partition('.')[2]}`" for op in ops)
