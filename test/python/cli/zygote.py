"""A process that has imported everything and forks one child for each command line that it is told.

Importing torch takes seconds; a fork of a process that has done so takes none. Reads one JSON
object a line, `{"arguments": [..], "cwd": .., "limit": ..}`, and answers with one: status, stdout,
stderr. `limit` is the largest file in bytes that the child may write.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

import torch_mlir.fx  # noqa: F401  (imported once for all children)

from ktir.tools.ktir import main


def serve() -> None:
    """Answers requests until stdin ends."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Runs one command line in a child."""
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder) / "out", Path(folder) / "err"
        child = os.fork()
        if child == 0:
            become(request, out, err)
        _, status = os.waitpid(child, 0)
        return {
            "status": os.waitstatus_to_exitcode(status),
            "stdout": out.read_text(),
            "stderr": err.read_text(),
        }


def become(request: dict[str, Any], out: Path, err: Path) -> None:
    """The child: what `ktir` does as a process of its own. Does not return."""
    status = 1
    try:
        for number, path in ((0, Path(os.devnull)), (1, out), (2, err)):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT
            os.dup2(os.open(path, flags), number)
        os.chdir(request["cwd"])
        if request["limit"] is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (request["limit"], request["limit"]))
        sys.argv = ["ktir", *request["arguments"]]
        main()
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except BaseException:  # noqa: BLE001 - shown as the interpreter would
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    serve()
