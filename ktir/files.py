"""Files written whole or not at all.

Owns writing beside the target and renaming, and turning the system's refusals into `InputError`.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ktir.errors import InputError


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A new binary file that takes the place of `path` when the block ends, and vanishes if it
    fails.

    A reader sees the old file or the new one, never a part. What is no regular file (a pipe, a
    device) is written directly. Raises InputError if the system refuses: a missing folder, no
    permission, a full disk.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with _refusals(path), target.open("wb") as file:
            yield file
        return
    scratch = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with _refusals(path):
            with scratch.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(scratch, target)
            _sync_folder(target.parent)
    finally:
        scratch.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Writes a text whole or not at all; raises InputError if the system refuses."""
    with replacing(path) as file:
        file.write(text.encode("utf-8"))


def read_text(path: str | Path) -> str:
    """The text of a file; raises InputError if it is missing, unreadable or no text."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"cannot read {path}: it is not a text file ({error.reason} at byte {error.start})"
        ) from error
    except ValueError as error:
        raise InputError(f"cannot read {str(path)!r}: {error}") from error


@contextlib.contextmanager
def _refusals(path: str | Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"cannot write {path}: {error.strerror}; nothing was changed there"
        ) from error


def _sync_folder(folder: Path) -> None:
    """Makes the rename itself durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
