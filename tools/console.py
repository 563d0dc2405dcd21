"""What the commands print: results on stdout, progress on stderr.

Progress is shown on a terminal only, and leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import typer


@contextlib.contextmanager
def progress(steps: Sequence[str], what: str) -> Iterator[Callable[[str], None]]:
    """Shows a bar that advances when the yielded function is called with the step that begins."""
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=len(steps))

        def begin(step: str) -> None:
            done = steps.index(step) if step in steps else 0
            bar.update(task, completed=done, description=f"{what}: {step}")

        yield begin


def show(table: Any) -> None:
    """Prints a table: drawn on a terminal, as plain aligned text elsewhere."""
    if not sys.stdout.isatty():
        typer.echo(str(table))
        return
    from rich.console import Console

    Console().print(table)


def show_text(text: str) -> None:
    """Prints text as it is."""
    typer.echo(text, nl=not text.endswith("\n"))
