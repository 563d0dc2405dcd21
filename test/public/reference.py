"""Runs one kernel on ktir-cpu's own interpreter: `python reference.py CHECKOUT REQUEST ANSWER`.

A process of its own, since the interpreter is no dependency of this project and may run long.
REQUEST is a `.npz` file of arrays with a `request` entry of JSON: `file`, `func`, `scalars` by
name, `repeats`. An array's entry says where it belongs: `argument:NAME`, `device:ADDRESS`,
`scratchpad:CORE:ADDRESS`, addresses in elements. ANSWER is a `.npz` file of the arrays of arguments
and device memory afterwards, and `seconds` of loading the file and of running it.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

ENOUGH_SECONDS = 1.0
"""Runs are repeated until they took that long, for a better time."""


def main(checkout: str, request_file: str, answer_file: str) -> None:
    """Runs the request."""
    sys.path.insert(0, checkout)
    with np.load(request_file) as stored:
        arrays = {name: stored[name] for name in stored.files}
    request = json.loads(str(arrays.pop("request")))
    runs = []
    for _ in range(request["repeats"]):
        left, loading, running = run(request, arrays)
        runs.append((loading, running))
        if sum(a + b for a, b in runs) > ENOUGH_SECONDS:
            break
    seconds = [min(times) for times in zip(*runs, strict=True)]
    np.savez(answer_file, seconds=np.array(seconds), **left)


def run(request: dict[str, Any], arrays: dict[str, Any]) -> tuple[dict[str, Any], float, float]:
    """One run: the arrays that it leaves, seconds of loading and of running."""
    from ktir_cpu import KTIRInterpreter

    start = time.perf_counter()
    interpreter = KTIRInterpreter()
    interpreter.load(request["file"])
    loading = time.perf_counter() - start
    arguments: dict[str, Any] = dict(request["scalars"])
    places = []
    for key, array in arrays.items():
        kind, *place = key.split(":")
        if kind == "argument":
            arguments[place[0]] = array
        else:
            places.append((kind, [int(part) for part in place], array))
    prepare = interpreter._prepare_execution

    def prepare_and_fill(grid: Any) -> None:
        prepare(grid)
        for kind, at, array in places:
            fill(interpreter.memory, kind, at, array)

    interpreter._prepare_execution = prepare_and_fill
    start = time.perf_counter()
    outputs = interpreter.execute_function(request["func"], **arguments)
    running = time.perf_counter() - start
    left = {f"argument:{name}": array for name, array in outputs.items()}
    for kind, at, array in places:
        if kind == "device":
            left[f"device:{at[0]}"] = read(interpreter.memory.hbm, at[0], array)
    return left, loading, running


def fill(memory: Any, kind: str, place: list[int], array: Any) -> None:
    """Puts an array where it belongs. Device memory is addressed in sticks, scratchpads in bytes
    and with a mark behind what is in use.
    """
    start = place[-1] * array.itemsize
    if kind == "device":
        memory.hbm.write(start // memory.hbm.STICK_BYTES, array.flatten())
        return
    scratchpad = memory.get_lx(place[0])
    scratchpad.write(start, array.flatten())
    scratchpad.next_ptr = max(scratchpad.next_ptr, start + array.nbytes)


def read(device: Any, address: int, like: Any) -> Any:
    """An array of device memory with the shape and dtype of `like`."""
    from ktir_cpu.dtypes import to_ktir_dtype

    stick = address * like.itemsize // device.STICK_BYTES
    return device.read(stick, like.size, to_ktir_dtype(like.dtype)).reshape(like.shape)


if __name__ == "__main__":
    main(*sys.argv[1:])
