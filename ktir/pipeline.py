"""Which passes lead to each level, in which order: the only place that states it.

Owns the pipelines of the levels, running them with their diagnostics turned into errors, and the
reproducers of those that fail. What passes do is in `ktir.passes`, what a level must satisfy in
`ktir.contracts`.
"""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import ktir.passes  # noqa: F401  (registers all passes)
from ktir.contracts import check_contract
from ktir.dialects import DIALECTS, PROGRAM_DIALECTS, load_dialects
from ktir.errors import KtirError, PassError, PlanError, UnsupportedError
from ktir.levels import levels_after
from ktir.mlir import ir
from ktir.mlir._mlir_libs import _ktir
from ktir.modules import Diagnostic, diagnostic_lines, text_of
from ktir.options import CompileOptions
from ktir.passes.normalization import NORMALIZE
from ktir.target import Target, load_target

_OUR_FAULT = re.compile(r"internal error|^'[\w.]+' op |^cannot parse the pass pipeline")
"""What a message says that is no refusal of a pass: a verifier's, or that something is broken."""


@dataclasses.dataclass(frozen=True)
class Stage:
    """How a level is reached from the one before it.

    `passes`: pipeline elements by options and device. `refusal`: the error that a pass of the stage
    means when it refuses. `entry`: passes that check IR of this level which comes from a user,
    before anything is made from it. `dialects`: those of the ops that its passes make.
    """

    passes: Callable[[CompileOptions, Target], tuple[str, ...]]
    refusal: type[KtirError]
    entry: Callable[[CompileOptions, Target], tuple[str, ...]] = lambda options, target: ()
    dialects: tuple[str, ...] = DIALECTS


def _plan_passes(options: CompileOptions, target: Target) -> tuple[str, ...]:
    tiles = {"capacity": target.scratchpad.plannable_bytes, "minimal": not options.scratchpad}
    return (
        _element("ktir-group-kernels", cores=options.cores),
        "ktir-insert-relayouts",
        _element("ktir-divide-work", cores=options.cores),
        _element("ktir-choose-tiles", **tiles),
        *_plan_checks(options, target),
    )


def _plan_checks(options: CompileOptions, target: Target) -> tuple[str, ...]:
    capacity = target.scratchpad.plannable_bytes
    return (_element("ktir-check-plan", cores=options.cores, capacity=capacity),)


def _sdf_passes(options: CompileOptions, target: Target) -> tuple[str, ...]:
    return (_element("ktir-lower-to-sdf", **{"scratchpad-limit": target.scratchpad.bytes}),)


STAGES: dict[str, Stage] = {
    "linalg": Stage(
        passes=lambda options, target: NORMALIZE,
        refusal=UnsupportedError,
        entry=lambda options, target: ("ktir-check-linalg",),
    ),
    "plan": Stage(passes=_plan_passes, refusal=PlanError, entry=_plan_checks),
    "ktir": Stage(
        passes=lambda options, target: ("ktir-distribute", "ktir-emit"), refusal=UnsupportedError
    ),
    "sdf": Stage(passes=_sdf_passes, refusal=UnsupportedError, dialects=PROGRAM_DIALECTS),
}
"""By level, in order."""

_CORES = "plan.cores"
"""The module attribute from which verifiers of `plan` know the device's cores; where it is absent
they take Spyre's."""


def _element(name: str, **options: object) -> str:
    """A pass with options as a pipeline writes it."""
    texts = [f"{key}={str(value).lower()}" for key, value in options.items()]
    return f"{name}{{{' '.join(texts)}}}"


def lower(
    module: ir.Operation,
    level: str,
    last: str,
    options: CompileOptions,
    target: Target,
    notify: Callable[[str], None] = lambda level: None,
) -> dict[str, ir.Operation]:
    """The modules of the levels after `level`, up to and including `last`; `module` itself stays as
    it is.

    `notify` is called with each level's name before it is made. Raises UnsupportedError or
    PlanError where a pass refuses, PassError where one fails, VerifyError where the result breaks
    the level's contract.
    """
    made: dict[str, ir.Operation] = {}
    for following in levels_after(level, last):
        notify(following)
        module = run_stage(module, following, options, target)
        made[following] = module
    return made


def run_stage(
    source: ir.Operation, level: str, options: CompileOptions, target: Target
) -> ir.Operation:
    """The module of `level`, made from that of the level before it, which stays as it is."""
    stage = STAGES[level]
    if level == "plan":
        source = _with_cores(source, target.cores)
    module = run_passes(source, stage.passes(options, target), stage.refusal, level, options)
    if level == "ktir" and _CORES in module.attributes:
        del module.attributes[_CORES]
    check_contract(module, level)
    return module


def _with_cores(module: ir.Operation, cores: int) -> ir.Operation:
    """The module as verifiers of `plan` need it: it says how many cores there are, if not Spyre's
    number."""
    if cores == load_target().cores:
        return module
    module = module.clone().operation
    number = ir.IntegerType.get_signless(64, module.context)
    module.attributes[_CORES] = ir.IntegerAttr.get(number, cores)
    return module


def check_entry(module: ir.Operation, level: str, options: CompileOptions, target: Target) -> None:
    """Checks IR that a user wrote or edited: its level's form, then whether it can be met."""
    check_contract(module, level)
    stage = STAGES[level]
    passes = stage.entry(options, target)
    if passes:
        run_passes(module, passes, stage.refusal, level, options)


def run_passes(
    source: ir.Operation,
    passes: Sequence[str],
    refusal: type[KtirError],
    level: str,
    options: CompileOptions,
) -> ir.Operation:
    """A copy of `source` after `passes`.

    Raises `refusal` if a pass refuses, PassError if it fails internally.
    """
    load_dialects(source.context, STAGES[level].dialects)
    module = source.clone().operation
    succeeded, diagnostics = _ktir.run_pipeline(module, _pipeline(passes))
    if not succeeded:
        raise _failure(source, passes, refusal, level, options, diagnostics)
    return module


def _pipeline(passes: Sequence[str]) -> str:
    return f"builtin.module({','.join(passes)})"


# ---- failures ------------------------------------------------------------------------------------


def _failure(
    source: ir.Operation,
    passes: Sequence[str],
    refusal: type[KtirError],
    level: str,
    options: CompileOptions,
    diagnostics: Sequence[Diagnostic],
) -> KtirError:
    """The error for a failed pipeline: the pass, what it said, and how to repeat it."""
    before, failing, said = _first_failing(source, passes)
    said = said or list(diagnostics)
    text = "\n".join(diagnostic_lines(said, "the IR")) or "no diagnostic"
    if issubclass(refusal, PlanError) and _refuses(said):
        return refusal(f"{failing}: {text}")
    kind = refusal if _refuses(said) else PassError
    where = f"level {level}, pass {failing}: {text}"
    if kind is refusal and options.reproducer_folder is None:
        return kind(where)
    return kind(f"{where}\n{_reproducer(before, failing, options)}")


def _refuses(diagnostics: Sequence[Diagnostic]) -> bool:
    """Whether a Python pass refused on purpose: its message is no op's verifier's and no internal
    error's.
    """
    errors = [message for severity, _, message in diagnostics if severity == 0]
    return bool(errors) and not any(_OUR_FAULT.search(message) for message in errors)


def _first_failing(
    source: ir.Operation, passes: Sequence[str]
) -> tuple[ir.Operation, str, list[Diagnostic]]:
    """Runs the passes one by one: the module before the first that fails, its name, and its
    diagnostics.
    """
    module = source.clone().operation
    for element in passes:
        before = module.clone().operation
        succeeded, diagnostics = _ktir.run_pipeline(module, _pipeline([element]))
        if not succeeded:
            return before, element, list(diagnostics)
    return source, ",".join(passes), []


def _reproducer(before: ir.Operation, failing: str, options: CompileOptions) -> str:
    """Writes the failing pass's input; the command that repeats the failure."""
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix="ktir-",
            suffix=".mlir",
            dir=options.reproducer_folder,
            delete=False,
            encoding="utf-8",
        ) as file:
            file.write(text_of(before, locations=True))
    except OSError as error:
        return (
            f"(its input could not be written: {error.strerror}; "
            "choose another CompileOptions.reproducer_folder)"
        )
    return f"repeat with: ktir-opt {Path(file.name)} --pass-pipeline='{_pipeline([failing])}'"
