"""Whole programs: a host function that places buffers in device memory and launches kernels in
order.

Owns `Program`, which decodes a module once, keeps constants in device memory, and runs; and
`estimate`, which walks the same steps without data. The memrefs of host functions are in
`host_memory`, one launch in `launch`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from ktir.errors import InputError, KtirError, MachineError, UnsupportedError, VerifyError
from ktir.machine.decode import decode_region, scalar_type
from ktir.machine.frame import Frame
from ktir.machine.functions import Library
from ktir.machine.host_memory import HostRun, HostScope, static_shape
from ktir.machine.launch import Kernel, decode_kernel, kernels_of
from ktir.machine.location import Place
from ktir.machine.memory import DeviceMemory, Scratchpad
from ktir.machine.numerics import dtype_of
from ktir.machine.profile import KernelProfile, RunProfile
from ktir.machine.values import argument_name
from ktir.machine.workers import running
from ktir.mlir import ir
from ktir.target import Target, load_target


@dataclass(frozen=True)
class Operand:
    """An argument or result of the host function."""

    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype


class _Launch:
    """A kernel as the host function calls it.

    `itself`: the kernel decoded for its own sake, where `kernel` was decoded from an equal one, to
    which the places in its messages belong.
    """

    def __init__(
        self, kernel: Kernel, program: Program, itself: Callable[[], Kernel] | None
    ) -> None:
        self._kernel = kernel
        self._program = program
        self._itself = itself

    def call(self, frame: Frame, arguments: Sequence[Any]) -> list[Any]:
        """Runs the kernel on its grid and notes its profile."""
        run = frame.run
        assert isinstance(run, HostRun)
        try:
            profile = self._launched(self._kernel, arguments, run)
        except KtirError:
            if self._itself is None:
                raise
            profile = self._launched(self._itself(), arguments, run)
        run.kernels.append(profile)
        return []

    def _launched(self, kernel: Kernel, arguments: Sequence[Any], run: HostRun) -> KernelProfile:
        return kernel.launch(
            arguments,
            run.memory,
            self._program.target,
            check=self._program.check,
            values=run.values,
            scratchpad=self._program.scratchpad(kernel, run.values),
        )


class _Kernels:
    """The kernels of a module, each decoded when it is first called.

    Without values, kernels that are equal but for their names and locations are decoded once. Such
    launches refer to the module.
    """

    def __init__(self, root: ir.Operation, program: Program, values: bool) -> None:
        self._definitions = kernels_of(root)
        self._library = Library(root)
        self._program = program
        self._values = values
        self._decoded: dict[str, _Launch] = {}
        self._by_text: dict[str, Kernel] = {}

    def find(self, symbol: str, caller: ir.Operation) -> _Launch:
        """The kernel of this name. Raises VerifyError if there is none."""
        if symbol not in self._decoded:
            if symbol not in self._definitions:
                known = ", ".join(f"@{name}" for name in self._definitions)
                raise VerifyError(f"there is no kernel @{symbol}; functions with a body: {known}")
            op = self._definitions[symbol]
            self._decoded[symbol] = self._decode(op) if self._values else self._shared(op, symbol)
        return self._decoded[symbol]

    def _decode(self, op: ir.Operation) -> _Launch:
        kernel = self._kernel(op)
        self._program.needs(kernel)
        return _Launch(kernel, self._program, None)

    def _kernel(self, op: ir.Operation) -> Kernel:
        program = self._program
        return decode_kernel(op, self._library, program.target, self._values, program.check)

    def _shared(self, op: ir.Operation, symbol: str) -> _Launch:
        text = str(op.get_asm(use_local_scope=True, assume_verified=True))
        text = text.replace(f"@{symbol}", "", 1)
        equal = self._by_text.get(text)
        if equal is None:
            equal = self._by_text[text] = self._kernel(op)
            self._program.needs(equal)
        kernel = replace(equal, name=symbol, location=str(op.location))
        return _Launch(kernel, self._program, functools.partial(self._kernel, op))


class Program:
    """A module of level `ktir` or `sdf`, ready to run.

    `constants` are arguments of the host function that never change: they are copied to device
    memory once, and again only after a kernel wrote to them. `check`: as in `kernel.run`.
    `values=False` decodes for `estimate` only.

    Raises VerifyError if there is no host function, BoundsError for buffers that overlap, and what
    decoding raises.
    """

    def __init__(
        self,
        module: ir.Module | ir.Operation,
        constants: Mapping[str, Tensor] | None = None,
        *,
        target: Target | None = None,
        check: str = "bounds",
        values: bool = True,
    ) -> None:
        self.target = target or load_target()
        self.check = check
        self._values = values
        self._scratchpads: dict[int, Scratchpad] = {}
        self._scratchpad_bytes = 0
        self._is_steady = check == "bounds"
        with module.context:
            self._decode(module.operation)
        self._memory = self._new_memory(values)
        self._constants = self._checked_constants(constants or {})
        self._uploaded, self._repeats = False, True
        self.inputs = tuple(
            operand for i, operand in enumerate(self.arguments) if i not in self._constants
        )

    def _decode(self, root: ir.Operation) -> None:
        op = _host_function(root)
        scope = HostScope(_Kernels(root, self, self._values), self.target.memory.capacity_bytes)
        try:
            self._block = decode_region(op.regions[0], scope)
        except KtirError as error:
            error.locate(str(Place.of(op)))
            raise
        self._template = tuple(scope.template)
        self._buffers = tuple(scope.buffers)
        self._uploads = dict(scope.uploads)
        arguments = list(op.regions[0].blocks[0].arguments)
        self.arguments = tuple(_operand(argument_name(a), a.type) for a in arguments)
        results = list(op.regions[0].blocks[0].operations)[-1].operands
        self.results = tuple(
            _operand(_result_name(op, i), value.type) for i, value in enumerate(results)
        )

    def needs(self, kernel: Kernel) -> None:
        """Notes a kernel that is launched: the end of its scratchpad buffers, where it writes."""
        self._is_steady &= kernel.is_steady
        self._scratchpad_bytes = max(self._scratchpad_bytes, kernel.scratchpad_end)

    def scratchpad(self, kernel: Kernel, values: bool) -> Scratchpad | None:
        """Scratchpads for a launch, fresh where the kernel may tell; their memory is reused."""
        if kernel.level != "sdf" or self.check == "full":
            return None
        cores = 1
        for extent in kernel.grid:
            cores *= extent
        found = self._scratchpads.get(cores)
        if found is None:
            found = Scratchpad(cores, self._scratchpad_bytes, values)
            self._scratchpads[cores] = found
        for start, end in kernel.unwritten:
            found.refill(start, end)
        return found

    def _new_memory(self, values: bool) -> DeviceMemory:
        size = max((buffer.address + buffer.size for buffer in self._buffers), default=0)
        try:
            memory = DeviceMemory(size, values, tracked=self.check == "full")
        except MachineError as error:
            last = max(self._buffers, key=lambda buffer: buffer.address)
            error.locate(f"buffer '{last.name}' at byte {last.address}")
            raise
        self._allocations = {
            buffer: memory.add_region(buffer.name, buffer.address, buffer.size)
            for buffer in self._buffers
        }
        return memory

    def _checked_constants(self, constants: Mapping[str, Tensor]) -> dict[int, Tensor]:
        names = [operand.name for operand in self.arguments]
        for name in constants:
            if name not in names:
                raise InputError(f"there is no argument '{name}'; arguments: {', '.join(names)}")
        found = {}
        for position, operand in enumerate(self.arguments):
            if operand.name in constants:
                value = constants[operand.name]
                _check(value, operand)
                found[position] = value
        return found

    def __call__(self, *inputs: Tensor) -> list[Tensor]:
        """Runs the program; one tensor an input, in order. Returns new dense tensors."""
        return self.run(inputs)[0]

    def run(
        self, inputs: Sequence[Tensor] | Mapping[str, Tensor]
    ) -> tuple[list[Tensor], RunProfile]:
        """Runs the program on inputs in order or by name; returns its results and the profile.

        Raises InputError for inputs that do not fit, and what the kernels raise.
        """
        if not self._values:
            raise InputError("the program was decoded for an estimate only")
        values = self._arguments(inputs)
        resident = self._refresh()
        run = HostRun(self._memory, resident, values=True)
        frame = Frame(self._template, run, run.everyone)
        for slot, value in zip(self._block.arguments, values, strict=True):
            frame[slot] = value
        with running():
            self._block.run(frame)
        self._uploaded, self._repeats = True, self._is_steady
        results = [frame[slot] for slot in self._block.results]
        return results, RunProfile(self.target.name, tuple(run.kernels))

    def estimate(self) -> RunProfile:
        """The profile of a run without data. Raises MachineError if the control flow needs data."""
        run = HostRun(self._new_memory(values=False), frozenset(), values=False)
        frame = Frame(self._template, run, run.everyone)
        self._block.run(frame)
        return RunProfile(self.target.name, tuple(run.kernels))

    def _arguments(self, inputs: Sequence[Tensor] | Mapping[str, Tensor]) -> list[Tensor]:
        expected = ", ".join(f"{operand.name} {list(operand.shape)}" for operand in self.inputs)
        if isinstance(inputs, Mapping):
            names = [operand.name for operand in self.inputs]
            if set(inputs) != set(names):
                raise InputError(f"expected the inputs {expected}; found {', '.join(inputs)}")
            inputs = [inputs[name] for name in names]
        if len(inputs) != len(self.inputs):
            raise InputError(f"expected {len(self.inputs)} inputs: {expected}; found {len(inputs)}")
        for value, operand in zip(inputs, self.inputs, strict=True):
            _check(value, operand)
        given = iter(inputs)
        return [
            self._constants[i] if i in self._constants else next(given)
            for i in range(len(self.arguments))
        ]

    def _refresh(self) -> frozenset[int]:
        """Makes device memory fresh but for constants; returns the positions of those.

        A run writes to the same places as the one before it if its kernels do. So a buffer that was
        written before it was read needs nothing: what is old in it cannot be read.
        """
        resident = {
            position: view.buffer
            for position, view in self._uploads.items()
            if self._uploaded
            and position in self._constants
            and not self._allocations[view.buffer].written
        }
        kept = set(resident.values())
        for buffer, allocation in self._allocations.items():
            if buffer not in kept and (allocation.is_late or not self._repeats):
                self._memory.refill(buffer.address, buffer.size)
            allocation.forget()
        self._uploaded = self._repeats = False
        return frozenset(resident)


def _host_function(root: ir.Operation) -> ir.Operation:
    """`main` of the module `host`."""
    for op in root.regions[0].blocks[0].operations:
        inner = op.operation
        if inner.name == "builtin.module" and "sym_name" in inner.attributes:
            if ir.StringAttr(inner.attributes["sym_name"]).value != "host":
                continue
            found = kernels_of(inner)
            if "main" in found:
                return found["main"]
    raise VerifyError("expected a module @host with a function @main that launches kernels")


def _operand(name: str, mlir_type: ir.Type) -> Operand:
    if not isinstance(mlir_type, ir.MemRefType):
        raise UnsupportedError(f"'{name}' of the host function is {mlir_type}, not a memref")
    return Operand(name, static_shape(mlir_type), dtype_of(scalar_type(mlir_type)))


def _result_name(op: ir.Operation, number: int) -> str:
    if "res_attrs" in op.attributes:
        attributes = ir.DictAttr(ir.ArrayAttr(op.attributes["res_attrs"])[number])
        if "ktir.name" in attributes:
            return str(ir.StringAttr(attributes["ktir.name"]).value)
    return f"result{number}"


def _check(value: Tensor, operand: Operand) -> None:
    if not isinstance(value, Tensor):
        raise InputError(f"'{operand.name}': expected a tensor, found a {type(value).__name__}")
    if tuple(value.shape) != operand.shape or value.dtype != operand.dtype:
        raise InputError(
            f"'{operand.name}': expected {operand.dtype} of shape {list(operand.shape)}, found "
            f"{value.dtype} of shape {list(value.shape)}"
        )


def estimate(module: ir.Module | ir.Operation, target: Target | None = None) -> RunProfile:
    """Counts and times of a program of level `sdf`, without any data.

    Raises UnsupportedError at other levels, where times do not exist, and MachineError if what the
    program does depends on data.
    """
    profile = Program(module, target=target, values=False).estimate()
    if any(kernel.level != "sdf" for kernel in profile.kernels):
        raise UnsupportedError("an estimate needs level sdf; the program is at level ktir")
    return profile
