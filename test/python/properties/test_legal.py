"""Random legal kernels: the machine at each level against the oracle."""

from __future__ import annotations

import pytest

from .table import PROPERTIES


@pytest.mark.parametrize("name", PROPERTIES)
def test_levels_agree_with_the_oracle(name: str, fuzz: tuple[int | None, int | None]) -> None:
    PROPERTIES[name].run(*fuzz)
