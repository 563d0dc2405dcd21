"""MLIR modules as text: parsing with messages that show the line, printing.

Owns how diagnostics read. What a level must satisfy is in `ktir.contracts`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ktir.dialects import load_dialects, reading_context
from ktir.errors import VerifyError
from ktir.files import read_text
from ktir.locations import source_of
from ktir.mlir import ir
from ktir.mlir._mlir_libs import _ktir

Diagnostic = tuple[int, str, str]
"""Severity (0 error, 1 warning, 2 note, 3 remark), location, message."""

_SHOWN = 6
"""Diagnostics that a message quotes."""
_WIDTH = 100
"""Characters of a source line that a message quotes."""
_UNKNOWN_DIALECT = "operation being parsed with an unregistered dialect"


def new_context() -> ir.Context:
    """A context for modules that are parsed, made and passed on in this process."""
    context = reading_context()
    load_dialects(context)
    return context


def parse_module(text: str, source: str, context: ir.Context) -> ir.Operation:
    """The module of a text, which messages call `source`.

    Raises VerifyError with the position of the problem and the line.
    """
    return _parsed(text, "-", source, context)


def parse_file(path: Path, context: ir.Context) -> ir.Operation:
    """The module of a file, whose name stays in locations.

    Raises InputError if it cannot be read, VerifyError with the position of the problem and the
    line.
    """
    return parse_text_of(path, read_text(path), context)


def parse_text_of(path: Path, text: str, context: ir.Context) -> ir.Operation:
    """The same for a file whose text was read before."""
    return _parsed(text, str(path), str(path), context)


def text_of(module: ir.Operation, locations: bool) -> str:
    """The text of a module, with or without source locations."""
    return str(module.get_asm(enable_debug_info=locations)).rstrip() + "\n"


def diagnostic_lines(diagnostics: Sequence[Diagnostic], source: str) -> list[str]:
    """'place: message' for errors and notes, without repetitions; `source` is unnamed text."""
    lines = []
    for severity, location, message in diagnostics:
        if severity in (0, 2):
            place = source_of(location.replace('"-":', f'"{source}":'))
            lines.append(f"{place}: {message}" if place else message)
    lines = list(dict.fromkeys(lines))
    rest = [f"... and {len(lines) - _SHOWN} more"] if len(lines) > _SHOWN else []
    return lines[:_SHOWN] + rest


def _parsed(text: str, name: str, source: str, context: ir.Context) -> ir.Operation:
    """The module of a text that locations call `name` and messages `source`."""
    module, diagnostics = _ktir.parse_module(text, name, context)
    if module is not None:
        operation: ir.Operation = module.operation
        return operation
    found = [(0, place, _plain(message)) for kind, place, message in diagnostics if kind == 0]
    lines = diagnostic_lines(found, source)
    if found:
        lines[1:1] = _quoted(text, found[0][1])
    raise VerifyError("\n".join([f"{source} is not legal MLIR:", *lines]))


def _plain(message: str) -> str:
    """The message without advice that does not apply here."""
    return "an op of an unknown dialect" if message.startswith(_UNKNOWN_DIALECT) else message


def _quoted(text: str, location: str) -> list[str]:
    """The line that a location names, as the file has it."""
    place = re.search(r'":(\d+):(\d+)\)?$', location)
    lines = text.splitlines()
    if place is None or not 0 < int(place[1]) <= len(lines):
        return []
    return [f"    {lines[int(place[1]) - 1].strip()[:_WIDTH]}"]
