"""`ktir run`: a saved program, IR of a level, or one kernel, on arrays from files."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ktir.errors import InputError
from ktir.levels import MLIR_LEVELS, check_level
from ktir.options import CHECKS, check_check
from ktir.tools import console

_CHECK_HELP = (
    "What the machine looks for: off, nothing; bounds, accesses outside views and arrays, tiles "
    "that do not fit; full, also unwritten memory that is read, races, spans over the limit."
)


def run_command(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A saved .ktirpkg, or a .mlir of a level."),
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--in",
            metavar="NAME=WHAT",
            help="An argument: FILE.npy, FILE.npz:KEY, FILE.safetensors:KEY, a number, or an "
            "array made up: randn, uniform, randint, arange, zeros, ones, with :SHAPE, :DTYPE and "
            ":seed=N where the kernel does not state them. A FILE alone gives all arrays in it.",
        ),
    ] = None,
    device: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="ADDRESS=WHAT",
            help="An array in device memory, for kernels whose addresses are constants, counted "
            "in its elements; CORE:ADDRESS=WHAT is one in the scratchpad of a core.",
        ),
    ] = None,
    outputs: Annotated[
        list[str] | None,
        typer.Option("--out", metavar="NAME=FILE", help="Where to write an output."),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option("--expect", metavar="NAME=FILE", help="What an output must equal."),
    ] = None,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of --expect, --bisect.")] = 0.0,
    atol: Annotated[float, typer.Option(help="Absolute tolerance of --expect, --bisect.")] = 0.0,
    check: Annotated[str, typer.Option(metavar="|".join(CHECKS), help=_CHECK_HELP)] = "bounds",
    func: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The kernel to run, if FILE has several."),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL",
            help="Where to run: sdf by default, ktir for kernels; also linalg and plan.",
        ),
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="For .mlir: the .ktirpkg or .safetensors that holds weights."
        ),
    ] = None,
    target_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Device figures in place of Spyre's.")
    ] = None,
    bisect: Annotated[
        bool, typer.Option("--bisect", help="Run all levels and name the first that differs.")
    ] = False,
    describe: Annotated[
        bool, typer.Option("--describe", help="Run nothing: show what the kernels of FILE take.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Run a program or a kernel on arrays.

    Outputs are compared bit for bit with --expect unless tolerances are
    given; the exit status is 1 if one differs or if the program faults.

    Arrays that a kernel only writes may be left out. Random arrays are the
    same in every run: they depend on the seed, 0 unless given, and on the
    argument's name.

    Examples:

      ktir run encoder.ktirpkg --in input_ids=ids.npy --out output=hidden.npy

      ktir run encoder.ktirpkg --in input_ids=ids.npy --bisect

      ktir run edited.plan.mlir --weights encoder.ktirpkg --in input_ids=ids.npy

      ktir run add.mlir --describe

      ktir run add.mlir --in x_ptr=x.npy --in y_ptr=randn --in n=4096 --expect z_ptr=sum.npy

      ktir run softmax.mlir --in x_ptr=randn:1000x777:f16:seed=7 --in rows=1000 --in cols=777

      ktir run copy.mlir --at 1024=a.npy --out 8192=b.npy
    """
    from ktir.tools import arrays
    from ktir.tools.compare import check_tolerances
    from ktir.tools.run_report import Report, show_kernels
    from ktir.tools.subjects import kernels_in, subject_of

    if describe:
        show_kernels(file, kernels_in(file, func), as_json)
        return
    if level is not None:
        check_level(level, MLIR_LEVELS, "level in --level")
    check_check(check)
    check_tolerances(rtol, atol)
    files = arrays.check_writable(outputs or [])
    given = arrays.read_named(inputs or [], "--in")
    placed, scratchpads = _addresses(arrays.read_named(device or [], "--at"))
    references = arrays.read_named(expect or [], "--expect")
    subject = subject_of(file, func, check, weights, target_file, placed, scratchpads)
    made = subject.inputs(given)
    if bisect:
        _bisect(subject, made, rtol, atol, as_json)
        return
    chosen = level or subject.default_level
    start = time.perf_counter()
    results, profile = subject.run(chosen, made)
    seconds = time.perf_counter() - start
    comparisons = _compare(results, references, rtol, atol)
    for name, path in files.items():
        arrays.write_array(path, name, arrays.pick(results, name, "--out"))
    Report(file, chosen, check, made, results, comparisons, profile, seconds).show(as_json)
    if not all(comparison.equal for comparison in comparisons.values()):
        raise typer.Exit(1)


def _addresses(arrays: Mapping[str, Any]) -> tuple[dict[int, Any], dict[tuple[int, int], Any]]:
    """`--at` by address of device memory, and by core and address of a scratchpad."""
    places: dict[tuple[int, ...], Any] = {}
    for text, array in arrays.items():
        place = _place(text)
        if isinstance(array, (int, float)):
            raise InputError(
                f"--at {text}: found the number {array}, expected an array; scalar arguments go "
                "with --in"
            )
        if place in places:
            raise InputError(f"--at: {text!r} is given twice")
        places[place] = array
    device = {place[0]: array for place, array in places.items() if len(place) == 1}
    local = {(place[0], place[1]): array for place, array in places.items() if len(place) == 2}
    return device, local


def _place(text: str) -> tuple[int, ...]:
    """An address, or a core and an address in its scratchpad."""
    from ktir.tools.arrays import read_integer

    try:
        place = tuple(read_integer(number) for number in text.split(":"))
    except ValueError:
        place = ()
    if not 1 <= len(place) <= 2 or min(place) < 0:
        raise InputError(
            f"--at: found address {text!r}, expected a number of elements, or CORE:ADDRESS"
        )
    return place


def _compare(
    results: Mapping[str, Any], references: Mapping[str, Any], rtol: float, atol: float
) -> dict[str, Any]:
    import torch

    from ktir.tools.arrays import pick
    from ktir.tools.compare import compare
    from ktir.tools.generated import Generated

    found = {}
    for name, wanted in references.items():
        result = pick(results, name, "--expect")
        if isinstance(wanted, Generated):
            wanted = wanted.make(name, tuple(result.shape), result.dtype)
        found[name] = compare(name, result, torch.as_tensor(wanted), rtol, atol)
    return found


def _bisect(subject: Any, made: Mapping[str, Any], rtol: float, atol: float, as_json: bool) -> None:
    from ktir.tools.bisect import bisect

    found = bisect(subject.levels, lambda level: subject.run(level, made).outputs, rtol, atol)
    if as_json:
        typer.echo(json.dumps(found.as_dict(), indent=2))
    else:
        console.show(found)
    if found.first is not None:
        raise typer.Exit(1)
