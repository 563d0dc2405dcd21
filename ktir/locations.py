"""MLIR locations as a person reads them.

The importer keeps, for each op, the model's node, its module and its Python frames as nested
locations: `loc("linear"("encoder.query"(callsite("model.py":12:0 at "model.py":30:0))))`. Here they
become `model.py:12 (linear in encoder.query)`.
"""

from __future__ import annotations

import re
from pathlib import Path

_PART = re.compile(r'"((?:[^"\\]|\\.)*)"(?::(\d+):(\d+))?')
"""A quoted name, or a file with its line and column."""
_OF_TORCH = "/site-packages/torch/"


def short_source(location: str) -> str:
    """`source_of` as a table has room for it."""
    return shortened(source_of(location))


def shortened(text: str) -> str:
    """A path cut to its part below the current folder, or below that of installed packages."""
    for folder in (str(Path.cwd()) + "/", "/site-packages/"):
        text = text.partition(folder)[2] or text
    return text


def source_of(location: str) -> str:
    """The innermost line outside torch with the names around it; "" for a location that says
    nothing.
    """
    parts = _PART.findall(location)
    files = [part for part in parts if part[1]]
    names = dict.fromkeys(name for name, line, _ in parts if not line and name != "main")
    place = _place(files)
    what = " in ".join(list(names)[:2])
    if place and what:
        return f"{place} ({what})"
    return place or what


def _place(files: list[tuple[str, str, str]]) -> str:
    """file:line, with the column where one is known; the file alone for all of it (line 0)."""
    outside = [file for file in files if _OF_TORCH not in file[0]]
    for name, line, column in outside or files:
        return ":".join([name, *(number for number in (line, column) if number != "0")])
    return ""
