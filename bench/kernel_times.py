"""Times of one example of ktir-cpu on the machine, in a process of its own.

`python -m bench.kernel_times NAME FILE SECONDS` prints JSON: seconds of a launch at `ktir` and at
`sdf`, of the `first` launch of a kernel at each, and of a `call` that reads the file as well, and
lowers it at `sdf`.
"""

from __future__ import annotations

import functools
import json
import sys
from pathlib import Path
from typing import Any

from bench.timing import best_of, best_within
from ktir.api import PreparedKernel, run_kernel
from test.public.cases import CASES

FIRSTS = 3
"""Kernels that are launched for the first time."""


def main(name: str, file: str, seconds: str) -> None:
    """Measures one example."""
    (case,) = [case for case in CASES if case.file == name]
    inputs = case.inputs()
    found = {}
    for level in ("ktir", "sdf"):
        kernels = [PreparedKernel(Path(file), case.func, level=level) for _ in range(FIRSTS)]

        def launch(kernel: PreparedKernel) -> None:
            kernel.launch(inputs.arguments, device=inputs.device, scratchpads=inputs.scratchpads)

        firsts = [best_of(functools.partial(launch, kernel), 1) for kernel in kernels]
        found[f"first {level}"] = min(firsts)
        found[level] = best_within(functools.partial(launch, kernels[0]), float(seconds))
        call = functools.partial(
            run_kernel,
            file,
            case.func,
            level=level,
            device=inputs.device,
            scratchpads=inputs.scratchpads,
            **dict[str, Any](inputs.arguments),
        )
        found[f"call {level}"] = best_within(call, float(seconds))
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
