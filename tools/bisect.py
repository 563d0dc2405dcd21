"""`ktir run --bisect`: the same inputs at every level, and the first level that differs.

A level differs if an output differs from the level before it, or if it fails. Kernels alone are
run at `ktir` and `sdf`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from ktir.errors import KtirError
from ktir.tables import Fitted, plain
from ktir.tools.compare import Comparison, compare

_TITLES = ("level", "output", "against the level before")

Run = Callable[[str], dict[str, Tensor]]
"""Outputs by name of a run at a level."""


@dataclasses.dataclass(frozen=True)
class Step:
    """One level.

    `comparisons` with the level before; `failure` is the error's text if it failed.
    """

    level: str
    comparisons: tuple[Comparison, ...]
    failure: str = ""

    @property
    def differs(self) -> bool:
        """Whether the level failed or an output differs."""
        return bool(self.failure) or not all(c.equal for c in self.comparisons)


@dataclasses.dataclass(frozen=True)
class Bisection:
    """The levels in order, up to the first that fails; prints as a table and a verdict."""

    steps: tuple[Step, ...]

    @property
    def first(self) -> Step | None:
        """The first level that differs."""
        return next((step for step in self.steps if step.differs), None)

    @property
    def verdict(self) -> str:
        """One sentence that names the first level and output that differ."""
        step = self.first
        if step is None:
            return f"all levels agree: {', '.join(step.level for step in self.steps)}"
        if step.failure:
            return f"first difference: level {step.level} fails: {step.failure}"
        output = next(c for c in step.comparisons if not c.equal)
        return f"first difference: level {step.level}, output {output.name}: {output}"

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        steps = [
            {
                "level": step.level,
                "failure": step.failure or None,
                "comparisons": [c.as_dict() for c in step.comparisons],
            }
            for step in self.steps
        ]
        return {"first": self.first.level if self.first else None, "steps": steps}

    def __str__(self) -> str:
        return f"{plain(_TITLES, self._rows(), (False,) * 3)}\n{self.verdict}"

    def __rich__(self) -> Any:
        return Fitted(_TITLES, self._rows(), (False,) * 3, self.verdict)

    def _rows(self) -> list[tuple[str, str, str]]:
        rows = []
        for step in self.steps:
            if step.failure:
                rows.append((step.level, "", f"fails: {step.failure}"))
            elif not step.comparisons:
                rows.append((step.level, "", "the first"))
            rows.extend((step.level, c.name, str(c)) for c in step.comparisons)
        return rows


def bisect(levels: Sequence[str], run: Run, rtol: float, atol: float) -> Bisection:
    """Runs every level and compares it with the one before it; ends at the first that fails."""
    steps: list[Step] = []
    before: dict[str, Tensor] | None = None
    for level in levels:
        try:
            outputs = run(level)
        except KtirError as error:
            steps.append(Step(level, (), str(error)))
            break
        reference = before or {}
        comparisons = tuple(
            compare(name, outputs[name], expected, rtol, atol)
            for name, expected in reference.items()
        )
        steps.append(Step(level, comparisons))
        before = outputs
    return Bisection(tuple(steps))
