"""The steps of an example: parse, round-trip, lower, run at both levels, compare.

Owns what each step does and what counts as failing; runs in a process of its own and tells of every
step as soon as it ends.
"""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from ktir.errors import KtirError
from test.public.cases import Case
from test.public.inputs import Inputs

STEPS = ("parse", "round-trip", "lower", "ktir", "sdf")

RELATIVE = 1e-2
"""Largest difference from ktir-cpu, relative to the value, or to the root mean square of the finite
values of its array where that is larger: sums in another order differ by ulps of their terms."""

ENOUGH_SECONDS = 1.0


class Failure(Exception):
    """A step went wrong; the text says how."""


def take_steps(case: Case, file: Path, answer: Path | None, repeats: int, news: Connection) -> None:
    """Takes the steps in order until one fails, sending what is known after each: `steps`, `note`,
    `seconds`.

    `answer`: what ktir-cpu left, if it did.
    """
    found: dict[str, Any] = {"steps": {}, "note": "", "seconds": None}
    run = _Example(case, file, answer, repeats, found)
    for step, take in run.steps().items():
        try:
            take()
            found["steps"][step] = ""
        except Failure as failure:
            found["steps"][step] = str(failure)
        except KtirError as error:
            found["steps"][step] = f"{type(error).__name__}: {error}"
        except Exception as error:  # noqa: BLE001 - a defect of ours is a row of the table
            found["steps"][step] = f"internal error: {type(error).__name__}: {error}"
        news.send(found)
        if found["steps"][step] and step == "parse":
            break
    news.close()


class _Example:
    """One example on its way; keeps what later steps need."""

    def __init__(
        self, case: Case, file: Path, answer: Path | None, repeats: int, found: dict[str, Any]
    ) -> None:
        self._case, self._file, self._repeats, self._found = case, file, repeats, found
        self._wanted: Mapping[str, Any] | None = None
        if case.oracle is not None:
            self._wanted = case.oracle(case.inputs())
        elif answer is not None:
            with np.load(answer) as stored:
                self._wanted = {name: stored[name] for name in stored.files}

    def steps(self) -> dict[str, Callable[[], None]]:
        """The steps by name."""
        actions = (self._parse, self._round_trip, self._lower, self._ktir, self._sdf)
        return dict(zip(STEPS, actions, strict=True))

    def _parse(self) -> None:
        from ktir.modules import new_context, parse_file

        self._module = parse_file(self._file, new_context())

    def _round_trip(self) -> None:
        check_round_trips(self._module)

    def _lower(self) -> None:
        from ktir.options import CompileOptions
        from ktir.pipeline import run_stage
        from ktir.target import load_target

        try:
            run_stage(self._module, "sdf", CompileOptions(), load_target(None))
        except KtirError as error:
            self._expect_overflow(error)
        else:
            self._found["note"] = ""

    def _ktir(self) -> None:
        self._found["seconds"] = self._run("ktir")

    def _sdf(self) -> None:
        self._run("sdf")

    def _run(self, level: str) -> float | None:
        """Runs the kernel and compares; returns seconds of the best launch."""
        from ktir.api import PreparedKernel

        times: list[float] = []
        try:
            kernel = PreparedKernel(self._file, self._case.func, level=level)
            # The first launch starts threads and may be slow for that alone.
            while len(times) < 2 or (len(times) < self._repeats and sum(times) < ENOUGH_SECONDS):
                inputs = self._case.inputs()
                start = time.perf_counter()
                left = launch(kernel, inputs)
                times.append(time.perf_counter() - start)
        except KtirError as error:
            self._expect_overflow(error)
            return None
        if self._case.overflows:
            raise Failure("runs, though its tiles exceed the scratchpad")
        if self._wanted is None:
            raise Failure("no values of ktir-cpu to compare with")
        worst = compare(left, self._wanted, self._case.moves)
        note = "bit for bit" if worst == 0 else f"within {worst:.1e}"
        self._found["note"] = f"{note} of numpy" if self._case.oracle else note
        return min(times)

    def _expect_overflow(self, error: KtirError) -> None:
        """Lets the error pass if it is the one that the example must meet."""
        overflow = re.search(r"the scratchpad overflows: [\w ,]*", str(error))
        if not self._case.overflows or overflow is None:
            raise error
        self._found["note"] = f"refused: {overflow[0]}"


def launch(kernel: Any, inputs: Inputs) -> dict[str, Any]:
    """Every array that the kernel leaves, named as in answers of ktir-cpu."""
    result = kernel.launch(inputs.arguments, device=inputs.device, scratchpads=inputs.scratchpads)
    return {
        f"device:{key}" if isinstance(key, int) else f"argument:{key}": value
        for key, value in result.arrays.items()
    }


def check_round_trips(module: Any) -> None:
    """Raises Failure if custom text, generic text or bytecode do not lead back to the module."""
    custom = str(module.get_asm(enable_debug_info=True))
    generic = str(module.get_asm(enable_debug_info=True, print_generic_op_form=True))
    bytecode = io.BytesIO()
    module.write_bytecode(bytecode)
    for form, source in (
        ("custom", custom),
        ("generic", generic),
        ("bytecode", bytecode.getvalue()),
    ):
        again = str(_parsed(source, form).get_asm(enable_debug_info=True))
        if again != custom:
            lines = zip(custom.splitlines(), again.splitlines(), strict=False)
            differs = next((f"{a.strip()} became {b.strip()}" for a, b in lines if a != b), "")
            raise Failure(f"{form} form is no fixed point: {differs}")


def _parsed(source: Any, form: str) -> Any:
    from ktir.mlir import ir

    try:
        return ir.Module.parse(source, ir.Context()).operation
    except ir.MLIRError as error:  # type: ignore[attr-defined]  # the stubs leave it out
        raise Failure(f"{form} form does not parse: {error}") from error


def compare(left: Mapping[str, Any], wanted: Mapping[str, Any], exactly: bool) -> float:
    """The largest difference, in units of `RELATIVE`'s scale; raises Failure if it is too large, or
    if there is any and none is allowed.
    """
    worst = 0.0
    for name, found in left.items():
        reference = wanted[name]
        if found.tobytes() == reference.tobytes():
            continue
        difference = relative_difference(found, reference)
        if exactly:
            raise Failure(f"{name} differs from ktir-cpu, and the kernel only moves data")
        if not difference <= RELATIVE:
            raise Failure(f"{name} differs from ktir-cpu by {difference:.3g}, relative")
        worst = max(worst, difference)
    return worst


def relative_difference(found: Any, reference: Any) -> float:
    """The largest |found - reference| / max(|reference|, rms); infinite if only one is finite."""
    found, reference = found.astype(np.float64), reference.astype(np.float64)
    same = (found == reference) | (np.isnan(found) & np.isnan(reference))
    finite = reference[np.isfinite(reference)]
    scale = np.sqrt(np.mean(finite**2)) if finite.size else 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = np.abs(found - reference) / np.maximum(np.abs(reference), scale)
    difference = np.where(same, 0.0, np.where(np.isfinite(difference), difference, np.inf))
    return float(difference.max(initial=0.0))
