"""Gathers and scatters inside the scratchpad: transfers of the running core's own scratchpad.

Owns the lists of such a transfer, whose base is the address of a slot.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.layout import row_strides
from ktir.mlir import ir
from ktir.passes.lowering.index import Index
from ktir.passes.lowering.selection import Selection
from ktir.passes.lowering.steps import Access, Slot, Via

Place = Via | Index
"""Where along one dimension of a slot: as an entry of a transfer says, or the same everywhere."""


def local_access(
    selection: Selection, whole: Slot, shape: tuple[int, ...], places: Sequence[Place]
) -> Access:
    """The places in the slot `whole` of the elements of a buffer of `shape`."""
    rank = len(shape)
    still = ir.AffineMap.get(rank, 0, [ir.AffineExpr.get_constant(0)])
    via = [place if isinstance(place, Via) else Via(None, still) for place in places]
    return Access(
        base=whole,
        shape=shape,
        offsets=tuple(0 if isinstance(place, Via) else place for place in places),
        bounds=whole.sizes,
        strides=tuple(row_strides(whole.shape, str(whole.element))),
        via=tuple(via),
        core=selection.own_core(),
    )
