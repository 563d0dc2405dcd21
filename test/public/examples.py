"""One example of ktir-cpu through every step, beside ktir-cpu itself.

Owns the order of steps and the processes: ktir-cpu runs in one of its own, this toolchain in a fork
that may crash or hang without taking the table down.
"""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from test.public.cases import REASONS, Case
from test.public.inputs import Inputs
from test.public.steps import STEPS, take_steps

LIMIT_SECONDS = 300
REPEATS = 20
"""Launches of one kernel, as long as they take less than a second, with either tool."""

OVERFLOWS = "not run: its own tests expect that the scratchpad overflows"


@dataclasses.dataclass(frozen=True)
class Row:
    """What came of an example.

    `steps`: "" for a step that went well, else what went wrong; a step that was not reached is not
    there. `seconds`: of a launch at `ktir` of the kernel, read before; `reference`: of
    ktir-cpu doing the same, None if it failed, for the reason in `reference_error`.
    """

    name: str
    steps: Mapping[str, str]
    note: str
    seconds: float | None
    reference: float | None
    reference_error: str
    reason: str

    @property
    def passed(self) -> bool:
        """Whether every step went well."""
        return all(self.steps.get(step) == "" for step in STEPS)

    @property
    def accepted(self) -> bool:
        """Whether it passed, or need not for a written reason."""
        return self.passed or bool(self.reason)

    @property
    def ratio(self) -> float | None:
        """How many times faster than ktir-cpu."""
        if self.seconds is None or self.reference is None:
            return None
        return self.reference / self.seconds

    @property
    def failure(self) -> str:
        """The first step that went wrong, and how."""
        for step in STEPS:
            if self.steps.get(step) != "":
                text = self.steps.get(step, "not reached")
                return re.sub(
                    rf"\S*{re.escape(self.name)}", Path(self.name).name, f"{step}: {text}"
                )
        return ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return dataclasses.asdict(self) | {"passed": self.passed, "ratio": self.ratio}


def check_example(case: Case, checkout: Path) -> Row:
    """All steps of one example."""
    file = checkout / "examples" / case.file
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.npz"
        error = OVERFLOWS if case.overflows else run_reference(case, file, checkout, answer)
        found = _in_fork(case, file, None if error else answer)
        reference = None if error else float(np.load(answer)["seconds"][1])
    return Row(
        case.file,
        found["steps"],
        found["note"],
        found["seconds"],
        reference,
        error,
        REASONS.get(case.file, ""),
    )


def run_reference(case: Case, file: Path, checkout: Path, answer: Path) -> str:
    """Runs ktir-cpu; returns why it failed, or nothing."""
    request = answer.with_name("request.npz")
    save_request(request, case, file)
    script = Path(__file__).with_name("reference.py")
    command = [sys.executable, *map(str, (script, checkout, request, answer))]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"takes over {LIMIT_SECONDS} s"
    if done.returncode == 0:
        return ""
    lines: list[str] = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
    return next((line for line in reversed(lines) if "Error" in line), lines[-1])


def save_request(path: Path, case: Case, file: Path) -> None:
    """The inputs and what to run, as `reference.py` reads them."""
    inputs = case.inputs()
    arrays = named_arrays(inputs)
    arrays |= {f"scratchpad:{c}:{at}": array for (c, at), array in inputs.scratchpads.items()}
    scalars = {k: v for k, v in inputs.arguments.items() if not isinstance(v, np.ndarray)}
    request = {"file": str(file), "func": case.func, "scalars": scalars, "repeats": REPEATS}
    np.savez(path, request=np.array(json.dumps(request)), **arrays)


def named_arrays(inputs: Inputs) -> dict[str, Any]:
    """The arrays of arguments and device memory by the names that requests and answers use."""
    arguments = {
        f"argument:{name}": value
        for name, value in inputs.arguments.items()
        if isinstance(value, np.ndarray)
    }
    return arguments | {f"device:{at}": array for at, array in inputs.device.items()}


def _in_fork(case: Case, file: Path, answer: Path | None) -> dict[str, Any]:
    """What `take_steps` finds, in a process that may crash or hang."""
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=take_steps, args=(case, file, answer, REPEATS, send))
    child.start()
    send.close()
    found: dict[str, Any] = {"steps": {}, "note": "", "seconds": None}
    try:
        while receive.poll(LIMIT_SECONDS):
            found.update(receive.recv())
        ended = f"hangs: no news for {LIMIT_SECONDS} s"
        child.kill()
    except EOFError:
        child.join()
        ended = f"the process ended with status {child.exitcode}"
    unfinished = next((step for step in STEPS if step not in found["steps"]), None)
    if unfinished is not None and not found["steps"].get("parse"):
        found["steps"] = {**found["steps"], unfinished: ended}
    return found
