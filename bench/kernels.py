"""Kernels of others on the machine, beside their own interpreter; and memory of a large kernel.

Owns the part `kernels`: every example of ktir-cpu, timed in one run with ktir-cpu itself, checks of
bounds on; and an elementwise kernel over a tensor of 1 GB.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.figures import ROOT, Row
from bench.timing import process_peak_bytes
from test.public.cases import CASES, Case
from test.public.examples import run_reference

BUDGETS = {
    "triton-ktir/softmax_fwd_ktir.mlir": 100,
    "triton-ktir/layernorm_fwd_ktir.mlir": 20,
    "triton-ktir/matmul_fwd_ktir.mlir": 20,
    "triton-ktir/paged_attention.mlir": 20,
}
"""How many times faster than ktir-cpu an example must be; others at least once."""

ENOUGH_SECONDS = 2.0
GIB = 2**30
MEMORY_BUDGET = 1.5


def kernels(ktir_cpu: Path | None) -> Iterator[Row]:
    """The examples of a checkout of ktir-cpu, if one is given, and the large kernel."""
    if ktir_cpu is None:
        yield Row(
            "examples of ktir-cpu", "skipped: name a checkout, --ktir-cpu DIR or KTIR_CPU=DIR"
        )
    else:
        for case in CASES:
            if not case.overflows:
                yield from _example(case, ktir_cpu.resolve())
    yield from large_elementwise()


def _example(case: Case, checkout: Path) -> Iterator[Row]:
    """One example: launches of a kernel that is read and lowered, beside the same of ktir-cpu; the
    first launch, which later ones take over from where they repeat it; and whole calls, reading
    and lowering included.
    """
    file = checkout / "examples" / case.file
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.npz"
        error = run_reference(case, file, checkout, answer)
        if error:
            yield Row(case.file, "not measured", f"ktir-cpu: {error}")
            return
        loading, running = np.load(answer)["seconds"]
    done = subprocess.run(
        [sys.executable, "-m", "bench.kernel_times", case.file, str(file), str(ENOUGH_SECONDS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        yield Row(case.file, f"fails: {done.stderr.strip().splitlines()[-1][:60]}")
        return
    ours = json.loads(done.stdout)
    budget = f"{BUDGETS.get(case.file, 1)} x faster"
    for level in ("ktir", "sdf"):
        yield Row(
            f"{case.file}, {level}",
            milliseconds(ours[level]),
            f"ktir-cpu {milliseconds(running)}",
            f"{running / ours[level]:.3g} x faster",
            budget,
        )
        first = ours[f"first {level}"]
        yield Row(
            f"{case.file}, {level}, first launch of a kernel",
            milliseconds(first),
            f"ktir-cpu {milliseconds(running)}",
            f"{running / first:.3g} x faster",
        )
        call = ours[f"call {level}"]
        yield Row(
            f"{case.file}, {level}, reading the file too",
            milliseconds(call),
            f"ktir-cpu {milliseconds(loading + running)}",
            f"{(loading + running) / call:.3g} x faster",
        )


def milliseconds(seconds: float) -> str:
    """Three digits, without an exponent."""
    value = seconds * 1000
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.3g} ms"


def large_elementwise() -> Iterator[Row]:
    """Peak memory of y = x + x over 1 GiB of f16, over inputs and outputs; what the process needs
    without arrays does not count.
    """
    empty = process_peak_bytes([sys.executable, "-m", "bench.large_kernel", "ktir", "64"])
    for level in ("ktir", "sdf"):
        command = [sys.executable, "-m", "bench.large_kernel", level, str(GIB // 2)]
        peak = process_peak_bytes(command) - empty
        yield Row(
            f"peak memory, elementwise over 1 GiB, {level}",
            f"{peak / GIB:.2f} GiB",
            "inputs and outputs 2 GiB",
            f"{peak / (2 * GIB):.2f} x",
            f"{MEMORY_BUDGET} x",
        )
