"""`ktir-opt`: upstream's opt driver with the package's dialects and passes."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the driver on the process's arguments and leaves with its exit status."""
    import ktir.passes  # registers the passes
    from ktir.mlir._mlir_libs import _ktir

    assert ktir.passes
    status = _ktir.opt_main(["ktir-opt", *sys.argv[1:]])
    # The driver has printed everything; tearing the interpreter down would only cost time.
    sys.stdout.flush()
    os._exit(status)
