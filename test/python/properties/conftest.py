"""Options of `make fuzz`: `--cases` and `--fuzz-seed`, understood when this folder is named."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    parser.addoption("--cases", type=int, default=None, help="cases of every property")
    parser.addoption("--fuzz-seed", type=int, default=None, help="what the cases follow from")


@pytest.fixture
def fuzz(request: pytest.FixtureRequest) -> tuple[int | None, int | None]:
    """The number of cases and the seed, None for the defaults."""
    config = request.config
    return config.getoption("cases", None), config.getoption("fuzz_seed", None)
