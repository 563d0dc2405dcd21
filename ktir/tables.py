"""Tables: rows of texts under titles, as plain text and for terminals.

Owns the layout only; what stands in a table is up to its callers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

_GAP = "  "
_INDENT = "    "
_NARROWEST = 12
"""Characters that the first column keeps on a narrow terminal."""


def plain(titles: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Lines of aligned columns, titles first; `right` says which columns are right-aligned."""
    widths = _widths(titles, rows)
    return "\n".join(_line(row, widths, right) for row in [titles, *rows])


@dataclasses.dataclass(frozen=True)
class Fitted:
    """The same for rich, laid out for the terminal's width; `caption` stands below.

    Where the columns do not fit side by side, the last one stands below its row; if need be the
    texts of the first one are cut into several lines. What lies between is never broken.
    """

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Sequence[bool]
    caption: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        from rich.text import Text

        yield Text("\n".join(self._entry(self.titles, options.max_width)), style="bold")
        for row in self.rows:
            yield Text("\n".join(self._entry(row, options.max_width)))
        if self.caption:
            yield Text(self.caption, style="italic")

    def _entry(self, row: Sequence[str], width: int) -> list[str]:
        """The lines of a row."""
        widths = _widths(self.titles, self.rows)
        if _total(widths) <= width:
            return [_line(row, widths, self.right)]
        *widths, _ = widths
        widths[0] = min(widths[0], max(_NARROWEST, widths[0] + width - _total(widths)))
        first, *rest = _pieces(row[0], widths[0])
        line = _line((first, *row[1:-1]), widths, self.right[:-1])
        return [line, *rest, *([_INDENT + row[-1]] if row[-1] else [])]


def _widths(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(row[i]) for row in [titles, *rows]) for i in range(len(titles))]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    cells = [
        cell.rjust(width) if to_right else cell.ljust(width)
        for cell, width, to_right in zip(row, widths, right, strict=True)
    ]
    return _GAP.join(cells).rstrip()


def _pieces(text: str, width: int) -> list[str]:
    """A text in pieces of at most `width` characters, at least one."""
    return [text[i : i + width] for i in range(0, max(len(text), 1), width)]
