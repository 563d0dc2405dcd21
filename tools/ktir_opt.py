"""`ktir-opt`: upstream's opt driver with the package's dialects and passes."""

from __future__ import annotations

import os
import sys


def _versions() -> str:
    """What `--version` prints. Finding it takes longer than all else, so only if it is asked."""
    if not any(word.lstrip("-") == "version" for word in sys.argv[1:]):
        return ""
    from ktir.tools.versions import versions

    return versions("ktir-opt")


def main() -> None:
    """Runs the driver on the process's arguments and leaves with its exit status."""
    import ktir.passes  # registers the passes
    from ktir.mlir._mlir_libs import _ktir

    assert ktir.passes
    status = _ktir.opt_main(["ktir-opt", *sys.argv[1:]], _versions())
    # The driver has printed everything; tearing the interpreter down would only cost time.
    sys.stdout.flush()
    os._exit(status)
