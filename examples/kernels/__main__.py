"""`python -m examples.kernels [NAME ..]` runs kernels on the machine and compares them with their
oracles; `--write DIR` leaves files for `ktir run`.

Each kernel runs at level `ktir` and at level `sdf` on the first of its cases; what is shown is
counted at `sdf`. The exit status is 1 if a result is wrong or the levels differ.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from examples.kernels.catalog import Example, names
from examples.kernels.contract import Case
from examples.kernels.files import write
from examples.kernels.running import Outcome, run, same_bits
from ktir.errors import KtirError


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the named kernels, all by default; returns the exit status."""
    options = _parser().parse_args(arguments)
    console = Console(width=None if sys.stdout.isatty() else 120)
    if options.write is not None:
        for name in options.names or names():
            example = Example(name)
            command = write(example, example.oracle.cases[0], options.write)
            console.print(shlex.join(["ktir", *command]), soft_wrap=True, highlight=False)
        return 0
    table = Table(
        *("kernel", "case", "cores", "largest error", "bytes moved", "scratchpad", "time"),
        "verdict",
        caption="time: estimated; * moves f32 or f64, for which the estimate is extrapolated",
    )
    failed = 0
    with console.status("running") as status:
        for name in options.names or names():
            status.update(f"running {name}")
            example = Example(name)
            row, right = _row(example, example.oracle.cases[0])
            table.add_row(name, *row)
            failed += not right
    console.print(table)
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m examples.kernels",
        description="Runs kernels written by hand and compares them with numpy.",
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", type=_known, help="kernels; all by default"
    )
    parser.add_argument(
        "--write",
        type=Path,
        metavar="DIR",
        help="write arguments and results as files and print the command that runs them",
    )
    return parser


def _known(name: str) -> str:
    """The type of NAME: the name of a kernel."""
    if name not in names():
        raise argparse.ArgumentTypeError(
            f"there is no kernel {name!r}; there are {', '.join(names())}"
        )
    return name


def _row(example: Example, case: Case) -> tuple[list[str], bool]:
    """The cells of one kernel behind its name, and whether all is right."""
    sizes = ", ".join(f"{name} {size}" for name, size in case.items())
    try:
        first, second = (run(example, case, level) for level in ("ktir", "sdf"))
    except KtirError as error:
        return [sizes, "", "", "", "", "", f"{type(error).__name__}: {error}"], False
    verdict = _verdict(first, second)
    profile = second.profile
    return [
        sizes,
        str(profile.cores),
        f"{second.worst:.2g}",
        f"{profile.read_bytes + profile.written_bytes:,}",
        f"{profile.scratchpad_peak:,}",
        f"{profile.time_ns / 1000:.1f} us{' *' if profile.extrapolated else ''}",
        verdict or "right",
    ], not verdict


def _verdict(first: Outcome, second: Outcome) -> str:
    """What is wrong with a run at `ktir` and one at `sdf`; empty if nothing is."""
    wrong = [name for name, found in second.differences.items() if found.wrong]
    if wrong:
        return f"wrong: {', '.join(wrong)}"
    return "" if same_bits(first, second) else "levels differ"


if __name__ == "__main__":
    sys.exit(main())
