"""The tree of errors that this package raises on purpose, and how they suggest a name.

Every message names where (an op, an argument, a file position), what was found, what was expected
and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What to put behind a message about an unknown name: the known one that is most like it."""
    from difflib import get_close_matches

    by_plain = {entry.lower(): entry for entry in known}
    near = get_close_matches(name.lower(), by_plain, n=1)
    return f"; did you mean {by_plain[near[0]]!r}?" if near else ""


class KtirError(Exception):
    """Base of every error raised on purpose. Its text is meant for a person; commands print it
    without a traceback.
    """

    located = False
    """Whether the text begins with the place in the program that the error is about."""

    def locate(self, place: str) -> None:
        """Puts the place in front of the text, unless an inner place is there already."""
        if not self.located:
            self.args = (f"{place}: {self}",)
            self.located = True


class InputError(KtirError):
    """What the caller gave does not fit: a missing file, a wrong shape, dtype, name or number of
    inputs, a bad option.
    """


class ImportFailure(KtirError):
    """A model could not be exported by torch or imported by torch-mlir; names the module and the
    reason given.
    """


class UnsupportedError(KtirError):
    """A legal program uses an op or form that is not supported; names the op, its operand types
    and the source line.
    """


class VerifyError(KtirError):
    """IR does not parse, or breaks a rule of its dialect or of its level."""


class PassError(KtirError):
    """A pass failed; names the pass and carries the diagnostics."""


class MachineError(KtirError):
    """A program did something at run time that the machine forbids."""


class BoundsError(MachineError):
    """A program touched coordinates or addresses outside a view, a buffer or a memory."""


class PlanError(KtirError):
    """No legal decision exists, or a decision edited by hand breaks a constraint; names the
    constraint.
    """
