"""What `ktir run` prints: outputs with their comparisons, what it counted, kernels described."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from torch import Tensor

    from ktir.describe import Argument, Description
    from ktir.machine.profile import RunProfile
    from ktir.tools.compare import Comparison

_TITLES = ("output", "type", "first values", "comparison")


class Report:
    """One run. `seconds`: from arrays to arrays, reading the file and lowering it included."""

    def __init__(
        self,
        file: Path,
        level: str,
        check: str,
        inputs: Mapping[str, Tensor | int | float],
        outputs: Mapping[str, Tensor],
        comparisons: Mapping[str, Comparison],
        profile: RunProfile | None,
        seconds: float,
    ) -> None:
        self._file, self._level, self._check = file, level, check
        self._inputs, self._outputs, self._comparisons = inputs, outputs, comparisons
        self._profile, self._seconds = profile, seconds

    def show(self, as_json: bool) -> None:
        """Prints it: a row an output, with what was found out about it."""
        from ktir.signature import show
        from ktir.tables import plain

        if as_json:
            typer.echo(json.dumps(self.as_dict(), indent=2))
            return
        cells = [
            (
                name,
                show(value.dtype, value.shape),
                _first(value),
                str(self._comparisons.get(name, "")),
            )
            for name, value in self._outputs.items()
        ]
        typer.echo(plain(_TITLES, cells, (False,) * 4))
        if self._profile is not None:
            typer.echo(self._summary(self._profile))

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON; times of `profile` in nanoseconds of the device."""
        return {
            "file": str(self._file),
            "level": self._level,
            "check": self._check,
            "seconds": self._seconds,
            "arguments": {name: _plain(value) for name, value in self._inputs.items()},
            "outputs": {
                name: _plain(value) | {"comparison": self._comparison(name)}
                for name, value in self._outputs.items()
            },
            "profile": None if self._profile is None else self._profile.as_dict(),
        }

    def _comparison(self, name: str) -> dict[str, Any] | None:
        found = self._comparisons.get(name)
        return None if found is None else found.as_dict()

    def _summary(self, profile: RunProfile) -> str:
        """One line of what a kernel counted."""
        (kernel,) = profile.kernels
        mark = ", extrapolated" if profile.extrapolated else ""
        time = f"estimated {kernel.time_ns / 1000:,.2f} us{mark}, " if self._level == "sdf" else ""
        return (
            f"@{kernel.name} on {kernel.cores} cores at level {self._level}: {time}"
            f"{kernel.read_bytes:,} bytes read, {kernel.written_bytes:,} written"
        )


def show_kernels(file: Path, kernels: Sequence[Description], as_json: bool) -> None:
    """Prints what kernels of a file take: a table each, and the command that runs it."""
    if as_json:
        typer.echo(json.dumps({"kernels": [kernel.as_dict() for kernel in kernels]}, indent=2))
        return
    several = len(kernels) > 1
    typer.echo("\n\n".join(_described(file, kernel, several) for kernel in kernels))


def _described(file: Path, kernel: Description, named: bool) -> str:
    lines = [str(kernel)]
    if not kernel.followed:
        lines.append("addresses that are worked out when it runs are not listed")
    words = ["ktir", "run", shlex.quote(str(file)), *(["--func", kernel.name] if named else [])]
    needed = [text for entry in _entries(kernel) for text in entry]
    return "\n".join([*lines, f"run with: {' '.join([*words, *needed])}"])


def _entries(kernel: Description) -> Iterator[tuple[str, str]]:
    """The options that a run of the kernel needs."""
    for argument in kernel.arguments:
        if not argument.is_array:
            yield "--in", f"{argument.name}=NUMBER"
        elif argument.role != "out" or not _is_inferred(argument):
            yield "--in", f"{argument.name}={_any_array(argument)}"
    for place in kernel.addresses:
        if place.role == "in":
            yield "--at", f"{place.name}={_any_array(place)}"
    for place in kernel.scratchpads:
        owner = re.fullmatch(r"core (\d+) at (\d+)", str(place.name))
        if place.role == "in" and owner is not None:
            yield "--at", f"{owner[1]}:{owner[2]}={_any_array(place)}"


def _any_array(argument: Argument) -> str:
    """What an array may be given as: made up, or from a file where its elements have a meaning."""
    return "randn" if _is_inferred(argument) and "f" in argument.kind else "FILE.npy"


def _is_inferred(argument: Argument) -> bool:
    """Whether scalar arguments tell the shape."""
    return argument.shape is not None and "?" not in str(argument.shape)


def _plain(value: Tensor | int | float) -> dict[str, Any]:
    """A value as JSON."""
    if isinstance(value, (int, float)):
        return {"value": value}
    return {"dtype": str(value.dtype).removeprefix("torch."), "shape": list(value.shape)}


def _first(value: Tensor) -> str:
    """The first few elements."""
    elements = value.flatten()[:4].tolist()
    text = ", ".join(f"{e:.5g}" if isinstance(e, float) else str(e) for e in elements)
    return f"{text}, .." if value.numel() > 4 else text
