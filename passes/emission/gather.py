"""A gather as a load through an indirect access tile, or of a strided view if it is a diagonal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.passes.emission.tile_access import TileAccess, access_tile_type, box_set
from ktir.passes.facts import extracts_of, split_generic_operands
from ktir.passes.ir_utils import body_of, defining_op, identity_map, place_of

Source = Callable[[ir.Value], tuple[TileAccess, list[ir.Value | int]]]


def is_gather(op: ir.Operation) -> bool:
    """Whether `op` reads a tensor at computed coordinates."""
    return bool(extracts_of(op))


def emit_gather(
    op: ir.Operation,
    source: Source,
    mapping: dict[ir.Value, ir.Value],
    views: ir.InsertionPoint,
    ip: ir.InsertionPoint,
) -> ir.Value:
    """Emits a `linalg.generic` whose body is index arithmetic and one `tensor.extract`; returns
    the loaded tile. A new view of the table goes to `views`, what loads to `ip`.
    """
    return _Gather(op, source, mapping, views, ip).emit()


class _Gather:
    """Collects the subscripts of one indirect access tile."""

    def __init__(
        self,
        op: ir.Operation,
        source: Source,
        mapping: dict[ir.Value, ir.Value],
        views: ir.InsertionPoint,
        ip: ir.InsertionPoint,
    ) -> None:
        self._op = op
        self._source = source
        self._mapping = mapping
        self._views = views
        self._ip = ip
        self._captured: list[ir.Value] = []
        self._indirect: list[ir.Value] = []
        self._subscripts: list[tuple[bool, list[tuple[int | None, ir.Value | int]]]] = []

    def emit(self) -> ir.Value:
        """What the gather loads."""
        result_type = ir.RankedTensorType(self._op.results[0].type)
        extract = self._extract()
        table, _ = self._source(extract.operands[0])
        for index in list(extract.operands)[1:]:
            self._subscript(index)
        diagonal = self._diagonal(table, result_type.shape)
        if diagonal is not None:
            view, offsets = diagonal
            return view.load(offsets, result_type.shape, self._ip, self._op.location)
        return ir.Operation.create(
            "ktdp.load",
            results=[result_type],
            operands=[self._tile(table, result_type.shape)],
            ip=self._ip,
            loc=self._op.location,
        ).results[0]

    def _tile(self, table: TileAccess, shape: Sequence[int]) -> ir.Value:
        """The indirect access tile of `shape` with the subscripts collected so far."""
        rank = len(shape)
        captured = len(self._captured)
        maps = [self._map(terms, captured, rank) for _, terms in self._subscripts]
        tile = ir.Operation.create(
            "ktdp.construct_indirect_access_tile",
            results=[access_tile_type(shape)],
            operands=[table.view, *self._indirect, *self._captured],
            attributes={
                "per_dim_subscript_kinds": ir.ArrayAttr.get(
                    [ir.BoolAttr.get(indirect) for indirect, _ in self._subscripts]
                ),
                "per_dim_subscript_maps": ir.ArrayAttr.get(maps),
                "variables_space_set": box_set(shape),
                "variables_space_order": ir.AffineMapAttr.get(identity_map(rank)),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get(
                    [1, len(self._indirect), captured, 0]
                ),
            },
            regions=1,
            ip=self._ip,
            loc=self._op.location,
        )
        index_type = ir.IndexType.get()
        block = tile.regions[0].blocks.append(
            *[index_type] * rank, arg_locs=[self._op.location] * rank
        )
        ir.Operation.create(
            "ktdp.region_terminator", ip=ir.InsertionPoint(block), loc=self._op.location
        )
        return tile.results[0]

    def _diagonal(
        self, table: TileAccess, shape: Sequence[int]
    ) -> tuple[TileAccess, list[ir.Value | int]] | None:
        """The table seen along the loops and the tile's offsets there, if each coordinate is a loop
        that stays inside; None if not.
        """
        offsets: dict[int, ir.Value | int] = {}
        loops: list[int | None] = []
        # A loop of one step has no name in a coordinate, only its offset.
        named = {terms[0][0] for _, terms in self._subscripts}
        single = [n for n, extent in enumerate(shape) if extent == 1 and n not in named]
        for indirect, terms in self._subscripts:
            loop, offset = terms[0]
            if loop is None and offset != 0 and single:
                loop = single.pop(0)
            if indirect or (offset != 0 if loop is None else offsets.get(loop, offset) != offset):
                return None
            if loop is not None:
                offsets[loop] = offset
            loops.append(loop)
        pairs = zip(loops, table.shape, strict=True)
        leaves = any(loop is not None and shape[loop] > whole for loop, whole in pairs)
        if leaves or any(extent > 1 and n not in offsets for n, extent in enumerate(shape)):
            return None
        view = table.along(loops, len(shape), self._views)
        return view, [offsets.get(loop, 0) for loop in range(len(shape))]

    def _extract(self) -> ir.Operation:
        body = [op.operation for op in body_of(self._op)]
        found = [op for op in body if op.name == "tensor.extract"]
        if len(found) != 1 or body[-1].operands[0] != found[0].results[0]:
            raise UnsupportedError(
                f"the gather at {place_of(self._op)} does more than one tensor.extract; "
                "ktir-split-gathers has to run before"
            )
        return found[0]

    def _subscript(self, value: ir.Value) -> None:
        """One coordinate of the table: an index read from memory, a loop plus an offset, or a
        constant.
        """
        owner = defining_op(value)
        if value in list(body_of(self._op).arguments):
            return self._indirect_subscript(value)
        if owner is not None and owner.name == "arith.index_cast":
            return self._subscript(owner.operands[0])
        self._add(False, self._terms(value))
        return None

    def _add(self, indirect: bool, terms: list[tuple[int | None, ir.Value | int]]) -> None:
        for _, offset in terms:
            if not isinstance(offset, int) and offset not in self._captured:
                self._captured.append(offset)
        self._subscripts.append((indirect, terms))

    def _indirect_subscript(self, argument: ir.Value) -> None:
        inputs, _ = split_generic_operands(self._op)
        position = list(body_of(self._op).arguments).index(argument)
        access, offsets = self._source(inputs[position])
        map_ = ir.AffineMapAttr(ir.ArrayAttr(self._op.attributes["indexing_maps"])[position]).value
        terms: list[tuple[int | None, ir.Value | int]] = []
        for expression, offset in zip(map_.results, offsets, strict=True):
            loop = expression.position if isinstance(expression, ir.AffineDimExpr) else None
            terms.append((loop, offset))
        self._indirect.append(access.view)
        self._add(True, terms)

    def _terms(self, value: ir.Value) -> list[tuple[int | None, ir.Value | int]]:
        owner = defining_op(value)
        if value in self._mapping:
            return [(None, self._mapping[value])]
        if owner is not None and owner.name == "linalg.index":
            return [(ir.IntegerAttr(owner.attributes["dim"]).value, 0)]
        if owner is not None and owner.name == "arith.constant":
            return [(None, ir.IntegerAttr(owner.attributes["value"]).value)]
        if owner is not None and owner.name in ("affine.apply", "arith.addi"):
            return self._sum(owner)
        raise UnsupportedError(
            f"the gather at {place_of(self._op)} computes a coordinate by "
            f"{owner.name if owner else 'an unknown value'}; expected an index tensor's element, "
            "a loop index or a loop index plus an offset"
        )

    def _sum(self, owner: ir.Operation) -> list[tuple[int | None, ir.Value | int]]:
        """A loop index plus the tile's offset, as tiling writes it."""
        loop: int | None = None
        offset: ir.Value | int = 0
        for operand in owner.operands:
            inner = defining_op(operand)
            if inner is not None and inner.name == "linalg.index":
                loop = ir.IntegerAttr(inner.attributes["dim"]).value
            else:
                offset = self._mapping[operand]
        if owner.name == "affine.apply" and not _is_plain_sum(owner):
            raise UnsupportedError(
                f"the gather at {place_of(self._op)} scales a coordinate: {owner.attributes['map']}"
            )
        return [(loop, offset)]

    def _map(
        self, terms: Sequence[tuple[int | None, ir.Value | int]], captured: int, rank: int
    ) -> ir.Attribute:
        """The subscript map over captured values and then loop variables."""
        expressions = []
        for loop, offset in terms:
            expression: ir.AffineExpr = ir.AffineConstantExpr.get(
                offset if isinstance(offset, int) else 0
            )
            if not isinstance(offset, int):
                position = self._captured.index(offset)
                expression = expression + ir.AffineDimExpr.get(position)
            if loop is not None:
                expression = expression + ir.AffineDimExpr.get(captured + loop)
            expressions.append(expression)
        return ir.AffineMapAttr.get(ir.AffineMap.get(captured + rank, 0, expressions))


def _is_plain_sum(op: ir.Operation) -> bool:
    text = str(op.attributes["map"])
    return text.split("->")[1].strip(" >()") in (
        "d0 + d1",
        "d0 + s0",
        "s0 + d0",
        "s0 + s1",
        "d1 + d0",
    )
