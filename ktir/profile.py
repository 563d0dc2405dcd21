"""Profiles as users see them: a table of kernels, and JSON.

Owns the presentation. What is counted and how time follows from it is in `ktir.machine.profile`.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from ktir.locations import short_source
from ktir.machine import profile as machine
from ktir.tables import Fitted, plain

_TITLES = ("kernel", "cores", "time us", "bound", "read", "written", "scratchpad", "source")
_RIGHT = (False, True, True, False, True, True, True, False)


@dataclasses.dataclass(frozen=True)
class Profile(machine.RunProfile):
    """All launches of a run: prints as a table; sizes in bytes, times in microseconds.

    `outputs` is what the run returned, in the model's own structure; None for an estimate, which
    has no data.
    """

    outputs: Any = dataclasses.field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, profile: machine.RunProfile, outputs: Any = None) -> Profile:
        """The same launches, with what the run returned."""
        return cls(target=profile.target, kernels=profile.kernels, outputs=outputs)

    def to_json(self) -> str:
        """Totals and one object a kernel; times in nanoseconds."""
        form = self.as_dict()
        for kernel in form["kernels"]:
            kernel["source"] = short_source(kernel["location"])
        return json.dumps(form, indent=2)

    def __str__(self) -> str:
        return f"{plain(_TITLES, self._rows(), _RIGHT)}\n{self._summary()}"

    def __rich__(self) -> Fitted:
        return Fitted(_TITLES, self._rows(), _RIGHT, self._summary())

    def _rows(self) -> list[tuple[str, ...]]:
        return [_row(kernel) for kernel in self.kernels]

    def _summary(self) -> str:
        note = (
            "; * extrapolated: no measurement exists for f32 and f64" if self.extrapolated else ""
        )
        return (
            f"{self.target}: {len(self.kernels)} kernels, {self.time_ns / 1000:,.1f} us, "
            f"{self.read_bytes:,} bytes read, "
            f"{self.written_bytes:,} written, scratchpad peak {self.scratchpad_peak:,}{note}"
        )


def _row(kernel: machine.KernelProfile) -> tuple[str, ...]:
    mark = "*" if kernel.extrapolated else ""
    timed = kernel.level == "sdf"
    return (
        kernel.name,
        str(kernel.cores),
        f"{kernel.time_ns / 1000:,.2f}{mark}" if timed else "-",
        kernel.bound if timed else "-",
        f"{kernel.read_bytes:,}",
        f"{kernel.written_bytes:,}",
        f"{kernel.scratchpad_peak:,}",
        short_source(kernel.location),
    )
