"""Each kind of fault that a checker must catch, at both levels: told with the place, the names and
numbers involved and what would be legal; its nearest legal neighbour runs. Which check it takes is
what docs/checks.md says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from fault_kinds import KINDS, Kind
from kernel_text import run

from ktir.errors import KtirError
from ktir.options import CHECKS

LEVELS = ("ktir", "sdf")
PAGE = Path(__file__).resolve().parents[3] / "docs" / "checks.md"


def fault_of(kind: Kind, level: str, check: str) -> KtirError | None:
    """What tells of the fault; None if it goes unnoticed."""
    arguments = kind.wrong_arguments or kind.arguments
    try:
        run(kind.wrong, args=arguments, level=level, check=check, **kind.options)
    except KtirError as error:
        return error
    return None


def told(kind: Kind, level: str, check: str) -> str | None:
    """The name of the error that tells of the fault, and does it well; None if nothing does."""
    error = fault_of(kind, level, check)
    if error is None:
        return None
    assert re.search(f"(?s){kind.pattern}", str(error)), str(error)
    assert re.search(r"(-|a test):\d+:\d+: |at -:\d+:\d+|argument 'x'", str(error)), str(error)
    return type(error).__name__


def found_by(kind: Kind, level: str) -> str:
    """The least check that looks for the fault, and the error: what the page says."""
    errors = [told(kind, level, check) for check in CHECKS]
    first = next(number for number, error in enumerate(errors) if error is not None)
    assert len(set(errors[first:])) == 1, f"a stronger check tells the same: {errors}"
    check = f"`{CHECKS[first]}`" if first else "always"
    return f"{check}: `{errors[first]}`"


def rows() -> list[Any]:
    """The rows of the page's table: a kind, and what is said of each level."""
    lines = PAGE.read_text().splitlines()
    first = lines.index("| --- | --- | --- |") + 1
    table = lines[first : lines.index("", first)]
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table]


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_a_fault_is_told_as_the_page_says(kind: Kind) -> None:
    expected = (kind.name, *(found_by(kind, level) for level in LEVELS))
    assert [row for row in rows() if row[0] == kind.name] == [expected]
    assert len({found.startswith("`full`") for found in expected[1:]}) == 1


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_its_neighbour_runs(kind: Kind, level: str) -> None:
    for check in CHECKS:
        run(kind.legal, args=kind.arguments, level=level, check=check, **kind.options)


def test_the_page_lists_what_is_tested() -> None:
    assert [row[0] for row in rows()] == [kind.name for kind in KINDS]
