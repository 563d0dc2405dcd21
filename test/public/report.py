"""The table of public files: plain text, Markdown for the documentation, JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from test.public.emitted import EmittedRow
from test.public.examples import REPEATS, Row
from test.public.frontend import LitRow
from test.public.steps import RELATIVE, STEPS

EXAMPLE_TITLES = ("example", *STEPS, "values", "ms", "ktir-cpu ms", "ratio", "note")
LIT_TITLES = ("test", "result", "note")
EMITTED_TITLES = ("kernels", "result", "note")

HEAD = f"""# Public KTIR files on this toolchain

Made by `make public KTIR_CPU=.. KTIR_FRONTEND=..` (`test/public`), which fails if a row fails
without a reason. Every file is used as it is.

## Examples of ktir-cpu

Each example of [ktir-cpu](https://github.com/torch-spyre/ktir-cpu) parses and verifies (`parse`),
is the same after printing and reading custom text, generic text and bytecode (`round-trip`),
lowers to `sdf` (`lower`), and runs at both levels with the values of ktir-cpu's own interpreter:
bit for bit where a kernel only moves data, else within {RELATIVE:g} of each value, or of the root
mean square of its array where that is larger. Files that exceed the scratchpad by their own account
must be refused with that error. `ms` is the best of up to {REPEATS} launches of a kernel, each from
arrays to arrays, at `ktir` with checks of bounds, beside ktir-cpu doing the same in the same run; a
ratio above 1 is in our favour. First launches are slower: `python -m bench kernels` has them too.
"""


@dataclasses.dataclass
class Report:
    """All rows. `state` says which state of the frontend they are about, "" if its folder does."""

    examples: list[Row] = dataclasses.field(default_factory=list)
    lit: list[LitRow] = dataclasses.field(default_factory=list)
    emitted: list[EmittedRow] = dataclasses.field(default_factory=list)
    state: str = ""

    @property
    def rows(self) -> Sequence[Row | LitRow | EmittedRow]:
        """Every row."""
        return [*self.examples, *self.lit, *self.emitted]

    @property
    def accepted(self) -> bool:
        """Whether every row passed or has a written reason."""
        return all(row.accepted for row in self.rows)

    def summary(self) -> str:
        """One line that counts."""
        parts = []
        for what, rows in self._parts().items():
            if rows:
                parts.append(f"{sum(row.passed for row in rows)} of {len(rows)} {what} pass")
        return "; ".join(parts)

    def _parts(self) -> dict[str, Sequence[Row | LitRow | EmittedRow]]:
        return {
            "examples": self.examples,
            "lit tests": self.lit,
            "modules of emitted and shipped kernels": self.emitted,
        }

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "examples": [row.as_dict() for row in self.examples],
            "lit": [row.as_dict() for row in self.lit],
            "emitted": [row.as_dict() for row in self.emitted],
            "accepted": self.accepted,
        }

    def markdown(self) -> str:
        """The page of the documentation."""
        sections = [HEAD, _markdown(EXAMPLE_TITLES, [example_cells(row) for row in self.examples])]
        if self.lit:
            title = "## Lit tests of ktir-mlir-frontend\n\nRun by our `ktir-opt`."
            title = f"{title} {self.state}".rstrip() + "\n"
            sections += [title, _markdown(LIT_TITLES, [lit_cells(row) for row in self.lit])]
        if self.emitted:
            title = (
                "## Kernels that we make\n\nModules of kernels that this project emits or ships, "
                "against the definitions (`.td`) of ktir-mlir-frontend.\n"
            )
            cells = [emitted_cells(row) for row in self.emitted]
            sections += [title, _markdown(EMITTED_TITLES, cells)]
        return "\n".join([*sections, f"{self.summary()}.", ""])


def example_cells(row: Row) -> tuple[str, ...]:
    """One line of the first table."""
    steps = [_mark(row.steps.get(step)) for step in STEPS]
    times = [_milliseconds(row.seconds), _milliseconds(row.reference)]
    ratio = (
        "" if row.ratio is None else f"{row.ratio:.2g}" if row.ratio < 10 else f"{row.ratio:.0f}"
    )
    return (row.name, *steps, row.note, *times, ratio, _note(row.failure, row.reason))


def lit_cells(row: LitRow) -> tuple[str, ...]:
    """One line of the second table."""
    return (row.name, "pass" if row.passed else "fail", _note(row.failure, row.reason))


def emitted_cells(row: EmittedRow) -> tuple[str, ...]:
    """One line of the third table."""
    note = row.reason if row.reason else "; ".join(row.refusals)
    return (row.name, "accepted" if row.passed else "refused", note)


def _mark(failure: str | None) -> str:
    return "-" if failure is None else "no" if failure else "yes"


def _milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    value = seconds * 1000
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _note(failure: str, reason: str) -> str:
    return reason if reason and failure else " ".join(failure.split())[:200]


def _markdown(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return (
        "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in lines)
        + "\n"
    )
