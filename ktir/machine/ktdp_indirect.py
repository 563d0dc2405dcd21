"""`ktdp.construct_indirect_access_tile`: coordinates that are partly read from other views.

Owns its decoding. The indices are read when the tile is made, so they have the values of that
moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ktir.errors import UnsupportedError
from ktir.machine import tiles
from ktir.machine.access import Access
from ktir.machine.affine import AffineMap, decode_map
from ktir.machine.block import Step
from ktir.machine.decode import Scope, handler
from ktir.machine.frame import Frame
from ktir.machine.ktdp_ops import Geometry, symbols_of, tile_shape
from ktir.machine.percore import PerCore, column, per_core
from ktir.machine.sets import decode_set
from ktir.machine.views import PointTile
from ktir.mlir import ir


@dataclass(frozen=True)
class _Subscript:
    """One dimension of the base: an affine value, or the element there of the view in a slot."""

    values: AffineMap
    view: int | None

    def coordinate(self, frame: Frame, inputs: Sequence[Tensor], rank: int) -> Tensor:
        """The coordinates as int64 [1 or cores, points..], which broadcast over the tile."""
        found = [_with_rank(value, rank) for value in self.values(inputs)]
        if self.view is None:
            return found[0]
        view = frame[self.view]
        shapes = [value.shape[1:] for value in found]
        points = torch.broadcast_shapes(*shapes)  # type: ignore[no-untyped-call]
        tile = PointTile(view, found, points, points)
        access = Access(frame, "reads", view.name, tile.point)
        return tiles.load(tile, access).to(torch.int64)


def _with_rank(value: Any, rank: int) -> Tensor:
    return value if isinstance(value, Tensor) else column([value], rank)


@handler("ktdp.construct_indirect_access_tile")
def decode_indirect_tile(op: Any, scope: Scope) -> Step:
    """A tile of points, with their coordinates computed and read now."""
    if not isinstance(op.base.type, ir.MemRefType):
        raise UnsupportedError("an access tile of a tensor; use a view of memory")
    views = iter(scope.slots(list(op.indirect_memrefs)))
    subscripts = [
        _Subscript(scope.once(decode_map, entry), next(views) if ir.BoolAttr(kind).value else None)
        for kind, entry in zip(op.per_dim_subscript_kinds, op.per_dim_subscript_maps, strict=True)
    ]
    captured = scope.slots(list(op.captured_variables))
    symbols = symbols_of(list(op.symbol_operands), scope)
    order = scope.once(decode_map, op.variables_space_order)
    shape = tile_shape(op.results[0].type)
    geometry = Geometry(scope.once(decode_set, op.variables_space_set), order, shape)
    read = frozenset(dim for dim, s in enumerate(subscripts) if s.view is not None)
    base = scope.slot(op.base)
    result = scope.define(op.results[0])

    def construct(frame: Frame) -> None:
        grid, places, resolved = geometry.bind(symbols(frame))
        if grid is None:
            counts: tuple[int, ...] = (len(places),)
            variables = list(places.T[:, None])
        else:
            counts = grid.counts
            variables = _variables(grid.axes, places)
        rank = len(counts)
        inputs = [column(per_core(frame[slot]), rank) for slot in captured] + variables
        coordinates = [subscript.coordinate(frame, inputs, rank) for subscript in subscripts]
        frame[result] = PointTile(frame[base], coordinates, counts, resolved, read)

    return construct


def _variables(axes: Sequence[tuple[int, int, int]], starts: Sequence[PerCore]) -> list[Tensor]:
    """The values of each variable along its axis of the grid, [1 or cores, .., count, ..]."""
    found: dict[int, Tensor] = {}
    for axis, (dim, step, count) in enumerate(axes):
        shape = [1] * (len(axes) + 1)
        shape[axis + 1] = count
        found[dim] = (torch.arange(count) * step).view(shape) + column(starts[dim], len(axes))
    return [found[dim] for dim in range(len(axes))]
