"""Grids that a kernel runs on although it states another one, or none.

Owns stating a grid for a while, and the check that the exchanges of a kernel fit it. Which grid a
kernel states, and how many cores there are, is the machine's to know.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from ktir.errors import VerifyError
from ktir.locations import source_of
from ktir.mlir import ir


@contextlib.contextmanager
def of_grid(op: ir.Operation, grid: Sequence[int]) -> Iterator[None]:
    """Lets a kernel state this grid for a while."""
    before = op.attributes.get("grid")
    op.attributes["grid"] = ir.DenseI64ArrayAttr.get(list(grid))
    try:
        yield
    finally:
        del op.attributes["grid"]
        if before is not None:
            op.attributes["grid"] = before


def check_fits(op: ir.Operation, grid: Sequence[int]) -> None:
    """Verifies a kernel on a grid that it does not state: who exchanges tiles with whom depends on
    the number of cores. Raises VerifyError with what its ops say.
    """
    stated = "" if "grid" in op.attributes else ", meant where none is stated"
    with of_grid(op, grid):
        try:
            op.verify()
        except ir.MLIRError as error:  # type: ignore[attr-defined]  # set when the bindings load
            name = ir.StringAttr(op.attributes["sym_name"]).value
            said = "; ".join(
                f"{source_of(str(found.location))}: {found.message}"
                for found in error.error_diagnostics
            )
            raise VerifyError(
                f"kernel @{name} does not fit grid {list(grid)}{stated}: {said}"
            ) from error
