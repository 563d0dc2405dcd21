"""The device as data: every figure of the hardware, read from one JSON file.

Owns the schema of that file, its checks, and the laws that turn counts into times: `Memory.time`,
`Matrix.time`,
`Vector.time`. The figures of Spyre, each with its public source, are in `data/spyre.json`; a user's
own file may state all of them, or name a base and state what differs. What is counted is up to
`ktir.machine`; how the times of a kernel's engines combine is in `ktir.machine.profile`.

No law reads these figures yet: `memory.burst_bytes`, `memory.span_bytes`, `matrix.peak_macs`,
`vector.fused_reduction_elements`, and all of `ring`. They are kept for laws of requests, relayouts
and placement to come; a target's own values for them change nothing.

Times are nanoseconds, sizes bytes, rates per nanosecond (1 B/ns = 1 GB/s).
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_type_hints

from ktir.errors import InputError
from ktir.layout import STICK_BYTES

_SCHEMA = 1
_DATA = Path(__file__).parent / "data"
_CONFIDENCE = {
    "P": "published by the vendor",
    "F": "fitted to or measured on the device",
    "E": "assumed by the source",
    "D": "derived from figures of the other kinds",
}

Table = tuple[tuple[int, float], ...]
"""Pairs (cores, share), ascending by cores."""


@dataclasses.dataclass(frozen=True)
class Figure:
    """One entry of a target file: its value, where it comes from and how far to trust it."""

    value: int | float | Table
    unit: str
    source: str
    confidence: str


@dataclasses.dataclass(frozen=True)
class Scratchpad:
    """A core's private memory (LX)."""

    bytes: int
    plannable_bytes: int
    alignment_bytes: int


@dataclasses.dataclass(frozen=True)
class Memory:
    """Device memory, shared by all cores. `bandwidth` in B/ns, `turnaround` in ns/B."""

    stick_bytes: int
    burst_bytes: int
    capacity_bytes: int
    span_bytes: int
    bandwidth: float
    turnaround: float
    share_by_cores: Table

    def share(self, cores: int) -> float:
        """The part of the full rate that `cores` active cores reach: linear in log2(cores) between
        measured counts."""
        table = self.share_by_cores
        if cores <= table[0][0]:
            return table[0][1]
        for (low, share_low), (high, share_high) in itertools.pairwise(table):
            if cores <= high:
                part = math.log2(cores / low) / math.log2(high / low)
                return share_low + part * (share_high - share_low)
        return table[-1][1]

    def time(self, read: int, written: int, cores: int) -> float:
        """Nanoseconds to move `read` and `written` bytes with `cores` cores active.

        T = ((R + W) / bandwidth + turnaround * min(R, W)) / share(cores): the published law of the
        vendor's cost model (torch-spyre cost_model.py), scaled to fewer cores by measured rates.
        """
        full = (read + written) / self.bandwidth + self.turnaround * min(read, written)
        return full / self.share(cores)


@dataclasses.dataclass(frozen=True)
class Matrix:
    """A core's matrix unit. Rates in multiply-accumulates a nanosecond, for 16-bit operands."""

    macs: float
    peak_macs: float
    full_rows: int
    fill_exponent: float

    def time(self, macs: int, rows: int, bits: int = 16) -> float:
        """Nanoseconds of one core for a product of `macs` multiply-accumulates with `rows` rows in
        the left operand.

        Few rows do not fill the array: rate * min(1, rows / full_rows) ** fill_exponent
        (torch-spyre cost_model.py). Operands wider than 16 bits scale the time by their width,
        which is an extrapolation.
        """
        fill: float = min(1.0, max(rows, 1) / self.full_rows) ** self.fill_exponent
        return macs / (self.macs * fill) * max(bits, 16) / 16


@dataclasses.dataclass(frozen=True)
class Vector:
    """A core's vector unit. Rates in 16-bit elements a nanosecond: of one pointwise op, of one
    reduction's input."""

    elements: float
    reduced_elements: float
    fused_reduction_elements: float

    def time(self, elements: int, reduces: bool, bits: int = 16) -> float:
        """Nanoseconds of one core for one op over `elements` points; wider elements scale it, an
        extrapolation.

        What an op computes at a point does not matter: gelu, exp and neg take equal times on the
        card.
        """
        rate = self.reduced_elements if reduces else self.elements
        return elements / rate * max(bits, 16) / 16


@dataclasses.dataclass(frozen=True)
class Ring:
    """The links between cores. Bytes a cycle and direction, cycles a nanosecond, B/ns and core of a
    relayout."""

    bytes_per_cycle: int
    clock: float
    relayout: float


@dataclasses.dataclass(frozen=True)
class Target:
    """A device. `figures` holds every number again, by its name in the file, with its source."""

    name: str
    cores: int
    scratchpad: Scratchpad
    memory: Memory
    matrix: Matrix
    vector: Vector
    ring: Ring
    figures: Mapping[str, Figure] = dataclasses.field(repr=False, compare=False)


_SECTIONS: dict[str, type] = {
    "scratchpad": Scratchpad,
    "memory": Memory,
    "matrix": Matrix,
    "vector": Vector,
    "ring": Ring,
}


def load_target(path: str | Path | None = None) -> Target:
    """Reads a target file; without `path`, the figures of Spyre.

    A file is a JSON object `{"schema": 1, "name": .., "base": .., "figures": {"cores": {"value":
    32, "source": .., "unit": .., "confidence": "P"}, ..}}`. With `"base": "spyre"`, figures that
    are left out are Spyre's. Raises InputError if the file is missing, is not such an object, or
    states a figure that is unknown, of the wrong type, or not positive.
    """
    file = _DATA / "spyre.json" if path is None else Path(path)
    if path is None:
        return _builtin(file)
    return _load(file)


@functools.cache
def _builtin(file: Path) -> Target:
    return _load(file)


def _load(file: Path) -> Target:
    document = _read(file)
    figures = dict(_base(document, file))
    stated = document.get("figures")
    if not isinstance(stated, dict):
        raise InputError(f"{file}: expected an object under 'figures'")
    types = _types()
    for name, entry in stated.items():
        if name not in types:
            raise InputError(f"{file}: unknown figure '{name}'; known: {', '.join(types)}")
        figures[name] = _figure(entry, types[name], f"{file}: figure '{name}'")
    missing = [name for name in types if name not in figures]
    if missing:
        raise InputError(
            f"{file}: missing figures {', '.join(missing)}; state them, or add "
            '"base": "spyre" to take those of Spyre'
        )
    target = _assemble(str(document.get("name", file.stem)), figures)
    _check(target, file)
    return target


def _read(file: Path) -> dict[str, Any]:
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read target file {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not a text file: {error}") from error
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{file}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error
    if not isinstance(document, dict):
        raise InputError(f"{file}: expected a JSON object, found a {type(document).__name__}")
    if document.get("schema") != _SCHEMA:
        raise InputError(f'{file}: expected "schema": {_SCHEMA}, found {document.get("schema")!r}')
    return document


def _base(document: dict[str, Any], file: Path) -> Mapping[str, Figure]:
    base = document.get("base")
    if base is None:
        return {}
    if base != "spyre":
        raise InputError(f"{file}: unknown base {base!r}; known: 'spyre'")
    return load_target().figures


def _types() -> dict[str, Any]:
    """The annotated type of every figure, by its dotted name."""
    types: dict[str, Any] = {"cores": int}
    for section, cls in _SECTIONS.items():
        hints = get_type_hints(cls)
        types |= {f"{section}.{field.name}": hints[field.name] for field in dataclasses.fields(cls)}
    return types


def _figure(entry: Any, kind: Any, where: str) -> Figure:
    if not isinstance(entry, dict) or "value" not in entry:
        raise InputError(f"{where}: expected an object with a 'value' and a 'source'")
    source, confidence = entry.get("source"), entry.get("confidence", "E")
    if not isinstance(source, str) or not source.strip():
        raise InputError(
            f"{where}: expected a text under 'source' that says where the value comes from"
        )
    if confidence not in _CONFIDENCE:
        legal = ", ".join(f"{code} ({text})" for code, text in _CONFIDENCE.items())
        raise InputError(f"{where}: unknown confidence {confidence!r}; known: {legal}")
    value = _value(entry["value"], kind, where)
    return Figure(value, str(entry.get("unit", "")), source, confidence)


def _value(value: Any, kind: Any, where: str) -> int | float | Table:
    if kind == Table:
        return _table(value, where)
    wanted = "a positive integer" if kind is int else "a positive number"
    legal = int if kind is int else (int, float)
    if isinstance(value, bool) or not isinstance(value, legal) or not 0 < value < math.inf:
        raise InputError(f"{where}: expected {wanted}, found {value!r}")
    return value


def _table(value: Any, where: str) -> Table:
    problem = InputError(
        f"{where}: expected pairs [cores, share], ascending by cores, shares in (0, 1]; "
        f"found {value!r}"
    )
    if not isinstance(value, list) or not value:
        raise problem
    rows: list[tuple[int, float]] = []
    for row in value:
        if not isinstance(row, list) or len(row) != 2:
            raise problem
        cores, share = row
        if not isinstance(cores, int) or not isinstance(share, (int, float)) or not 0 < share <= 1:
            raise problem
        if cores < 1 or (rows and cores <= rows[-1][0]):
            raise problem
        rows.append((cores, float(share)))
    return tuple(rows)


def _assemble(name: str, figures: Mapping[str, Figure]) -> Target:
    # The types of the values were checked against the fields' when the file was read.
    sections: dict[str, Any] = {}
    for section, cls in _SECTIONS.items():
        names = [field.name for field in dataclasses.fields(cls)]
        sections[section] = cls(**{name: figures[f"{section}.{name}"].value for name in names})
    cores: Any = figures["cores"].value
    return Target(name=name, cores=cores, figures=figures, **sections)


def _check(target: Target, file: Path) -> None:
    """What must hold between figures."""
    if target.memory.stick_bytes != STICK_BYTES:
        raise InputError(
            f"{file}: figure 'memory.stick_bytes': layouts are built for {STICK_BYTES}-byte "
            f"sticks, found {target.memory.stick_bytes}"
        )
    if target.scratchpad.plannable_bytes > target.scratchpad.bytes:
        raise InputError(
            f"{file}: figure 'scratchpad.plannable_bytes': {target.scratchpad.plannable_bytes} is "
            f"more than the scratchpad's {target.scratchpad.bytes} bytes"
        )
