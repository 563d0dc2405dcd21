"""Loads and stores of tiles of one tensor in device memory."""

from __future__ import annotations

from collections.abc import Sequence

from ktir.mlir import ir
from ktir.passes.ir_utils import identity_map


class Scalars:
    """Index constants and arithmetic in one kernel; constants stand once, at the top."""

    def __init__(self, entry: ir.Block) -> None:
        self._entry = entry
        self._constants: dict[int, ir.Value] = {}
        self._index = ir.IndexType.get()

    def constant(self, value: int) -> ir.Value:
        """A constant of type `index`."""
        if value not in self._constants:
            self._constants[value] = ir.Operation.create(
                "arith.constant",
                results=[self._index],
                attributes={"value": ir.IntegerAttr.get(self._index, value)},
                ip=ir.InsertionPoint.at_block_begin(self._entry),
            ).results[0]
        return self._constants[value]

    def multiply(self, value: ir.Value, factor: int, ip: ir.InsertionPoint) -> ir.Value:
        """`value * factor`."""
        if factor == 1:
            return value
        return self._binary("arith.muli", value, self.constant(factor), ip)

    def add(self, a: ir.Value, b: ir.Value, ip: ir.InsertionPoint) -> ir.Value:
        """`a + b`."""
        return self._binary("arith.addi", a, b, ip)

    def _binary(self, name: str, a: ir.Value, b: ir.Value, ip: ir.InsertionPoint) -> ir.Value:
        return ir.Operation.create(name, results=[self._index], operands=[a, b], ip=ip).results[0]


def box_set(extents: Sequence[int]) -> ir.Attribute:
    """The integer set of all coordinates from 0 to `extents`, exclusive."""
    dims = ", ".join(f"d{i}" for i in range(len(extents)))
    bounds = ", ".join(f"d{i} >= 0, -d{i} + {n - 1} >= 0" for i, n in enumerate(extents))
    return ir.Attribute.parse(f"affine_set<({dims}) : ({bounds})>")


class TileAccess:
    """One operand or result of a kernel: a memory view at the top of the kernel, and tiles of it.

    A tensor of rank 0 is seen as one of rank 1 and extent 1, since a tile has coordinates.
    """

    def __init__(
        self,
        pointer: ir.Value,
        padded: ir.RankedTensorType,
        valid: Sequence[int],
        strides: Sequence[int],
        scalars: Scalars,
        ip: ir.InsertionPoint,
    ) -> None:
        self._pointer = pointer
        self._valid = list(valid)
        self._strides = list(strides)
        self._scalars = scalars
        self._element = padded.element_type
        self.shape = list(padded.shape) or [1]
        self.rank = len(self.shape)
        self.view = ir.Operation.create(
            "ktdp.construct_memory_view",
            results=[ir.MemRefType.get(self.shape, self._element)],
            operands=[pointer],
            attributes={
                "static_sizes": ir.DenseI64ArrayAttr.get(self.shape),
                "static_strides": ir.DenseI64ArrayAttr.get(list(strides) or [1]),
                "memory_space": ir.Attribute.parse("#ktdp.memory_space<global>"),
                "coordinate_set": box_set(list(valid) or [1]),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0]),
            },
            ip=ip,
        ).results[0]

    def along(self, loops: Sequence[int | None], count: int, ip: ir.InsertionPoint) -> TileAccess:
        """The elements that `count` loops meet, with a dimension a loop.

        `loops` names for each dimension of the tensor the loop that counts it; None stays at 0. A
        loop that counts several dimensions, a diagonal, goes on while all have some left; one that
        counts none has one step.
        """
        shape, valid, strides = [], [], []
        for loop in range(count):
            dims = [dim for dim, counted in enumerate(loops) if counted == loop]
            shape.append(min((self.shape[dim] for dim in dims), default=1))
            valid.append(min((self._valid[dim] for dim in dims), default=1))
            strides.append(sum(self._strides[dim] for dim in dims) or 1)
        padded = ir.RankedTensorType.get(shape, self._element)
        return TileAccess(self._pointer, padded, valid, strides, self._scalars, ip)

    def drop_if_unused(self) -> None:
        """Erases the view if no tile is of it."""
        if not list(self.view.uses):
            self.view.owner.erase()

    def load(
        self,
        offsets: Sequence[ir.Value | int],
        shape: Sequence[int],
        ip: ir.InsertionPoint,
        location: ir.Location,
    ) -> ir.Value:
        """Loads the tile of the given shape at `offsets`."""
        tile = self._tile(offsets, list(shape) or [1], ip, location)
        loaded = ir.Operation.create(
            "ktdp.load",
            results=[ir.RankedTensorType.get(list(shape) or [1], self._element)],
            operands=[tile],
            ip=ip,
            loc=location,
        ).results[0]
        return loaded if len(shape) else self._reshape("collapse", loaded, [], ip, location)

    def store(
        self,
        value: ir.Value,
        offsets: Sequence[ir.Value | int],
        ip: ir.InsertionPoint,
        location: ir.Location,
    ) -> None:
        """Stores `value` as the tile at `offsets`."""
        shape = list(ir.RankedTensorType(value.type).shape)
        if not shape:
            value = self._reshape("expand", value, [1], ip, location)
        tile = self._tile(offsets, shape or [1], ip, location)
        ir.Operation.create("ktdp.store", operands=[value, tile], ip=ip, loc=location)

    def index(self, offset: ir.Value | int) -> ir.Value:
        """An offset as an SSA value."""
        return self._scalars.constant(offset) if isinstance(offset, int) else offset

    def _tile(
        self,
        offsets: Sequence[ir.Value | int],
        shape: list[int],
        ip: ir.InsertionPoint,
        location: ir.Location,
    ) -> ir.Value:
        bases = [self.index(offset) for offset in offsets]
        identity = ir.AffineMapAttr.get(identity_map(self.rank))
        return ir.Operation.create(
            "ktdp.construct_access_tile",
            results=[access_tile_type(shape)],
            operands=[self.view, *bases],
            attributes={
                "base_map": identity,
                "access_tile_set": box_set(shape),
                "access_tile_order": identity,
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, self.rank, 0]),
            },
            ip=ip,
            loc=location,
        ).results[0]

    def _reshape(
        self,
        kind: str,
        value: ir.Value,
        shape: list[int],
        ip: ir.InsertionPoint,
        location: ir.Location,
    ) -> ir.Value:
        attributes: dict[str, ir.Attribute] = {"reassociation": ir.ArrayAttr.get([])}
        if kind == "expand":
            attributes["static_output_shape"] = ir.DenseI64ArrayAttr.get(shape)
        return ir.Operation.create(
            f"tensor.{kind}_shape",
            results=[ir.RankedTensorType.get(shape, self._element)],
            operands=[value],
            attributes=attributes,
            ip=ip,
            loc=location,
        ).results[0]


def access_tile_type(shape: Sequence[int]) -> ir.Type:
    """The type of an access tile of the given shape."""
    dims = "x".join(str(size) for size in shape)
    return ir.Type.parse(f"!ktdp.access_tile<{dims}xindex>")
