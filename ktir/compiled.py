"""A compiled program: what `compile_module`, `compile_ir` and `load` return.

Owns the user's view of it: calls, IR of each level, plan, profiles, saving. How levels are made is
in `ktir.pipeline`, how they run in `ktir.execution`, what the file looks like in `ktir.package`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import Tensor

from ktir import package
from ktir.errors import InputError, KtirError
from ktir.execution import Executor, executor
from ktir.interface import Interface
from ktir.levels import LAST, LEVELS, MLIR_LEVELS, check_level
from ktir.options import CompileOptions
from ktir.plan_table import PlanTable, plan_table
from ktir.profile import Profile
from ktir.signature import Signature, signature_of
from ktir.store import LevelStore, missing

if TYPE_CHECKING:
    from ktir.frontend.export import Exported
    from ktir.mlir.ir import Operation


class Compiled:
    """A program with the IR of the levels it went through. Made by `compile_module`, `compile_ir`
    and `load`.

    `weights`: the tensors of its state by argument name. `interface`: its inputs and outputs; None
    for a file of kernels. `options`: what it was compiled with. `target`: the device.
    """

    def __init__(
        self,
        store: LevelStore,
        weights: Mapping[str, Tensor],
        options: CompileOptions,
        interface: Interface | None = None,
        exported: Exported | None = None,
    ) -> None:
        self._store = store
        self._exported = exported
        self._executors: dict[str, Executor] = {}
        self.weights = dict(weights)
        self.options = options
        self.target = options.target()
        signature = self._signature()
        if interface is None and signature is not None:
            interface = Interface.of_signature(signature, self.weights)
        if interface is not None and signature is not None:
            interface.check(signature, self.weights)
        self.interface = interface

    # ---- looking at it ---------------------------------------------------------------------------

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels whose IR there is, in order."""
        return (("torch",) if self._exported is not None else ()) + self._store.levels

    @property
    def level(self) -> str:
        """The last level that was reached."""
        return self.levels[-1]

    def ir(self, level: str, locations: bool = False) -> str:
        """The text of a level. With `locations`, ops say which line of the model they come from.

        Raises InputError for a level that the program does not have.
        """
        if check_level(level) not in self.levels:
            raise InputError(missing(level, self.levels))
        if level == "torch":
            return str(self.exported.program)
        return self._store.text(level, locations)

    def module(self, level: str) -> Operation:
        """The MLIR module of a level; do not change it."""
        return self._store.module(check_level(level, MLIR_LEVELS))

    @property
    def exported(self) -> Exported:
        """The `torch` level; its `program` is torch's ExportedProgram. Raises InputError for a
        loaded program, which does not have it.
        """
        if self._exported is None:
            raise InputError(missing("torch", self.levels))
        return self._exported

    @property
    def plan(self) -> PlanTable:
        """The decisions, a row a kernel."""
        return plan_table(self._store.module("plan"))

    @property
    def output_names(self) -> tuple[str, ...]:
        """A name for each leaf of the outputs: its path, 'output' for a lone one."""
        return self._interface().output_names

    def __repr__(self) -> str:
        signature = self._signature()
        return f"<ktir.Compiled at level {self.level}: {signature or 'no @main'}>"

    # ---- running it ------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The model's outputs, in its own structure, dtypes and names; takes inputs as the model
        does.

        Raises InputError for inputs that do not fit, KtirError if the program was stopped before
        the last level, and MachineError for what the machine forbids.
        """
        return self.run_level(LAST, *args, **kwargs)

    def bind(self, *args: Any, **kwargs: Any) -> dict[str, Tensor]:
        """The tensors of a call by argument name. Raises InputError for inputs that do not fit."""
        return self._interface().bind(args, kwargs)

    def run_level(self, level: str, *args: Any, **kwargs: Any) -> Any:
        """The same as a call, executed at a level of choice."""
        inputs = self.bind(*args, **kwargs)
        results = self.execute(level, inputs)
        return self._interface().rebuild(results, self.weights | inputs)

    def execute(self, level: str, inputs: Mapping[str, Tensor]) -> list[Tensor]:
        """The results of `main`, in its order, for inputs by argument name."""
        return self._interface().cast_results(self._executor(level).run(inputs))

    def estimate(self) -> Profile:
        """How long a call would take on the device, and what it would move; needs no data."""
        return Profile.of(self._executor(LAST, values=False).estimate())

    def profile(self, *args: Any, **kwargs: Any) -> Profile:
        """Runs a call and returns what was counted, with the model's outputs as `outputs`."""
        inputs = self.bind(*args, **kwargs)
        results, counted = self._executor(LAST).profile(inputs)
        outputs = self._interface().rebuild(
            self._interface().cast_results(results), self.weights | inputs
        )
        return Profile.of(counted, outputs)

    def _executor(self, level: str, values: bool = True) -> Executor:
        """What runs a level; made on first use. Refuses levels that were not reached and weights
        without data.
        """
        check_level(level)
        if level not in self.levels:
            self._refuse_unreached(level)
        empty = [name for name, tensor in self.weights.items() if tensor.device.type == "meta"]
        if values and empty:
            raise InputError(
                f"weight {empty[0]!r} has no data (device meta): only estimate() works on such a "
                "program"
            )
        if level not in self._executors:
            source = self.exported if level == "torch" else self._store.module(level)
            self._executors[level] = executor(
                level, source, self.weights, self.target, self.options
            )
        return self._executors[level]

    def _refuse_unreached(self, level: str) -> None:
        reached = LEVELS.index(self.level)
        if LEVELS.index(level) > reached:
            raise KtirError(
                f"compilation was stopped after level {self.level!r}, so it cannot run at "
                f"{level!r}; compile without stop_after, or resume with "
                f"ktir.compile_ir(c.ir({self.level!r}), {self.level!r}, like=c)"
            )
        raise InputError(missing(level, self.levels))

    def _interface(self) -> Interface:
        if self.interface is None:
            raise KtirError(
                "the program has no @main, only kernels: run one with ktir.run_kernel or `ktir "
                "run --func`"
            )
        return self.interface

    def _signature(self) -> Signature | None:
        """That of the last level; None before there is MLIR, and for kernels without @main."""
        return signature_of(self._store.module(self.level)) if self._store.levels else None

    # ---- saving it -------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Writes all that is needed to run the program in a process that knows neither the model
        nor torch-mlir.

        The file appears whole or not at all. Raises InputError if it cannot be written, if an input
        has no form in a file, or if the program has no MLIR yet.
        """
        if not self._store.levels:
            raise InputError(
                "stopped after level 'torch', there is no program to save; save "
                "c.exported.program with torch.export"
            )
        manifest = {
            "levels": list(self._store.levels),
            "options": self.options.to_json(),
            "interface": None if self.interface is None else self.interface.to_json(),
        }
        texts = {level: self._store.text(level, locations=True) for level in self._store.levels}
        target = None if self.options.target_file is None else self.target
        package.write_package(path, package.Contents(manifest, texts, self.weights, target))
