"""Every module of the table, compiled and run: against PyTorch, and every level against the next
bit for bit.

Owns values of whole modules at all sizes. That values do not depend on cores, tiles and threads is
in `test_invariance.py`, values at the edge of the formats in `test_special_values.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch
from module_table import FLOAT_DTYPES, LAST_EXTENTS, MODULES, ROW_COUNTS, Entry, Sizes

import ktir

from .support import LEVELS, assert_matches_torch, assert_same_bits


@dataclass(frozen=True)
class Case:
    """One compilation: an entry of the table in a dtype at a size."""

    entry: Entry
    dtype: torch.dtype
    sizes: Sizes

    @property
    def name(self) -> str:
        dtype = str(self.dtype).removeprefix("torch.")
        return f"{self.entry.name}-{dtype}-{self.sizes.rows}x{self.sizes.last}"


def cases() -> list[Case]:
    """Each entry at each last extent, in f16 and f32 by turns.

    The dtype of the first extent alternates from entry to entry, the row counts go round, so that
    each entry meets both dtypes and most row counts.
    """
    return [
        Case(
            entry,
            FLOAT_DTYPES[(number + turn) % 2],
            Sizes(rows=ROW_COUNTS[(number + turn) % len(ROW_COUNTS)], last=last),
        )
        for number, entry in enumerate(MODULES)
        for turn, last in enumerate(LAST_EXTENTS)
    ]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_module(case: Case) -> None:
    """The outputs are PyTorch's within the tolerance, and the same bits at every level."""
    module, args = built = case.entry.build(case.dtype, case.sizes)
    program = ktir.compile_module(module, args)
    outputs = program(*args)
    assert_matches_torch(case.entry, built, outputs, case.sizes)
    for level in LEVELS:
        assert_same_bits(
            program.run_level(level, *args), outputs, f"level {level} against the call"
        )
