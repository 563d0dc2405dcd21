"""One kernel on arrays of the caller: `run`, the engine of `ktir.run_kernel`.

Owns the choice of the kernel in a module, the matching of arguments by the file's own names, their
place in device memory, and what comes back. Lowering is not the machine's business: for level `sdf`
the caller hands one in.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ktir.errors import BoundsError, InputError
from ktir.layout import STICK_BYTES, round_up
from ktir.machine import arrays
from ktir.machine.footprint import TileBytes
from ktir.machine.functions import Library
from ktir.machine.launch import (
    Kernel,
    Parameter,
    check_grid,
    decode_kernel,
    is_kernel,
    kernel_grid,
    kernels_of,
)
from ktir.machine.memory import DeviceMemory, Scratchpad
from ktir.machine.numerics import dtype_of
from ktir.machine.patterns import Offsets
from ktir.machine.profile import RunProfile
from ktir.machine.values import argument_name
from ktir.machine.workers import running
from ktir.mlir import ir
from ktir.target import Target, load_target

GUARD_BYTES = 4096
"""Bytes between arrays that belong to none, so that a step past an end does not land in a
neighbour."""

LEVELS = ("ktir", "sdf")

Lower = Callable[[ir.Operation], ir.Operation]
"""Lowers a `ktir` module, which stays as it is, to `sdf`; kernels keep their names and the order of
their arguments."""


class Result(NamedTuple):
    """What a kernel left: every array by the name, or address, it was given under; and the
    profile."""

    arrays: dict[str | int, Any]
    profile: RunProfile


@dataclasses.dataclass(frozen=True)
class Prepared:
    """A kernel that is decoded, to be run on any arrays that fit. `watched` decodes it for check
    "full"."""

    kernel: Kernel
    names: tuple[str, ...]
    target: Target
    watched: Callable[[], Kernel]

    @running()
    def run(
        self,
        args: Mapping[str, Any] | Sequence[Any] = (),
        *,
        grid: Sequence[int] | None = None,
        check: str = "bounds",
        device: Mapping[int, Any] | None = None,
        scratchpads: Mapping[tuple[int, int], Any] | None = None,
    ) -> Result:
        """Runs the kernel on arrays and scalars.

        `args`: numpy or torch arrays and scalars by name, or in order; `arg0`, `arg1` .. name
        arguments by position. An `index` argument is a pointer exactly if it is given an array.
        Arrays are copied, never changed. `device`: arrays at constant addresses, counted in their
        elements; `scratchpads`: arrays that scratchpads hold before the kernel begins, by core and
        address. `check`: what to look for, see `ktir.options.CHECKS`.

        Raises InputError for arguments that do not fit, and what the kernel's ops raise.
        """
        target, tracked = self.target, check == "full"
        kernel = self.watched() if tracked else self.kernel
        given = _match(kernel, self.names, args)
        capacity = target.memory.capacity_bytes
        placed = _Placed(given, kernel.parameters, device or {}, capacity, tracked)
        fill = functools.partial(_fill, scratchpads) if scratchpads else None
        profile = kernel.launch(
            placed.arguments, placed.memory, target, grid=grid, check=check, fill=fill
        )
        return Result(placed.results(), RunProfile(target.name, (profile,)))


def prepare(
    module: ir.Operation,
    func: str | None = None,
    *,
    names: Mapping[str, Sequence[str]] | None = None,
    grid: Sequence[int] | None = None,
    level: str = "ktir",
    target: Target | None = None,
    lower: Lower | None = None,
) -> Prepared:
    """A kernel of a module, decoded.

    `func`: the kernel's name, anywhere in nested modules; the only kernel if not given. `names`:
    those that the module's text gives to arguments, by kernel; noted on the kernel in `module` for
    messages. `grid`: the one to lower for, if not the kernel's. `lower`: needed for level `sdf` if
    the module is at level `ktir`.

    Raises InputError for a kernel or level that is not there, and the errors of ops that cannot be
    decoded.
    """
    if level not in LEVELS:
        raise InputError(f"unknown level '{level}'; known: {', '.join(LEVELS)}")
    target = target or load_target()
    with module.context:
        op = choose_kernel(kernels_of(module), func)
        name = ir.StringAttr(op.attributes["sym_name"]).value
        known = _argument_names(op, (names or {}).get(name, ()))
        if names is not None:
            _keep_names(op, known)
        if level == "sdf" and op.name != "sdf.program":
            if lower is None:
                raise InputError("level 'sdf' needs a lowering, and none was given")
            # Tables of a row a core are made when it is lowered.
            with _of_grid(op, grid or kernel_grid(op) or (1,)):
                check_grid(kernel_grid(op), target)
                module = lower(module)
            op = choose_kernel(kernels_of(module), name)
        decode = functools.partial(decode_kernel, op, Library(module), target)
        return Prepared(decode(), tuple(known), target, functools.partial(_watched, decode, module))


@contextlib.contextmanager
def _of_grid(op: ir.Operation, grid: Sequence[int]) -> Iterator[None]:
    """Lets a kernel state this grid for a while."""
    before = op.attributes.get("grid")
    op.attributes["grid"] = ir.DenseI64ArrayAttr.get(list(grid))
    try:
        yield
    finally:
        del op.attributes["grid"]
        if before is not None:
            op.attributes["grid"] = before


def _fill(given: Mapping[tuple[int, int], Any], pad: Scratchpad) -> None:
    """Puts arrays into scratchpads. Raises InputError for places that are not there."""
    for (core, address), array in given.items():
        start = address * int(array.dtype.itemsize)
        end = start + arrays.byte_count(array)
        if not 0 <= core < pad.cores or start < 0 or end > pad.size:
            raise InputError(
                f"scratchpads[{core}, {address}] is bytes {start} to {end - 1} of core {core}; "
                f"there are {pad.cores} cores with {pad.size} bytes each"
            )
        data = torch.empty(end - start, dtype=torch.uint8)
        arrays.put_bytes(array, data)
        pad.give(core, start, data)


def _watched(decode: Callable[..., Kernel], module: ir.Operation) -> Kernel:
    with module.context:
        return decode(check="full")


def run(
    module: ir.Operation,
    func: str | None = None,
    args: Mapping[str, Any] | Sequence[Any] = (),
    *,
    names: Mapping[str, Sequence[str]] | None = None,
    grid: Sequence[int] | None = None,
    level: str = "ktir",
    check: str = "bounds",
    device: Mapping[int, Any] | None = None,
    target: Target | None = None,
    lower: Lower | None = None,
) -> Result:
    """Prepares a kernel of a module and runs it once: see `prepare` and `Prepared.run`."""
    prepared = prepare(
        module, func, names=names, grid=grid, level=level, target=target, lower=lower
    )
    return prepared.run(args, grid=grid, check=check, device=device)


def choose_kernel(kernels: Mapping[str, ir.Operation], name: str | None) -> ir.Operation:
    """The kernel of that name, or the only one. Raises InputError naming those there are."""
    if name is not None:
        if name not in kernels:
            known = ", ".join(f"@{known}" for known in kernels) or "none"
            raise InputError(f"there is no function @{name}; functions with a body: {known}")
        return kernels[name]
    candidates = [op for op in kernels.values() if is_kernel(op)] or list(kernels.values())
    if len(candidates) != 1:
        known = ", ".join(f"@{known}" for known in kernels) or "none"
        raise InputError(f"say which function to run; functions with a body: {known}")
    return candidates[0]


def _argument_names(op: ir.Operation, names: Sequence[str]) -> list[str]:
    arguments = list(op.regions[0].blocks[0].arguments)
    if len(names) == len(arguments):
        return list(names)
    return [argument_name(argument) for argument in arguments]


def _keep_names(op: ir.Operation, names: Sequence[str]) -> None:
    """Notes the names on the arguments, for messages and for what lowers the kernel."""
    with op.location:
        notes: list[dict[str, ir.Attribute]] = [
            {"ktir.name": ir.StringAttr.get(name)} for name in names
        ]
        if "arg_attrs" in op.attributes:
            for note, entry in zip(notes, ir.ArrayAttr(op.attributes["arg_attrs"]), strict=True):
                given = ir.DictAttr(entry)
                note.update({given[i].name: given[i].attr for i in range(len(given))})
        op.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(note) for note in notes])


def _match(
    kernel: Kernel, names: Sequence[str], args: Mapping[str, Any] | Sequence[Any]
) -> list[tuple[str, Any]]:
    """The key and the value of each argument, in order."""
    signature = f"@{kernel.name}({', '.join(names)})"
    if not isinstance(args, Mapping):
        if len(args) != len(names):
            raise InputError(f"{signature} takes {len(names)} arguments, {len(args)} are given")
        return list(zip(names, args, strict=True))
    left = dict(args)
    found = []
    for number, name in enumerate(names):
        keys = [key for key in dict.fromkeys((name, f"arg{number}")) if key in left]
        if len(keys) != 1:
            reason = "is missing" if not keys else f"is also given as '{keys[1]}'"
            raise InputError(f"argument '{name}' of {signature} {reason}")
        found.append((keys[0], left.pop(keys[0])))
    if left:
        raise InputError(f"{signature} has no argument '{next(iter(left))}'")
    return found


class _Placed:
    """The arguments as the kernel takes them, with the arrays in device memory of so many bytes."""

    def __init__(
        self,
        given: Sequence[tuple[str, Any]],
        parameters: Sequence[Parameter],
        device: Mapping[int, Any],
        capacity: int,
        tracked: bool,
    ) -> None:
        self._arrays: list[tuple[str | int, Any, int]] = []
        end = 0
        for address, array in device.items():
            if not arrays.is_array(array):
                raise InputError(f"device[{address}] is no array")
            arrays.element_type(array)
            start = address * int(array.dtype.itemsize)
            stop = start + arrays.byte_count(array)
            self._arrays.append((address, array, start))
            end = max(end, stop)
            if start < 0 or stop > capacity:
                raise InputError(
                    f"device[{address}] at bytes {start} to {stop - 1} is outside device memory of "
                    f"{capacity} bytes"
                )
            if tracked and start % STICK_BYTES:
                raise BoundsError(
                    f"device[{address}] begins at byte {start}; arrays begin on whole sticks, "
                    f"multiples of {STICK_BYTES} bytes"
                )
        self.arguments: list[Tensor] = []
        for (key, value), parameter in zip(given, parameters, strict=True):
            if not arrays.is_array(value):
                self.arguments.append(scalar(value, parameter, key))
                continue
            _check_pointer(value, parameter, key)
            start = round_up(end + GUARD_BYTES, STICK_BYTES)
            self._arrays.append((key, value, start))
            end = start + arrays.byte_count(value)
            self.arguments.append(torch.tensor([start // int(value.dtype.itemsize)]))
        self.memory = DeviceMemory(end + GUARD_BYTES, fresh=False, tracked=tracked)
        filled = 0
        for name, array, start in sorted(self._arrays, key=lambda entry: entry[2]):
            self.memory.refill(filled, max(start - filled, 0))
            filled = max(filled, start + arrays.byte_count(array))
            text = f"device[{name}]" if isinstance(name, int) else name
            try:
                self.memory.add_region(text, start, arrays.byte_count(array))
            except BoundsError as error:
                raise InputError(str(error)) from error
            arrays.put_bytes(array, self._bytes(array, start))
            if self.memory.shadow is not None and not isinstance(array, arrays.Unwritten):
                size = arrays.byte_count(array)
                self.memory.shadow.give(TileBytes.of(Offsets([start]), (size,), (1,), 1))
        self.memory.refill(filled, self.memory.size - filled)

    def _bytes(self, array: Any, start: int) -> Tensor:
        return self.memory.typed(torch.uint8)[start : start + arrays.byte_count(array)]

    def results(self) -> dict[str | int, Any]:
        """Every array as it is now."""
        return {
            name: arrays.from_bytes(self._bytes(array, start), array)
            for name, array, start in self._arrays
        }


def _check_pointer(array: Any, parameter: Parameter, key: str) -> None:
    if parameter.type_text != "index":
        raise InputError(
            f"argument '{key}' is a scalar of type {parameter.type_text}, not an array"
        )
    found, wanted = arrays.element_type(array), parameter.element
    if wanted is not None and not arrays.fits(array, wanted):
        raise InputError(
            f"argument '{key}': the kernel views it as {wanted}, the array given holds {found}"
        )


def scalar(value: Any, parameter: Parameter, key: str) -> Tensor:
    """A scalar argument as the machine holds it, [1]. Raises InputError if it does not fit its
    type."""
    plain = value.item() if hasattr(value, "item") else value
    type_text = parameter.type_text
    if not isinstance(plain, (bool, int, float)):
        raise InputError(
            f"argument '{key}': expected an array or a number, got {type(value).__name__}"
        )
    dtype = dtype_of(type_text)
    if dtype.is_floating_point:
        return torch.tensor([plain], dtype=dtype)
    if isinstance(plain, float) and not plain.is_integer():
        raise InputError(f"argument '{key}': {plain} is not an integer, as {type_text} is")
    number = int(plain)
    bits = 64 if type_text == "index" else int(re.sub(r"\D", "", type_text))
    if not -(1 << (bits - 1)) <= number < 1 << bits:
        raise InputError(f"argument '{key}': {number} does not fit into {type_text}")
    _check_promises(number, parameter, key)
    if dtype is torch.bool:
        return torch.tensor([number != 0])
    wrapped = number - (1 << bits) if number >= 1 << (bits - 1) else number
    return torch.tensor([wrapped], dtype=dtype)


def _check_promises(number: int, parameter: Parameter, key: str) -> None:
    """What the type of a runtime argument promises of its value."""
    bound = parameter.promises.get("upperbound")
    if bound is not None and number > bound:
        raise InputError(f"argument '{key}': {number} is over its upperbound {bound}")
    unit = parameter.promises.get("granularity", 1)
    if unit and number % unit:
        raise InputError(f"argument '{key}': {number} is not a multiple of its granularity {unit}")
