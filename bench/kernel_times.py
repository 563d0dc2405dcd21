"""Times of one example of ktir-cpu on the machine, in a process of its own.

`python -m bench.kernel_times NAME FILE SECONDS` prints JSON: seconds of a launch at `ktir` and at
`sdf`, and of a `call` that reads the file as well.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from bench.timing import best_within
from ktir.api import PreparedKernel, run_kernel
from test.public.cases import CASES


def main(name: str, file: str, seconds: str) -> None:
    """Measures one example."""
    (case,) = [case for case in CASES if case.file == name]
    inputs = case.inputs()
    found = {}
    for level in ("ktir", "sdf"):
        kernel = PreparedKernel(Path(file), case.func, level=level)
        found[level] = best_within(
            lambda kernel=kernel: kernel.launch(  # type: ignore[misc]
                inputs.arguments, device=inputs.device, scratchpads=inputs.scratchpads
            ),
            float(seconds),
        )
    found["call"] = best_within(
        lambda: run_kernel(
            file,
            case.func,
            device=inputs.device,
            scratchpads=inputs.scratchpads,
            **dict[str, Any](inputs.arguments),
        ),
        float(seconds),
    )
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
