"""One kernel on arrays of the caller: `run`, the engine of `ktir.run_kernel`.

Owns the choice of the kernel in a module and the matching of arguments by the file's own names;
their place in device memory is in `placed`, launches that repeat in `repeats`. Lowering is not the
machine's business: for level `sdf` the caller hands one in.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ktir.buffer_ops import has_buffer_ops, use_tensors
from ktir.errors import InputError, did_you_mean
from ktir.grids import check_fits, of_grid
from ktir.inside import callees
from ktir.machine import arrays
from ktir.machine.functions import Library
from ktir.machine.launch import (
    Kernel,
    check_grid,
    decode_kernel,
    is_kernel,
    kernel_grid,
    kernels_of,
)
from ktir.machine.placed import Placement
from ktir.machine.profile import RunProfile
from ktir.machine.repeats import Launch, Remember, Repeat, unwritten_of
from ktir.machine.repeats import Result as Result
from ktir.machine.values import names_of_arguments
from ktir.machine.workers import running
from ktir.mlir import ir
from ktir.plain_control import has_other_control, make_control_plain
from ktir.target import Target, load_target

LEVELS = ("ktir", "sdf")

Lower = Callable[[ir.Operation], ir.Operation]
"""Lowers a `ktir` module, which stays as it is, to `sdf`; kernels keep their names and the order of
their arguments."""


@dataclasses.dataclass(frozen=True)
class Prepared:
    """A kernel that is decoded, to be run on any arrays that fit. `watched` decodes it for check
    "full", `source` as it was before it was lowered, for check "full", if it was."""

    kernel: Kernel
    names: tuple[str, ...]
    target: Target
    watched: Callable[[], Kernel]
    source: Callable[[], Kernel] | None = None

    @running()
    def run(
        self,
        args: Mapping[str, Any] | Sequence[Any] = (),
        *,
        grid: Sequence[int] | None = None,
        check: str = "bounds",
        device: Mapping[int, Any] | None = None,
        scratchpads: Mapping[tuple[int, int], Any] | None = None,
        remember: Remember | None = None,
    ) -> Result:
        """Runs the kernel on arrays and scalars.

        `args`: numpy or torch arrays and scalars by name, or in order; `arg0`, `arg1` .. name
        arguments by position. An `index` argument is a pointer exactly if it is given an array.
        Arrays are never changed: they are copied, but for large ones that the kernel only reads,
        which come back as they were given. `device`: arrays at constant addresses, counted in their
        elements; `scratchpads`: arrays that scratchpads hold before the kernel begins, by core and
        address. `check`: what to look for, see `ktir.options.CHECKS`. `remember` is called with
        what a launch on arrays like these can take over from this one, None if it can nothing;
        `args` have names then.

        With check "full", a kernel that was lowered runs as it was written, too. Raises InputError
        for arguments that do not fit, and what the kernel's ops raise.
        """
        target, tracked = self.target, check == "full"
        kernel = self.watched() if tracked else self.kernel
        given = _match(kernel, self.names, args)
        device = device or {}
        capacity = target.memory.capacity_bytes
        placement = Placement(given, kernel.parameters, device, capacity, tracked)
        placed = [*device.values(), *(value for _, value in given if arrays.is_array(value))]
        memory = placement.filled(placed, tracked)
        launch = Launch(kernel, target, kernel.grid if grid is None else tuple(grid), check)
        # A recording knows places in memory that has all arrays.
        record = remember is not None and memory.is_whole
        profile, recording = launch.run(placement, memory, scratchpads, record)
        if tracked and self.source is not None:
            # What no program keeps: loads that nobody uses, addresses of views, contents of tiles
            # that nobody has defined.
            source = dataclasses.replace(launch, kernel=self.source())
            source.run(placement, placement.filled(placed, tracked), scratchpads, record=False)
        if remember is not None:
            repeat = None
            if recording is not None:
                repeat = Repeat(launch, placement, recording, profile, unwritten_of(placed))
            remember(repeat)
        return Result(placement.results(memory, placed), RunProfile(target.name, (profile,)))


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
        known = names_of_arguments(op, (names or {}).get(name, ()))
        if names is not None:
            _keep_names(op, known)
        source = None
        runs_on = tuple(grid or kernel_grid(op) or (1,))
        if op.name != "sdf.program" and ("grid" not in op.attributes or runs_on != kernel_grid(op)):
            check_grid(runs_on, target)
            check_fits(op, runs_on)
        if level == "sdf" and op.name != "sdf.program":
            if lower is None:
                raise InputError("level 'sdf' needs a lowering, and none was given")
            source = functools.cache(functools.partial(_as_written, module, name, target))
            # Tables of a row a core are made when it is lowered.
            with of_grid(op, runs_on):
                check_grid(kernel_grid(op), target)
                module = lower(_alone(module, name))
            op = choose_kernel(kernels_of(module), name)
        else:
            module = _in_other_words(module)
            op = choose_kernel(kernels_of(module), name)
        decode = functools.partial(decode_kernel, op, Library(module), target)
        kernel = decode(recorded=True)
        watched = functools.cache(functools.partial(_again, decode, module, check="full"))
        if kernel.level == "sdf":
            # Tiles, which are watched, are at level `ktir` only.
            watched = functools.cache(lambda: kernel)
        return Prepared(kernel, tuple(known), target, watched, source)


def _in_other_words(module: ir.Operation) -> ir.Operation:
    """The module, or a copy of it whose kernels have control flow of `scf` only and no `linalg` on
    buffers."""
    functions = kernels_of(module).values()
    if not any(has_other_control(f) or has_buffer_ops(f) for f in functions):
        return module
    module = module.clone().operation
    for function in kernels_of(module).values():
        make_control_plain(function)
        use_tensors(function)
    return module


def _as_written(module: ir.Operation, name: str, target: Target) -> Kernel:
    """A kernel of level `ktir`, decoded for check "full"."""
    with module.context:
        module = _in_other_words(module)
        op = choose_kernel(kernels_of(module), name)
        return decode_kernel(op, Library(module), target, check="full")


def _alone(module: ir.Operation, name: str) -> ir.Operation:
    """A module of kernels without those that the named one does not call, a copy if there are any:
    they need not be kernels that can be lowered. A program stays whole.
    """
    kernels = kernels_of(module)
    if any(_of_host(op) for op in kernels.values()):
        return module
    wanted, new = set(), {name}
    while new:
        wanted |= new
        new = {callee for kept in new for callee in callees(kernels[kept])} & set(kernels) - wanted
    if wanted >= kernels.keys():
        return module
    module = module.clone().operation
    kernels = kernels_of(module)
    for other in kernels.keys() - wanted:
        kernels[other].erase()
    return module


def _again(decode: Callable[..., Kernel], module: ir.Operation, **how: Any) -> Kernel:
    """Decodes a kernel once more."""
    with module.context:
        return decode(**how)


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
    """The kernel of that name, or the only one, but for functions of `@host`. Raises InputError
    naming those there are.
    """
    kernels = {name: op for name, op in kernels.items() if not _of_host(op)}
    if not kernels:
        raise InputError("there is nothing to run: no function with a body")
    known = ", ".join(f"@{known}" for known in kernels)
    if name is not None:
        plain = name.removeprefix("@")
        if plain not in kernels:
            near = did_you_mean(plain, kernels)
            raise InputError(f"there is no function @{plain}; functions with a body: {known}{near}")
        return kernels[plain]
    called = {callee for name, op in kernels.items() for callee in callees(op) - {name}}
    # A function that another one calls is a part of it.
    whole = [name for name in kernels if name not in called] or list(kernels)
    candidates = [name for name in whole if is_kernel(kernels[name])] or whole
    if len(candidates) != 1:
        raise InputError(f"say which function to run; functions with a body: {known}")
    return kernels[candidates[0]]


def _of_host(op: ir.Operation) -> bool:
    """Whether a function launches kernels from a module @host."""
    module = op.parent
    if module is None or "sym_name" not in module.attributes:
        return False
    return ir.StringAttr(module.attributes["sym_name"]).value == "host"


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
