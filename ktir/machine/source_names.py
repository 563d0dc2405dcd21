"""The names that a file gives to arguments, which MLIR's parser does not keep.

Owns a scan of the text for the signatures of functions and programs. Text it does not understand
just has no names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
