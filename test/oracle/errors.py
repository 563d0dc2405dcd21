"""What the oracle raises."""

from __future__ import annotations


class OracleError(Exception):
    """Base of all; `place` is the op that it happened in, once known."""

    place = ""

    def at(self, place: str) -> None:
        """Notes the op, unless an inner one is noted already."""
        if not self.place:
            self.place = place
            self.args = (f"{place}: {self}",)


class Fault(OracleError):
    """The kernel does what KTIR forbids."""


class Deadlock(Fault):
    """Cores wait for what nobody will publish."""


class OracleLimit(OracleError):
    """The kernel uses what the oracle does not know; says nothing about the kernel."""
