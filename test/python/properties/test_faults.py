"""Kernels with one fault: always refused with an error of the package, at every level."""

from __future__ import annotations

import pytest

from .faults import IN_A_RUN, IN_FULL, IN_TEXT, Plant
from .table import faulty


@pytest.mark.parametrize("plant", [*IN_TEXT, *IN_A_RUN, *IN_FULL], ids=lambda plant: plant.__name__)
def test_a_fault_is_refused(plant: Plant, fuzz: tuple[int | None, int | None]) -> None:
    cases, seed = fuzz
    faulty(plant).run(cases and cases // 10, seed)
