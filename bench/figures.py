"""What is measured. Each function yields rows: what, figure, rival, ratio, budget."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from bench.timing import best_of, process_peak_bytes, process_seconds

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
BATCH = 2


class Row(NamedTuple):
    """One figure: what it is of, its value, what it is compared with, and the budget."""

    what: str
    figure: str
    rival: str = ""
    ratio: str = ""
    budget: str = ""


def setup() -> Iterator[Row]:
    """Time of `make setup` in a fresh clone: all dependencies and the build."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "-q", str(ROOT), folder], check=True)
        start = time.perf_counter()
        subprocess.run(["make", "-s", "setup"], cwd=folder, check=True, capture_output=True)
        seconds = time.perf_counter() - start
        yield Row("set-up of a fresh clone", f"{seconds:.0f} s")
        again = process_seconds(["make", "-s", "-C", folder, "setup"], repeats=1)
        yield Row("set-up again", f"{again:.2f} s")


def start() -> Iterator[Row]:
    """Start of `ktir-opt` on an empty module beside upstream's `mlir-opt`."""
    spec = importlib.util.find_spec("mlir")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    mlir_opt = Path(next(iter(spec.submodule_search_locations))) / "bin" / "mlir-opt"
    ours = process_seconds([str(BIN / "ktir-opt")], stdin="module {}")
    upstream = process_seconds([str(mlir_opt)], stdin="module {}")
    python = process_seconds([sys.executable, "-c", "pass"])
    rival = 3 * upstream + python
    yield Row(
        "ktir-opt, empty module",
        f"{ours * 1000:.0f} ms",
        f"mlir-opt {upstream * 1000:.0f} ms, Python {python * 1000:.0f} ms",
        f"{ours / upstream:.2f} x mlir-opt",
        f"3 x mlir-opt + Python = {rival * 1000:.0f} ms",
    )


def compile_time() -> Iterator[Row]:
    """Compile time of MiniLM at batch 2 x 128, by level, in a new process."""
    script = (
        "import time, torch, ktir\n"
        "from examples.minilm import encoder, tokens, SENTENCES\n"
        f"model, inputs = encoder(torch.float16), tokens(SENTENCES[:{BATCH}])\n"
        "marks = []\n"
        "mark = lambda level: marks.append((level, time.perf_counter()))\n"
        "ktir.compile_module(model, inputs, notify=mark)\n"
        "mark('end')\n"
        "for (level, begin), (_, end) in zip(marks, marks[1:]): print(level, end - begin)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True
    )
    times = {
        level: float(text) for level, text in (line.split() for line in done.stdout.splitlines())
    }
    for level, seconds in times.items():
        yield Row(f"compile MiniLM, to {level}", f"{seconds:.2f} s")
    yield Row("compile MiniLM, in all", f"{sum(times.values()):.2f} s", budget="10 s")


def run_time() -> Iterator[Row]:
    """Run time of MiniLM on the machine beside PyTorch eager, same dtype and inputs; and time
    only.
    """
    import torch

    import ktir
    from examples.minilm import SENTENCES, encoder, tokens

    inputs = tokens(SENTENCES[:BATCH])
    for dtype, budget in ((torch.float32, "5 x"), (torch.float16, "")):
        model = encoder(dtype)
        compiled = ktir.compile_module(model, inputs)
        compiled(*inputs)
        name = str(dtype).removeprefix("torch.")
        with torch.no_grad():
            eager = best_of(lambda model=model: model(*inputs))  # type: ignore[misc]
        ours = best_of(lambda compiled=compiled: compiled(*inputs))  # type: ignore[misc]
        yield Row(
            f"run MiniLM {name}, sdf",
            f"{ours * 1000:.0f} ms",
            f"PyTorch eager {name} {eager * 1000:.0f} ms",
            f"{ours / eager:.1f} x",
            budget,
        )
        compiled.estimate()
        estimate = best_of(compiled.estimate)
        yield Row(
            f"estimate MiniLM {name}, no data",
            f"{estimate * 1000:.1f} ms",
            f"with values {ours * 1000:.0f} ms",
            f"1/{ours / estimate:.0f}",
            "1/10",
        )


def memory() -> Iterator[Row]:
    """Peak memory of compiling and running MiniLM in new processes."""
    prepare = (
        "import torch; from examples.minilm import encoder, tokens, SENTENCES; "
        f"m, i = encoder(torch.float16), tokens(SENTENCES[:{BATCH}]); "
    )
    eager = process_peak_bytes([sys.executable, "-c", prepare + "m(*i)"])
    compiling = process_peak_bytes(
        [sys.executable, "-c", prepare + "import ktir; ktir.compile_module(m, i)"]
    )
    running = process_peak_bytes(
        [sys.executable, "-c", prepare + "import ktir; ktir.compile_module(m, i)(*i)"]
    )
    rival = f"PyTorch eager {eager / 2**20:.0f} MiB"
    for what, peak in (("compile MiniLM", compiling), ("compile and run MiniLM", running)):
        yield Row(f"peak memory, {what}", f"{peak / 2**20:.0f} MiB", rival, f"{peak / eager:.1f} x")


FIGURES: dict[str, Callable[[], Iterator[Row]]] = {
    "setup": setup,
    "start": start,
    "compile": compile_time,
    "run": run_time,
    "memory": memory,
}
