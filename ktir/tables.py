"""Tables: rows of texts under titles, as plain text and for rich.

Owns the layout only; what stands in a table is up to its callers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def plain(titles: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Lines of aligned columns, titles first; `right` says which columns are right-aligned."""
    widths = [max(len(row[i]) for row in [titles, *rows]) for i in range(len(titles))]

    def line(row: Sequence[str]) -> str:
        cells = [
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ]
        return "  ".join(cells).rstrip()

    return "\n".join(line(row) for row in [titles, *rows])


def rich_table(
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[bool],
    caption: str | None = None,
) -> Table:
    """The same for rich, which wraps long cells to the terminal's width."""
    from rich.table import Table
    from rich.text import Text

    table = Table(caption=caption, header_style="bold")
    for title, to_right in zip(titles, right, strict=True):
        table.add_column(title, justify="right" if to_right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
