"""What a user may choose about a compilation: `CompileOptions`.

Owns the options' names, defaults and checks. What they do to the passes is stated in
`ktir.pipeline`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ktir.errors import InputError, did_you_mean
from ktir.target import Target, load_target

CHECKS = ("off", "bounds", "full")
"""What the machine looks for: nothing; accesses out of bounds and live tiles over the scratchpad;
those, reads of memory that nobody wrote, results that depend on undefined contents, races,
misaligned addresses and spans over the device's limit. See docs/checks.md."""

NUMERICS = ("ieee",)
"""Arithmetic of the machine: IEEE 754 in the types that the IR states."""


@dataclasses.dataclass(frozen=True)
class CompileOptions:
    """Options of a compilation, checked when they are made; raises InputError naming the option.

    `cores`: cores that a kernel may use; all of the target's by default. `scratchpad`: whether
    tiles fill the scratchpad; False makes them as small as legal, with the same values. `numerics`:
    see `NUMERICS`. `check`: see `CHECKS`. `target_file`: a file of device figures (see
    `ktir.target.load_target`), or such figures already read, in place of Spyre's.
    `reproducer_folder`: where a pass that refuses or fails leaves its input, with the command that
    repeats it; by default only one that fails does, in the system's temporary folder.
    """

    cores: int | None = None
    scratchpad: bool = True
    numerics: str = "ieee"
    check: str = "bounds"
    target_file: str | Path | Target | None = None
    reproducer_folder: str | Path | None = None

    def __post_init__(self) -> None:
        limit = self.target().cores
        if self.cores is None:
            object.__setattr__(self, "cores", limit)
        elif (
            isinstance(self.cores, bool)
            or not isinstance(self.cores, int)
            or not 0 < self.cores <= limit
        ):
            raise InputError(
                f"option cores: found {self.cores!r}, expected a number from 1 to the target's "
                f"{limit}"
            )
        if not isinstance(self.scratchpad, bool):
            raise InputError(
                f"option scratchpad: found {self.scratchpad!r}, expected True or False"
            )
        _check_choice("numerics", self.numerics, NUMERICS)
        check_check(self.check)

    def target(self) -> Target:
        """The device's figures. Raises InputError if the target file cannot be read."""
        file = self.target_file
        return file if isinstance(file, Target) else load_target(file)

    def to_json(self) -> dict[str, Any]:
        """What a saved program keeps: all that changes the program, and no path of the machine that
        made it.
        """
        return {
            "cores": self.cores,
            "scratchpad": self.scratchpad,
            "numerics": self.numerics,
            "check": self.check,
        }

    @classmethod
    def from_json(cls, form: Mapping[str, Any], target: Target | None = None) -> CompileOptions:
        """The options again. Raises InputError for an unknown name or an illegal value."""
        known = {field.name for field in dataclasses.fields(cls)} - {
            "target_file",
            "reproducer_folder",
        }
        unknown = sorted(set(form) - known)
        if unknown:
            raise InputError(
                f"unknown options {', '.join(unknown)}; known: {', '.join(sorted(known))}"
            )
        return cls(**form, target_file=target)


def check_check(check: str) -> str:
    """`check`, if it is one of `CHECKS`; raises InputError for any other."""
    _check_choice("check", check, CHECKS)
    return check


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(
            f"option {name}: found {value!r}, expected one of {', '.join(choices)}"
            f"{did_you_mean(str(value), choices)}"
        )
