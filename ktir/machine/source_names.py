"""The names that a file gives to arguments, which MLIR's parser does not keep.

Owns a scan of the text for the signatures of functions and programs, and keeping what it found in
locations. Text it does not understand just has no names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ktir.machine.values import names_of_arguments
from ktir.mlir import ir

_HEAD = re.compile(
    r'(?:func\.func|sdf\.program)\s+(?:(?:public|private|nested)\s+)?@(?:"([^"]+)"|([\w$.-]+))\s*\('
)
_TOKEN = re.compile(r'//[^\n]*|"(?:[^"\\]|\\.)*"|->|%[\w$.-]+(?=\s*:)|[()<>{}\[\]]')


def argument_names(text: str) -> dict[str, list[str]]:
    """The names of arguments, without `%`, of each function or program in MLIR text."""
    code = _without_comments(text)
    return {
        match[1] or match[2]: list(_signature(code, match.end())) for match in _HEAD.finditer(code)
    }


def note_names(kernels: Mapping[str, ir.Operation], names: Mapping[str, Sequence[str]]) -> None:
    """Puts the names that a text gives to arguments into their locations, where they outlive
    printing with locations, and lowering. `kernels`, `names`: by function.
    """
    for function, kernel in kernels.items():
        found = names_of_arguments(kernel, names.get(function, ()))
        for argument, name in zip(kernel.regions[0].blocks[0].arguments, found, strict=True):
            if name != f"arg{argument.arg_number}" and not argument.location.is_a_name():
                place = argument.location
                argument.set_location(ir.Location.name(name, place, kernel.context))


def _without_comments(text: str) -> str:
    """The text with comments blanked out; strings stay, since they may hold slashes."""
    pattern = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*')
    return pattern.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)


def _signature(code: str, start: int) -> Iterator[str]:
    """Names followed by a colon, up to the parenthesis that closes the list."""
    depth = 1
    for match in _TOKEN.finditer(code, start):
        token = match[0]
        if token in "([{<":
            depth += 1
        elif token in ")]}>":
            depth -= 1
            if depth == 0:
                return
        elif token[0] == "%" and depth == 1:
            yield token[1:]
