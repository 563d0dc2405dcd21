"""`python -m bench [PART ..] [--json FILE]`: measures and prints a table; `make bench` runs all
but the set-up.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.figures import FIGURES, Row
from bench.kernels import kernels

os.environ["HF_HUB_OFFLINE"] = "1"


def main() -> int:
    """Measures the named parts."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    known = [*FIGURES, "kernels"]
    parser.add_argument("parts", nargs="*", choices=[*known, []], help="default: all but setup")
    parser.add_argument("--json", type=Path, help="write the rows to this file too")
    parser.add_argument(
        "--ktir-cpu", type=Path, help="for kernels: a checkout of torch-spyre/ktir-cpu"
    )
    options = parser.parse_args()
    figures = FIGURES | {"kernels": functools.partial(kernels, options.ktir_cpu)}
    parts = options.parts or [name for name in figures if name != "setup"]
    table = Table("what", "figure", "rival", "ratio", "budget")
    rows: list[Row] = []
    for name in parts:
        for row in figures[name]():
            rows.append(row)
            table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 130).print(table)
    if options.json:
        options.json.write_text(json.dumps([row._asdict() for row in rows], indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
