"""Runs a kernel in the oracle and on the machine, and compares what they leave in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import assume
from torch import Tensor

import test.oracle as oracle
from ktir.errors import KtirError
from ktir.machine.kernel import run
from ktir.mlir import ir
from ktir.modules import new_context, parse_module
from ktir.options import CompileOptions
from ktir.pipeline import run_stage
from ktir.target import load_target
from test.oracle.formats import same

from .faults import Fault
from .guard import limited
from .kernel import DTYPES, Kernel

_ELEMENTS = {dtype: element for element, dtype in DTYPES.items()}

Arrays = dict[str | int, list[Any]]
"""Elements by the name or address of an array."""


class Checker:
    """One context for many kernels; a fresh one now and then, since a context only grows."""

    def __init__(self) -> None:
        self._target = load_target()
        self._options = CompileOptions(target_file=self._target)
        self._context = new_context()
        self._left = 500

    def check(self, kernel: Kernel, check: str = "bounds") -> None:
        """Raises AssertionError with the kernel where a level differs from the oracle."""
        expected = self.expected(kernel)
        for level in kernel.levels:
            compare(expected, self.found(kernel, level, check), f"level {level}", kernel)

    def refuses(self, fault: Fault) -> None:
        """Raises AssertionError where a level runs a kernel with a fault, or breaks on it."""
        kernel = fault.kernel
        if fault.runs or fault.check == "full":
            assume(self._is_fault(fault))
        for level in kernel.levels:
            try:
                with limited():
                    self.launch(kernel.text, kernel.arguments, kernel.device, level, fault.check)
            except KtirError:
                continue
            except Exception as error:
                raise AssertionError(
                    f"level {level} breaks: {type(error).__name__}: {error}\n{fault!r}"
                ) from error
            raise AssertionError(f"level {level} runs a kernel with a fault\n{fault!r}")

    def _is_fault(self, fault: Fault) -> bool:
        """Whether the oracle comes by the fault."""
        try:
            _, report = self._run_oracle(fault.kernel)
        except oracle.Fault:
            return True
        seen = {"race": report.contested, "unwritten": report.unwritten, "unordered": 1}
        return bool(seen.get(fault.kind, 0))

    def parse(self, text: str) -> ir.Operation:
        """The module of a text."""
        self._left -= 1
        if self._left == 0:
            self._context, self._left = new_context(), 500
        return parse_module(text, "the kernel", self._context)

    def expected(self, kernel: Kernel) -> Arrays:
        """What the oracle leaves in every array."""
        try:
            held, report = self._run_oracle(kernel)
        except (oracle.OracleLimit, oracle.Fault, KtirError) as error:
            raise AssertionError(f"the oracle refuses the kernel: {error}\n{kernel!r}") from error
        assert not report.contested, f"several cores write to one place\n{kernel!r}"
        assert not report.unwritten, f"the kernel reads what nobody wrote\n{kernel!r}"
        return {key: value.data for key, value in held.items() if isinstance(value, oracle.Array)}

    def _run_oracle(self, kernel: Kernel) -> tuple[dict[str | int, Any], oracle.Report]:
        """All arguments as the oracle leaves them, and what it found suspicious."""
        arguments = {name: _array(value) for name, value in kernel.arguments.items()}
        device = {address: _array(value) for address, value in kernel.device.items()}
        report = oracle.run(self.parse(kernel.text), arguments, "kernel", device=device)
        held: list[tuple[str | int, Any]] = [*arguments.items(), *device.items()]
        return dict(held), report

    def found(self, kernel: Kernel, level: str, check: str = "bounds") -> Arrays:
        """What the machine leaves in every array."""
        try:
            arrays = self.launch(kernel.text, kernel.arguments, kernel.device, level, check)
        except KtirError as error:
            raise AssertionError(
                f"level {level} refuses the kernel: {error}\n{kernel!r}"
            ) from error
        return {name: value.reshape(-1).tolist() for name, value in arrays.items()}

    def launch(
        self,
        text: str,
        arguments: Mapping[str, Any],
        device: Mapping[int, Any],
        level: str,
        check: str = "bounds",
    ) -> dict[str | int, Tensor]:
        """The arrays as the machine leaves them. Raises what the machine raises."""
        names = {"kernel": list(arguments)}
        return run(
            self.parse(text),
            "kernel",
            arguments,
            names=names,
            level=level,
            device=device,
            check=check,
            target=self._target,
            lower=lambda module: run_stage(module, "sdf", self._options, self._target),
        ).arrays


def _array(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    elements = value.reshape(-1).tolist()
    element = _ELEMENTS[value.dtype]
    return oracle.Array(element, [int(x) if element == "i1" else x for x in elements])


def compare(expected: Arrays, found: Mapping[Any, list[Any]], what: str, kernel: Kernel) -> None:
    """Raises AssertionError at the first array that differs."""
    assert set(expected) == set(found)
    for name, wanted in expected.items():
        wrong = [i for i, x in enumerate(wanted) if not same(x, found[name][i])]
        if not wrong:
            continue
        shown = "\n".join(
            f"  [{i}]: expected {wanted[i]!r}{_tolerance(wanted[i])}, found {found[name][i]!r}"
            for i in wrong[:8]
        )
        raise AssertionError(
            f"{what}: {len(wrong)} of {len(wanted)} elements of {name} differ\n{shown}\n{kernel!r}"
        )


def _tolerance(wanted: Any) -> str:
    return f" +- {wanted.error:g}" if isinstance(wanted, oracle.Rough) else ""
