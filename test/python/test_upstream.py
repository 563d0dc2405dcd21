"""Every upstream op that MLIR registers runs in kernels with the right values, or is refused by
name: the table of `test/upstream`, at both levels."""

from __future__ import annotations

import re

import pytest

from ktir.errors import KtirError
from test.upstream.case import LEVELS
from test.upstream.refusals import REASONS, UNKNOWN, run_unknown
from test.upstream.table import RUNS, cases, missing, stale, status


def test_no_registered_op_is_missing() -> None:
    assert missing() == []
    assert stale() == []


def test_every_refused_op_has_a_reason() -> None:
    refused = {op for op in cases() if any(status(op, level) != RUNS for level in LEVELS)}
    assert refused == set(REASONS)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("op", cases())
def test_an_op_runs_or_is_refused(op: str, level: str) -> None:
    for case in cases()[op]:
        if level not in case.refused:
            case.check(level)
            continue
        with pytest.raises(KtirError) as error:
            case.run(level)
        assert re.search(case.refused[level], str(error.value))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("op", UNKNOWN)
def test_an_unknown_op_is_refused_by_name(op: str, level: str) -> None:
    with pytest.raises(KtirError, match=re.escape(op)) as error:
        run_unknown(op, level)
    assert "kernel.mlir:7:3" in str(error.value)
