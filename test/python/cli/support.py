"""Running the commands in processes of their own."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

Finished = subprocess.CompletedProcess[str]


@functools.cache
def zygote() -> subprocess.Popen[str]:
    """The process that all commands are forked from; it ends when the tests do."""
    return subprocess.Popen(
        [sys.executable, HERE / "zygote.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
    )


def ktir(*arguments: str | Path, cwd: Path = HERE.parent, limit: int | None = None) -> Finished:
    """Runs `ktir` with these arguments; `limit` is the largest file in bytes that it may write."""
    process = zygote()
    assert process.stdin is not None
    assert process.stdout is not None
    request = {"arguments": [str(a) for a in arguments], "cwd": str(cwd), "limit": limit}
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    return Finished(arguments, answer["status"], answer["stdout"], answer["stderr"])


def assert_refused(result: Finished, *words: str, status: int = 2) -> None:
    """One error on stderr that holds all words, no other output, no traceback, the exit status."""
    assert result.returncode == status, (result.returncode, result.stderr)
    assert result.stderr.startswith("error: "), result.stderr
    assert result.stderr.count("error: ") == 1, result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    for word in words:
        assert word in result.stderr, (word, result.stderr)
