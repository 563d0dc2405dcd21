"""Kernels with one fault: always refused with an error of the package, at every level."""

from __future__ import annotations

import pytest

from .faults import IN_A_RUN, IN_TEXT, Plant
from .forms import MISSING
from .table import faulty

_EXCHANGES = {"future_used_twice", "future_not_used", "overlapping_groups", "deadlock"}


@pytest.mark.parametrize("plant", [*IN_TEXT, *IN_A_RUN], ids=lambda plant: plant.__name__)
def test_a_fault_is_refused(plant: Plant, fuzz: tuple[int | None, int | None]) -> None:
    if "inter-tile" in MISSING and plant.__name__ in _EXCHANGES:
        pytest.skip("exchanges between cores are not generated yet")
    cases, seed = fuzz
    faulty(plant).run(cases and cases // 10, seed)
