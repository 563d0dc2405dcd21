"""`ktir compile`: a model, or MLIR of a level, to a program or to the IR of a level."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ktir.errors import InputError
from ktir.levels import (
    IR_SUFFIXES,
    LAST,
    LEVELS,
    check_level,
    level_of_file,
    levels_after,
    stem_of_file,
)
from ktir.tools import console
from ktir.tools.models import FORMS, build

if TYPE_CHECKING:
    from ktir.compiled import Compiled
    from ktir.options import CompileOptions


def compile_command(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=f"What to compile: {FORMS}.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to save the program (.ktirpkg); with --emit, NAME.LEVEL.mlir or a folder.",
        ),
    ] = None,
    emit: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL",
            help=f"Stop after a level ({', '.join(LEVELS)}) and print or save its IR.",
        ),
    ] = None,
    cores: Annotated[
        int | None, typer.Option(metavar="N", help="Cores to use; all of the device by default.")
    ] = None,
    target_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Device figures in place of Spyre's.")
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="For a .mlir MODEL: the .ktirpkg or .safetensors that holds its weights.",
        ),
    ] = None,
    scratchpad: Annotated[
        bool, typer.Option(help="Fill the scratchpad with tiles, or keep tiles minimal.")
    ] = True,
    reproducer: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where a pass that refuses leaves its input."),
    ] = None,
    locations: Annotated[
        bool, typer.Option("--locations", help="Keep source locations in emitted IR.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the plan as JSON instead of a table.")
    ] = False,
) -> None:
    """Compile a model for the Spyre accelerator.

    Saves the program with -o FILE.ktirpkg and prints its plan.

    With --emit it stops after a level and prints that level's IR,
    or saves it with -o. Edited IR is a MODEL again.

    Examples:

      ktir compile mypackage.models:encoder -o encoder.ktirpkg

      ktir compile mypackage.models:encoder --emit plan -o encoder.plan.mlir

      ktir compile encoder.plan.mlir --weights encoder.ktirpkg -o edited.ktirpkg

      ktir compile kernels.mlir --emit sdf
    """
    last = check_level(emit or LAST, LEVELS, "level in --emit")
    file = _output_file(model, output, emit)
    options = _options(cores, scratchpad, target_file, reproducer)
    first = level_of_file(model) if model.endswith(IR_SUFFIXES) else "torch"
    if first != "torch" and LEVELS.index(last) < LEVELS.index(first):
        raise InputError(f"--emit {last}: {model} is at level {first!r}, which comes after it")
    steps = ("torch", *levels_after("torch", last))
    with console.progress(steps, "compiling") as notify:
        compiled = build(model, last, options, weights, notify)
    if emit is not None:
        _emit(compiled, last, file, locations)
        return
    assert file is not None
    compiled.save(file)
    _report(compiled, file, as_json)


def _output_file(model: str, output: Path | None, emit: str | None) -> Path | None:
    """Where the result goes; None for stdout. Refuses names that say something else."""
    if emit is None:
        from ktir.package import SUFFIX

        if output is None or output.suffix != SUFFIX:
            found = "nothing" if output is None else str(output)
            raise InputError(
                f"-o: found {found}, expected NAME{SUFFIX} for the program; to see IR, use --emit"
            )
        return output
    if output is None:
        return None
    suffix = ".pt2" if emit == "torch" else ".mlir"
    if output.is_dir():
        stem = stem_of_file(model.rpartition(":")[2])
        return output / (f"{stem}.{suffix[1:]}" if emit == "torch" else f"{stem}.{emit}.mlir")
    if output.suffix != suffix:
        raise InputError(
            f"-o: found {output}, expected a {suffix} file or a folder for --emit {emit}"
        )
    if emit != "torch" and level_of_file(output) != emit:
        raise InputError(
            f"-o: the name {output.name} says level {level_of_file(output)!r}; for --emit {emit}, "
            f"name it {stem_of_file(output)}.{emit}.mlir"
        )
    return output


def _options(
    cores: int | None, scratchpad: bool, target_file: Path | None, reproducer: Path | None
) -> CompileOptions:
    from ktir.options import CompileOptions

    return CompileOptions(
        cores=cores,
        scratchpad=scratchpad,
        target_file=target_file,
        reproducer_folder=reproducer,
    )


def _emit(compiled: Compiled, level: str, file: Path | None, locations: bool) -> None:
    if file is None:
        console.show_text(compiled.ir(level, locations))
    elif level == "torch":
        _save_exported(compiled, file)
    else:
        from ktir.files import write_text

        write_text(file, compiled.ir(level, locations))


def _save_exported(compiled: Compiled, file: Path) -> None:
    import torch

    from ktir.files import replacing

    with replacing(file) as stream:
        torch.export.save(compiled.exported.program, stream)


def _report(compiled: Compiled, file: Path, as_json: bool) -> None:
    """The plan, where there is one, and what was saved."""
    rows = compiled.plan if "plan" in compiled.levels else None
    if as_json:
        plan = None if rows is None else json.loads(rows.to_json())
        saved = {"file": str(file), "levels": list(compiled.levels), "plan": plan}
        typer.echo(json.dumps(saved, indent=2))
        return
    if rows is not None:
        console.show(rows)
    typer.echo(f"saved {file} ({file.stat().st_size:,} bytes)")
