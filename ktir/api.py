"""The functions that users call: compile, resume, load, run a kernel.

Owns the checks of what they are given and the road from a model to a `Compiled`. The passes of each
level are in `ktir.pipeline`, what can be done with the result in `ktir.compiled`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from ktir import package
from ktir.compiled import Compiled
from ktir.describe import describe_kernel
from ktir.errors import InputError, PassError, UnsupportedError, VerifyError
from ktir.files import read_text
from ktir.interface import Interface
from ktir.kernel_files import KERNEL_LEVELS, read_kernels
from ktir.kernel_inputs import check_places, completed
from ktir.levels import IR_SUFFIXES, LAST, LEVELS, MLIR_LEVELS, check_level, level_of_file
from ktir.machine.kernel import Result, choose_kernel, prepare
from ktir.machine.launch import kernels_of
from ktir.machine.repeats import Repeats, launch_key
from ktir.machine.source_names import argument_names, note_names
from ktir.mlir import ir
from ktir.modules import parse_file, parse_module
from ktir.options import CompileOptions, check_check
from ktir.passes.lowering.calls import inline_calls
from ktir.pipeline import check_entry, lower, run_stage
from ktir.signature import take_constants
from ktir.store import LevelStore
from ktir.target import Target, load_target

if TYPE_CHECKING:
    from ktir.frontend.export import Exported

TARGETS = ("spyre",)

Notify = Callable[[str], None]
"""Called with the name of each level before it is made."""


def _silent(level: str) -> None:
    """Tells nobody."""


def compile_module(
    model: nn.Module,
    example_inputs: Sequence[Any] | Mapping[str, Any] | Tensor,
    target: str = "spyre",
    dynamic_shapes: None = None,
    stop_after: str | None = None,
    options: CompileOptions | None = None,
    notify: Notify = _silent,
) -> Compiled:
    """Compiles a PyTorch model for the shapes and dtypes of its example inputs.

    `example_inputs`: positional inputs in a tuple or list, or keyword inputs in a dict.
    `stop_after`: the last level to make, see `ktir.levels`; all by default. `notify` is called with
    each level before it is made.

    Raises InputError for arguments that do not fit, ImportFailure if torch cannot export the model,
    UnsupportedError for what no level can express, PlanError if nothing fits the device, PassError
    if a pass fails.
    """
    if not isinstance(model, nn.Module):
        raise InputError(f"model: found a {type(model).__name__}, expected a torch.nn.Module")
    check_level(target, TARGETS, "target")
    _refuse_dynamic(dynamic_shapes)
    last = check_level(stop_after or LAST, LEVELS, "level in stop_after")
    args, kwargs = _call_inputs(example_inputs)
    from ktir.frontend.export import export_model

    notify("torch")
    return compile_exported(export_model(model, args, kwargs), last, options, notify)


def compile_exported(
    exported: Exported,
    last: str = LAST,
    options: CompileOptions | None = None,
    notify: Notify = _silent,
) -> Compiled:
    """The same for a model that the frontend has exported, from a `.pt2` file for instance."""
    options = options or CompileOptions()
    target = options.target()
    store = LevelStore()
    dtypes = tuple(result.dtype for result in exported.results)
    interface = Interface(exported.convention, dtypes)
    weights = {a.name: _own(a.tensor) for a in exported.arguments if a.tensor is not None}
    if last != "torch":
        from ktir.frontend.importer import import_exported

        raw = parse_module(import_exported(exported).text, "the imported model", store.context)
        made = lower(raw, "torch", "linalg", options, target, notify)
        _add_constants(weights, take_constants(made["linalg"]))
        store.add(made)
        store.add(lower(made["linalg"], "linalg", last, options, target, notify))
    return Compiled(store, weights, options, interface, exported)


def compile_ir(
    source: str | Path,
    level: str | None = None,
    weights: Mapping[str, Tensor] | None = None,
    like: Compiled | None = None,
    stop_after: str | None = None,
    options: CompileOptions | None = None,
    notify: Notify = _silent,
) -> Compiled:
    """Resumes from MLIR of any level, an edited plan for instance.

    `source`: a file named NAME.LEVEL.mlir, or NAME.ktir (a Path, or a str that is one line and ends
    so), or text. `level`: that of the text; a file's name states it. `weights`: tensors of
    arguments by name; the others become inputs. `like`: a program whose weights, inputs, outputs
    and options this one has. Raises as `compile_module`, and VerifyError for text that does not
    parse or breaks its level's contract, PlanError for a decision that is not legal.
    """
    file = _as_file(source)
    level = check_level(level or (level_of_file(file) if file else ""), MLIR_LEVELS, "level")
    last = check_level(stop_after or LAST, MLIR_LEVELS, "level in stop_after")
    options = options or (like.options if like is not None else CompileOptions())
    target = options.target()
    store = LevelStore()
    text = str(source) if file is None else read_text(file)
    if file is None:
        module = parse_module(text, "the text", store.context)
    else:
        module = parse_file(file, store.context)
    if level in KERNEL_LEVELS:
        note_names(kernels_of(module), argument_names(text))
    try:
        check_entry(module, level, options, target)
    except VerifyError as error:
        error.locate(str(file or "the text"))
        raise
    weights = dict(weights if weights is not None else like.weights if like is not None else {})
    _add_constants(weights, take_constants(module))
    store.add({level: module})
    store.add(lower(module, level, last, options, target, notify))
    return Compiled(store, weights, options, like.interface if like is not None else None)


def load(path: str | Path) -> Compiled:
    """A program that was saved. Needs neither the model nor torch-mlir.

    Raises InputError saying what is wrong with the file if it is not a whole package of this
    format.
    """
    contents = package.read_package(path)
    store = LevelStore(source=str(path))
    store.add_texts(contents.texts)
    if not store.levels:
        raise InputError(f"{path} holds no level of IR; save the program again")
    try:
        interface = contents.manifest["interface"]
        interface = None if interface is None else Interface.from_json(interface)
        options = CompileOptions.from_json(contents.manifest["options"], contents.target)
    except (KeyError, TypeError) as error:
        raise InputError(
            f"{path}: its manifest is damaged: {error}; save the program again"
        ) from error
    return Compiled(store, contents.weights, options, interface)


def run_kernel(
    file: str | Path,
    func: str | None = None,
    check: str = "bounds",
    grid: Sequence[int] | None = None,
    level: str = "ktir",
    device: Mapping[int, Any] | None = None,
    target: str | Path | Target | None = None,
    scratchpads: Mapping[tuple[int, int], Any] | None = None,
    **args: Any,
) -> dict[Any, Any]:
    """Runs one kernel of a KTIR file, or of a saved program, on arrays.

    `args`: numpy arrays, torch tensors and scalars by argument name (`argN` always works).
    `device`: arrays in device memory by address, in elements, for kernels whose addresses are
    constants. `scratchpads`: what scratchpads hold before the kernel begins, by core and address,
    in elements. Arrays that the kernel only writes may be left out: they are allocated as large as
    its views of them, see `ktir.kernel_inputs`. `grid` replaces the kernel's. `check`: see
    `ktir.options.CHECKS`. `target`: a file of device figures. At level `sdf` the kernel is lowered
    first.

    Returns every array argument, by name or address, as the kernel left it; what was given stays
    untouched. An array of 64 MiB or more that the kernel only reads is not copied, and comes back
    itself. Raises InputError for arguments that do not fit, VerifyError for a file that is not
    legal, MachineError for what the machine forbids.
    """
    result = launch_kernel(file, args, func, check, grid, level, device, target, scratchpads)
    return result.arrays


def launch_kernel(
    file: str | Path,
    args: Mapping[str, Any] | Sequence[Any],
    func: str | None = None,
    check: str = "bounds",
    grid: Sequence[int] | None = None,
    level: str = "ktir",
    device: Mapping[int, Any] | None = None,
    target: str | Path | Target | None = None,
    scratchpads: Mapping[tuple[int, int], Any] | None = None,
) -> Result:
    """`run_kernel` with the arguments in a mapping or in order; returns the profile of the launch
    beside the arrays.
    """
    return PreparedKernel(file, func, grid, level, target).launch(args, check, device, scratchpads)


class PreparedKernel:
    """A kernel of a file, read, lowered and decoded once for any number of launches; raises as
    `run_kernel`.
    """

    def __init__(
        self,
        file: str | Path,
        func: str | None = None,
        grid: Sequence[int] | None = None,
        level: str = "ktir",
        target: str | Path | Target | None = None,
    ) -> None:
        # Programs are lowered for their own grid.
        module, names, device = read_kernels(file, level if grid is None else None)
        figures = _figures(target) if target is not None else device or load_target()
        options = CompileOptions(target_file=figures)
        op = choose_kernel(kernels_of(module), func)
        name = ir.StringAttr(op.attributes["sym_name"]).value
        with module.context:
            # What it calls is part of it: the views of memory there are its own.
            inline_calls(op)
        self._grid = _grid_sizes(grid)
        self.description = describe_kernel(op, names.get(name, ()), self._grid)
        self._repeats = Repeats()
        self._prepared = prepare(
            module,
            name,
            names=names,
            grid=self._grid,
            level=level,
            target=figures,
            lower=lambda module: run_stage(module, "sdf", options, figures),
        )

    def launch(
        self,
        args: Mapping[str, Any] | Sequence[Any],
        check: str = "bounds",
        device: Mapping[int, Any] | None = None,
        scratchpads: Mapping[tuple[int, int], Any] | None = None,
    ) -> Result:
        """One launch: what the kernel left, and its profile. One that differs from earlier ones in
        elements of arrays only takes over what does not depend on them, see
        `ktir.machine.repeats`.
        """
        check_check(check)
        remember, device = None, device or {}
        check_places(device, scratchpads or {})
        if isinstance(args, str) or not isinstance(args, (Mapping, Sequence)):
            raise InputError(
                f"args: found a {type(args).__name__}, expected arrays and numbers by name, or in "
                "order"
            )
        if isinstance(args, Mapping):
            key = launch_key(args, device, scratchpads, check)
            repeat = self._repeats.find(key)
            result = None if repeat is None else repeat.run(args, device, scratchpads)
            if result is not None:
                return result
            remember = self._repeats.remember(key)
            args, device = completed(self.description, args, device)
        return self._prepared.run(
            args,
            grid=self._grid,
            check=check,
            device=device,
            scratchpads=scratchpads,
            remember=remember,
        )


def _figures(target: str | Path | Target) -> Target:
    return target if isinstance(target, Target) else load_target(target)


def _grid_sizes(grid: Any) -> tuple[int, ...] | None:
    """The sizes of a grid that a user gave."""
    try:
        return None if grid is None else tuple(operator.index(size) for size in grid)
    except TypeError as error:
        raise InputError(f"grid: found {grid!r}, expected integers, such as [4, 8]") from error


def _refuse_dynamic(dynamic_shapes: object) -> None:
    if dynamic_shapes is not None:
        raise UnsupportedError(
            f"dynamic_shapes: found {dynamic_shapes!r}, but only static shapes are supported; "
            "pass None and compile once for each shape"
        )


def _call_inputs(example: object) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword inputs."""
    if isinstance(example, Tensor):
        return (example,), {}
    if isinstance(example, Mapping):
        return (), dict(example)
    if isinstance(example, (tuple, list)):
        return tuple(example), {}
    raise InputError(
        f"example_inputs: found a {type(example).__name__}, expected a tuple of inputs, or a dict "
        "of inputs by name"
    )


def _own(tensor: Tensor) -> Tensor:
    """A copy that later changes of the model do not reach; a tensor without data as it is."""
    return tensor if tensor.device.type == "meta" else tensor.detach().cpu().clone()


def _add_constants(weights: dict[str, Tensor], constants: Mapping[str, Tensor]) -> None:
    """Data of lifted constants joins the weights."""
    clash = sorted(set(weights) & set(constants))
    if clash:
        raise PassError(
            f"internal error: lifted constants share a name with weights: {', '.join(clash)}"
        )
    weights |= constants


def _as_file(source: str | Path) -> Path | None:
    """The file that `source` names; None for MLIR text."""
    if isinstance(source, str) and ("\n" in source or not source.endswith(IR_SUFFIXES)):
        return None
    return Path(source)
