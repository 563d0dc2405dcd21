"""The properties: what is drawn, what must hold, and how often it is tried.

Read by the tests and by `make fuzz`. A case takes 20 to 60 ms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy, one_of

from .check import Checker
from .faults import Plant, planted
from .kernels import branching, messaging, moving, straight


@dataclass(frozen=True)
class Property:
    """`holds` must accept every example of `strategy`; `cases` of them are tried by default."""

    strategy: SearchStrategy[Any]
    holds: Callable[[Checker], Callable[[Any], None]]
    cases: int

    def run(self, cases: int | None = None, number: int | None = None) -> None:
        """Tries the default cases, always the same, or so many that follow from a seed.

        Raises AssertionError with the smallest failing example.
        """
        check = self.holds(Checker())
        decorated = given(self.strategy)(check)
        if number is not None:
            decorated = seed(number)(decorated)
        tried = settings(
            max_examples=cases or self.cases,
            derandomize=number is None,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=False,
            phases=[Phase.generate, Phase.shrink],
        )(decorated)
        try:
            tried()
        except AssertionError as error:
            if number is not None:
                error.add_note(f"repeat with --cases {cases} --fuzz-seed {number}")
            raise


def _agrees(checker: Checker) -> Callable[[Any], None]:
    """Every level leaves what the oracle leaves."""

    def test(kernel: Any) -> None:
        checker.check(kernel)

    return test


def _agrees_when_watched(checker: Checker) -> Callable[[Any], None]:
    """The full check finds nothing, and changes nothing."""

    def test(kernel: Any) -> None:
        checker.check(kernel, check="full")

    return test


PROPERTIES = {
    "moving": Property(moving(), _agrees, 500),
    "straight": Property(straight(), _agrees, 500),
    "branching": Property(branching(), _agrees, 500),
    "messaging": Property(messaging(), _agrees, 400),
    "watched": Property(one_of(messaging(), branching()), _agrees_when_watched, 100),
}
"""By name. `moving`: tiles of all kinds; `straight`: computation; `branching`: control flow too;
`messaging`: cores that exchange tiles; `watched`: with the full check on."""


def _refused(checker: Checker) -> Callable[[Any], None]:
    """Every level refuses the kernel."""

    def test(fault: Any) -> None:
        checker.refuses(fault)

    return test


def faulty(plant: Plant) -> Property:
    """That one kind of fault is refused."""
    return Property(planted(plant), _refused, 12)
