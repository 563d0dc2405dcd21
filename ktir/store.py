"""The IR of a program at several levels, parsed when it is first needed.

Owns texts and modules by level, and the one MLIR context they live in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ktir.errors import InputError
from ktir.levels import LEVELS
from ktir.mlir import ir
from ktir.modules import new_context, parse_module, text_of


class LevelStore:
    """Modules by level, in one context.

    `source` is what a message calls a text that does not parse.
    """

    def __init__(self, source: str = "the saved program") -> None:
        self.context = new_context()
        self._source = source
        self._modules: dict[str, ir.Operation] = {}
        self._texts: dict[str, str] = {}

    def add(self, modules: Mapping[str, ir.Operation]) -> None:
        """Adds modules by level."""
        self._modules.update(modules)

    def add_texts(self, texts: Mapping[str, str]) -> None:
        """Adds texts by level, to be parsed when they are needed."""
        self._texts.update(texts)

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels there are, in order."""
        return tuple(level for level in LEVELS if level in self._modules or level in self._texts)

    def module(self, level: str) -> ir.Operation:
        """The module of a level.

        Raises InputError if there is none, VerifyError if its text is damaged.
        """
        if level not in self._modules:
            if level not in self._texts:
                raise InputError(missing(level, self.levels))
            source = f"{self._source} ({level}.mlir)"
            self._modules[level] = parse_module(self._texts[level], source, self.context)
        return self._modules[level]

    def text(self, level: str, locations: bool) -> str:
        """The text of a level, with or without source locations."""
        return text_of(self.module(level), locations)


def missing(level: str, available: Iterable[str]) -> str:
    """The message for a level that a program does not have."""
    return f"the program has no level {level!r}; it has {', '.join(available) or 'none'}"
