"""`ktir run`: a saved program, IR of a level, or one kernel, on arrays from files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ktir.errors import InputError
from ktir.levels import MLIR_LEVELS, check_level
from ktir.options import CHECKS, check_check
from ktir.tools import console


def run_command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .ktirpkg program or a .mlir file of a level.")
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--in",
            metavar="NAME=FILE",
            help="An argument: .npy, .npz, .safetensors, or a number; or FILE for all in it.",
        ),
    ] = None,
    device: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="ADDRESS=FILE",
            help="An array in device memory, for kernels whose addresses are constants.",
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
    check: Annotated[
        str, typer.Option(metavar="|".join(CHECKS), help="What the machine looks for.")
    ] = "bounds",
    func: Annotated[
        str | None, typer.Option(metavar="NAME", help="The kernel to run, in a .mlir file.")
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Run a program or a kernel on arrays.

    Outputs are compared bit for bit with --expect unless tolerances are given; the exit status is 1
    if one differs or if the program faults.

    Examples:

      ktir run encoder.ktirpkg --in input_ids=ids.npy --out output=hidden.npy

      ktir run encoder.ktirpkg --in input_ids=ids.npy --bisect

      ktir run edited.plan.mlir --weights encoder.ktirpkg --in input_ids=ids.npy

      ktir run add.mlir --func add --in x_ptr=x.npy --in y_ptr=y.npy --expect y_ptr=sum.npy
    """
    from ktir.tools import arrays
    from ktir.tools.subjects import subject_of

    if level is not None:
        check_level(level, MLIR_LEVELS, "level in --level")
    check_check(check)
    files = arrays.check_writable(outputs or [])
    given = arrays.read_named(inputs or [], "--in")
    placed = _addresses(arrays.read_named(device or [], "--at"))
    references = arrays.read_named(expect or [], "--expect")
    subject = subject_of(file, func, check, weights, target_file, placed)
    if bisect:
        _bisect(subject, given, rtol, atol, as_json)
        return
    results = subject.run(level or subject.default_level, given)
    comparisons = _compare(results, references, rtol, atol)
    for name, path in files.items():
        arrays.write_array(path, name, arrays.pick(results, name, "--out"))
    _report(results, comparisons, as_json)
    if not all(comparison.equal for comparison in comparisons.values()):
        raise typer.Exit(1)


def _addresses(arrays: Mapping[str, Any]) -> dict[int, Any]:
    """`--at` by address."""
    found = {}
    for address, array in arrays.items():
        if not address.isdecimal():
            raise InputError(f"--at: found address {address!r}, expected a number of elements")
        found[int(address)] = array
    return found


def _compare(
    results: Mapping[str, Any], references: Mapping[str, Any], rtol: float, atol: float
) -> dict[str, Any]:
    import torch

    from ktir.tools.arrays import pick
    from ktir.tools.compare import compare

    return {
        name: compare(name, pick(results, name, "--expect"), torch.as_tensor(wanted), rtol, atol)
        for name, wanted in references.items()
    }


def _report(results: Mapping[str, Any], comparisons: Mapping[str, Any], as_json: bool) -> None:
    """One row an output, with what was found out about it."""
    from ktir.signature import show
    from ktir.tables import plain

    if as_json:
        rows = {name: _row(value, comparisons.get(name)) for name, value in results.items()}
        typer.echo(json.dumps({"outputs": rows}, indent=2))
        return
    titles = ("output", "type", "first values", "comparison")
    cells = [
        (name, show(value.dtype, value.shape), _first(value), str(comparisons.get(name, "")))
        for name, value in results.items()
    ]
    typer.echo(plain(titles, cells, (False,) * 4))


def _row(value: Any, comparison: Any) -> dict[str, Any]:
    """An output as JSON."""
    return {
        "dtype": str(value.dtype).removeprefix("torch."),
        "shape": list(value.shape),
        "comparison": None if comparison is None else comparison.as_dict(),
    }


def _first(value: Any) -> str:
    """The first few elements."""
    elements = value.flatten()[:4].tolist()
    text = ", ".join(f"{e:.5g}" if isinstance(e, float) else str(e) for e in elements)
    return f"{text}, .." if value.numel() > 4 else text


def _bisect(
    subject: Any, given: Mapping[str, Any], rtol: float, atol: float, as_json: bool
) -> None:
    from ktir.tools.bisect import bisect

    found = bisect(subject.levels, lambda level: subject.run(level, given), rtol, atol)
    if as_json:
        typer.echo(json.dumps(found.as_dict(), indent=2))
    else:
        console.show(found)
    if found.first is not None:
        raise typer.Exit(1)
