"""`python -m test.public --ktir-cpu DIR --frontend DIR`: checks public files, prints a table.

The exit status is 1 if a row fails without a written reason.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ktir.tables import plain
from test.public.cases import CASES, Case
from test.public.emitted import check_emitted
from test.public.examples import check_example
from test.public.frontend import run_lit_tests
from test.public.report import (
    EMITTED_TITLES,
    EXAMPLE_TITLES,
    LIT_TITLES,
    Report,
    emitted_cells,
    example_cells,
    lit_cells,
)


def main() -> int:
    """Checks what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m test.public", description=__doc__)
    parser.add_argument("--ktir-cpu", type=Path, help="a checkout of torch-spyre/ktir-cpu")
    parser.add_argument("--frontend", type=Path, help="one of torch-spyre/ktir-mlir-frontend")
    parser.add_argument("--frontend-opt", type=Path, help="a build of the frontend's ktir-opt")
    parser.add_argument(
        "--frontend-state", default="", help="a sentence on its state, for the page"
    )
    parser.add_argument("--only", action="append", help="part of an example's name")
    parser.add_argument("--json", type=Path, help="write all rows to this file")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    options = parser.parse_args()
    if options.ktir_cpu is None and options.frontend is None:
        parser.error("give --ktir-cpu or --frontend: make public KTIR_CPU=.. KTIR_FRONTEND=..")
    for folder in (options.ktir_cpu, options.frontend):
        if folder is not None and not folder.is_dir():
            parser.error(f"{folder} is no folder")
    report = Report(state=options.frontend_state)
    if options.ktir_cpu is not None:
        _examples(report, options.ktir_cpu.resolve(), options.only or [""])
    if options.frontend is not None:
        _frontend(report, options.frontend.resolve(), options.frontend_opt)
    if options.json:
        options.json.write_text(json.dumps(report.as_dict(), indent=2) + "\n")
    if options.page:
        options.page.write_text(report.markdown())
    say(report.summary())
    return 0 if report.accepted else 1


def _examples(report: Report, checkout: Path, parts: Sequence[str]) -> None:
    # Imported before the first fork, so that children do not import it again.
    import ktir  # noqa: F401

    for unlisted in sorted(_unlisted(checkout)):
        say(f"warning: examples/{unlisted} has no case in test/public/cases.py")
    for case in _chosen(parts):
        report.examples.append(check_example(case, checkout))
        say(f"{case.file}: {'pass' if report.examples[-1].passed else 'FAIL'}", transient=True)
    say(plain(EXAMPLE_TITLES, [example_cells(r) for r in report.examples], _right(EXAMPLE_TITLES)))


def _chosen(parts: Sequence[str]) -> Iterator[Case]:
    return (case for case in CASES if any(part in case.file for part in parts))


def _unlisted(checkout: Path) -> set[str]:
    """Examples of the checkout that no case names."""
    folder = checkout / "examples"
    files = [file for kind in ("*.mlir", "*.ktir") for file in folder.rglob(kind)]
    return {str(file.relative_to(folder)) for file in files} - {case.file for case in CASES}


def _frontend(report: Report, checkout: Path, driver: Path | None) -> None:
    report.lit.extend(run_lit_tests(checkout))
    say(plain(LIT_TITLES, [lit_cells(row) for row in report.lit], _right(LIT_TITLES)))
    report.emitted.extend(check_emitted(checkout, driver))
    say(plain(EMITTED_TITLES, [emitted_cells(r) for r in report.emitted], _right(EMITTED_TITLES)))


def _right(titles: Sequence[str]) -> list[bool]:
    return ["ms" in title or title == "ratio" for title in titles]


def say(text: str, transient: bool = False) -> None:
    """Prints; what is transient goes to stderr, and only on a terminal."""
    if not transient:
        print(text, flush=True)  # noqa: T201
    elif sys.stderr.isatty():
        print(text, file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
