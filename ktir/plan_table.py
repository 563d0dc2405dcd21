"""The decisions of a plan as a table: one row a kernel.

Owns reading them from IR of level `plan`; what they mean is in `docs/architecture.md`.
"""

from __future__ import annotations

import dataclasses
import json

from ktir.locations import short_source
from ktir.mlir import ir
from ktir.passes.dimensions import Dimensions
from ktir.passes.facts import kernels_of, read_kernel, reduction_tile
from ktir.passes.ir_utils import i64_list
from ktir.passes.tiling.choose_tiles import buffers
from ktir.scratchpad import peak_live
from ktir.tables import Fitted, plain

_TITLES = ("kernel", "ops", "result", "split", "tile", "scratchpad", "source")
_RIGHT = (False, True, False, False, False, True, False)


@dataclasses.dataclass(frozen=True)
class PlanRow:
    """One kernel. `split`, `tile` have an entry a dimension of its first result, whose type is
    `result`.

    `grid` is `split` without its ones. `scratchpad` is the least number of bytes that one core must
    hold at once.
    """

    kernel: str
    ops: int
    result: str
    grid: tuple[int, ...]
    split: tuple[int, ...]
    tile: tuple[int, ...]
    reduction_tile: int | None
    scratchpad: int
    source: str


@dataclasses.dataclass(frozen=True)
class PlanTable:
    """All kernels in order; prints as a table."""

    rows: tuple[PlanRow, ...]

    def to_json(self) -> str:
        """One object a kernel."""
        return json.dumps([dataclasses.asdict(row) for row in self.rows], indent=2)

    def __str__(self) -> str:
        return plain(_TITLES, self._cells(), _RIGHT)

    def __rich__(self) -> Fitted:
        return Fitted(_TITLES, self._cells(), _RIGHT)

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            (
                row.kernel,
                str(row.ops),
                row.result,
                _by(row.split),
                _by(row.tile) + (f" / {row.reduction_tile}" if row.reduction_tile else ""),
                f"{row.scratchpad:,}",
                row.source,
            )
            for row in self.rows
        ]


def plan_table(module: ir.Operation) -> PlanTable:
    """The table of a module of level `plan`."""
    return PlanTable(tuple(_row(kernel) for kernel in kernels_of(module)))


def _row(kernel: ir.Operation) -> PlanRow:
    facts = read_kernel(kernel)
    split, tile = i64_list(kernel, "split"), i64_list(kernel, "tile")
    reduction = reduction_tile(kernel)
    result = facts.first_result
    return PlanRow(
        kernel=facts.name,
        ops=len(facts.ops),
        result=_by((*result.shape, result.element)),
        grid=tuple(cores for cores in split if cores > 1),
        split=tuple(split),
        tile=tuple(tile),
        reduction_tile=reduction,
        scratchpad=peak_live(buffers(facts, Dimensions(facts), tile, reduction)),
        source=short_source(str(kernel.location)),
    )


def _by(parts: tuple[object, ...]) -> str:
    """'8 x 384' as MLIR writes it."""
    return "x".join(str(part) for part in parts)
