"""Where in a program an op stands, as text for messages."""

from __future__ import annotations

from ktir.mlir import ir


def location_text(op: ir.OpView | ir.Operation) -> str:
    """The op's name and all that its location says.

    For example `'linalg.generic' at model.py:12:3 ("encoder.layer.0", k.mlir:7:8)`: the first file
    position, then names and further positions from the outside in. An op without a location gives
    its name only.
    """
    files: list[str] = []
    names: list[str] = []
    _collect(op.location, files, names)
    text = f"'{op.operation.name}'"
    if files:
        text += f" at {files[0]}"
    notes = [f'"{name}"' for name in names] + files[1:]
    return f"{text} ({', '.join(notes)})" if notes else text


def _collect(location: ir.Location, files: list[str], names: list[str]) -> None:
    if location.is_a_file():
        _add(files, f"{location.filename}:{location.start_line}:{location.start_col}")
    elif location.is_a_name():
        _add(names, location.name_str)
        _collect(location.child_loc, files, names)
    elif location.is_a_fused():
        for part in location.locations:
            _collect(part, files, names)
    elif location.is_a_callsite():
        _collect(location.callee, files, names)
        _collect(location.caller, files, names)


def _add(texts: list[str], text: str) -> None:
    if text not in texts:
        texts.append(text)
