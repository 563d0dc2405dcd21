"""One KTIR kernel from a tiled function on tensors."""

from __future__ import annotations

from collections.abc import Sequence

from ktir.errors import PassError
from ktir.mlir import ir
from ktir.passes.device_memory import Placement
from ktir.passes.distribution.kernel_function import CONTRACTION, CUT_DIMS, ROOT
from ktir.passes.emission.gather import emit_gather, is_gather
from ktir.passes.emission.tile_access import Scalars, TileAccess
from ktir.passes.facts import split_generic_operands
from ktir.passes.ir_utils import body_of, clone_into, defining_op, i64_list, is_tensor, terminator


def emit_kernel(function: ir.Operation, placements: Sequence[Placement]) -> None:
    """Replaces a tiled kernel function by a KTIR kernel whose operands and results lie at
    `placements`.
    """
    _Kernel(function, placements).run()


class _Kernel:
    """Builds the kernel beside the function it replaces.

    Every value has a depth: how many of the kernel's tile loops it lies inside. Loads and index
    arithmetic stand as far out as what they depend on allows; compute stands innermost.
    """

    def __init__(self, function: ir.Operation, placements: Sequence[Placement]) -> None:
        self._function = function
        self._old = body_of(function)
        self._split = i64_list(function, "tiling.split")
        self._valid = _valid_extents(function)
        self._placements = placements
        self._mapping: dict[ir.Value, ir.Value] = {}
        self._depth: dict[ir.Value, int] = {}
        self._points: list[ir.InsertionPoint] = []

    def run(self) -> None:
        grid = [cores for cores in self._split if cores > 1] or [1]
        new = self._new_function(grid)
        with new.location:
            self._points = [ir.InsertionPoint(body_of(new))]
            scalars = Scalars(body_of(new))
            self._tensors = self._accesses(body_of(new), scalars)
            forall = self._forall()
            if forall is not None:
                self._tile_loops(forall, grid, scalars)
            *ops, last = [op.operation for op in self._old]
            for op in ops:
                if op.name == "scf.forall":
                    self._tile_body(op)
                else:
                    self._emit(op)
            if forall is None:
                self._store_results(last)
            ir.Operation.create("func.return", ip=ir.InsertionPoint(body_of(new)))
            for tensor in self._tensors:
                tensor.drop_if_unused()
        self._function.erase()

    # The frame: function, views, loops

    def _new_function(self, grid: list[int]) -> ir.Operation:
        index = ir.IndexType.get()
        count = len(self._placements)
        i64 = ir.IntegerType.get_signless(64)
        new = ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": self._function.attributes["sym_name"],
                "function_type": ir.TypeAttr.get(ir.FunctionType.get([index] * count, [])),
                "grid": ir.ArrayAttr.get([ir.IntegerAttr.get(i64, size) for size in grid]),
            },
            regions=1,
            loc=self._function.location,
            ip=ir.InsertionPoint(self._function),
        )
        new.regions[0].blocks.append(*[index] * count, arg_locs=[self._function.location] * count)
        return new

    def _accesses(self, entry: ir.Block, scalars: Scalars) -> list[TileAccess]:
        function_type = ir.FunctionType(
            ir.TypeAttr(self._function.attributes["function_type"]).value
        )
        types = [ir.RankedTensorType(t) for t in (*function_type.inputs, *function_type.results)]
        return [
            TileAccess(pointer, type_, valid, placement.strides, scalars, self._points[0])
            for pointer, type_, valid, placement in zip(
                entry.arguments, types, self._valid, self._placements, strict=True
            )
        ]

    def _forall(self) -> ir.Operation | None:
        for op in self._old:
            if op.operation.name == "scf.forall":
                return op.operation
        return None

    def _tile_loops(self, forall: ir.Operation, grid: list[int], scalars: Scalars) -> None:
        """Core coordinates, the loops over a core's tiles, and the offset of the tile in each cut
        dimension.
        """
        index = ir.IndexType.get()
        core_ids = ir.Operation.create(
            "ktdp.get_compute_tile_id", results=[index] * len(grid), ip=self._points[0]
        ).results
        steps = i64_list(forall, "staticStep")
        uppers = i64_list(forall, "staticUpperBound")
        dims = i64_list(self._function, CUT_DIMS)
        cores = iter(core_ids)
        core_of = {d: next(cores) for d in range(len(self._split)) if self._split[d] > 1}
        ivs = list(body_of(forall).arguments)[: len(dims)]
        for dim, step, upper, iv in zip(dims, steps, uppers, ivs, strict=True):
            trips = upper // step // self._split[dim]
            start = None
            if dim in core_of:
                start = scalars.multiply(core_of[dim], trips * step, self._points[0])
            if trips > 1:
                loop = self._open_loop(trips, scalars)
                inner = scalars.multiply(loop, step, self._points[-1])
                start = inner if start is None else scalars.add(start, inner, self._points[-1])
            assert start is not None
            self._mapping[iv] = start
            self._depth[iv] = len(self._points) - 1 if trips > 1 else 0

    def _open_loop(self, trips: int, scalars: Scalars) -> ir.Value:
        index = ir.IndexType.get()
        bounds = [scalars.constant(value) for value in (0, trips, 1)]
        loop = ir.Operation.create("scf.for", operands=bounds, regions=1, ip=self._points[-1])
        block = loop.regions[0].blocks.append(index, arg_locs=[loop.location])
        end = ir.Operation.create("scf.yield", ip=ir.InsertionPoint(block))
        # What belongs outside this loop goes before it, what belongs inside before its end.
        self._points[-1] = ir.InsertionPoint(loop)
        self._points.append(ir.InsertionPoint(end))
        return block.arguments[0]

    # The body

    def _tile_body(self, forall: ir.Operation) -> None:
        block = body_of(forall)
        outputs = list(block.arguments)[-len(forall.results) :] if len(forall.results) else []
        results = {value: i for i, value in enumerate(forall.results)}
        returned = terminator(self._old).operands
        position = {outputs[results[value]]: i for i, value in enumerate(returned)}
        inputs = len(self._old.arguments)
        for op in [op.operation for op in block]:
            if op.name == "scf.forall.in_parallel":
                for insertion in body_of(op):
                    inner = insertion.operation
                    target = self._tensors[inputs + position[inner.operands[1]]]
                    self._store(inner, target)
            elif op.name == "tensor.extract_slice" and op.operands[0] in outputs:
                continue  # the initial value of what tiling started from; nothing reads it
            else:
                self._emit(op)

    def _store(self, insertion: ir.Operation, target: TileAccess) -> None:
        value = self._mapping[insertion.operands[0]]
        offsets, _ = self._offsets(insertion, first=2)
        target.store(value, offsets, self._points[-1], insertion.location)

    def _store_results(self, last: ir.Operation) -> None:
        inputs = len(self._old.arguments)
        for i, value in enumerate(last.operands):
            target = self._tensors[inputs + i]
            new = self._operand(value)
            target.store(new, [0] * target.rank, self._points[-1], last.location)

    def _emit(self, op: ir.Operation) -> None:
        """Emits one op of the tiled function."""
        if op.name == "tensor.extract_slice" and self._argument(op.operands[0]) is not None:
            return self._load_slice(op)
        if op.name == "linalg.generic" and ROOT in op.attributes:
            return self._look_through(op)
        if op.name == "linalg.generic" and is_gather(op):
            return self._gather(op)
        if op.name == "scf.for":
            return self._inner_loop(op)
        for operand in op.operands:
            self._operand(operand)
        if any(is_tensor(value) for value in op.results):
            clone = clone_into(op, self._mapping, self._points[-1])
            if CONTRACTION in clone.attributes:
                del clone.attributes[CONTRACTION]
            return None
        depth = max((self._depth.get(value, 0) for value in op.operands), default=0)
        clone_into(op, self._mapping, self._points[depth])
        for result in op.results:
            self._depth[result] = depth
        return None

    def _operand(self, value: ir.Value) -> ir.Value:
        """The new value for an operand; a whole argument is loaded once, outside all loops."""
        if value not in self._mapping:
            argument = self._argument(value)
            if argument is None:
                raise PassError(f"internal error: {value} has not been emitted")
            access = self._tensors[argument]
            shape = ir.RankedTensorType(value.type).shape
            self._mapping[value] = access.load(
                [0] * access.rank, shape, self._points[0], self._function.location
            )
        return self._mapping[value]

    def _argument(self, value: ir.Value) -> int | None:
        for index, argument in enumerate(self._old.arguments):
            if argument == value:
                return index
        return None

    def _load_slice(self, op: ir.Operation) -> None:
        argument = self._argument(op.operands[0])
        assert argument is not None
        offsets, depth = self._offsets(op, first=1)
        shape = ir.RankedTensorType(op.results[0].type).shape
        self._mapping[op.results[0]] = self._tensors[argument].load(
            offsets, shape, self._points[depth], op.location
        )

    def _offsets(self, op: ir.Operation, first: int) -> tuple[list[ir.Value | int], int]:
        """The offsets of a slice op, whose dynamic ones start at operand `first`, and the depth
        they need.
        """
        dynamic = iter(list(op.operands)[first:])
        offsets: list[ir.Value | int] = []
        depth = 0
        for value in i64_list(op, "static_offsets"):
            if value >= 0:
                offsets.append(value)
                continue
            operand = next(dynamic)
            depth = max(depth, self._depth.get(operand, 0))
            offsets.append(self._mapping[operand])
        return offsets, depth

    def _look_through(self, op: ir.Operation) -> None:
        """The op that tiling started from only names the results."""
        inputs, _ = split_generic_operands(op)
        for value, result in zip(inputs, op.results, strict=True):
            self._mapping[result] = self._operand(value)

    def _gather(self, op: ir.Operation) -> None:
        for inner in body_of(op):
            for operand in inner.operands:
                owner = defining_op(operand)
                if (
                    owner is not None
                    and owner.block != body_of(op)
                    and operand not in self._mapping
                ):
                    self._emit(owner)
        self._mapping[op.results[0]] = emit_gather(
            op, self._gather_source, self._mapping, self._points[0], self._points[-1]
        )

    def _gather_source(self, value: ir.Value) -> tuple[TileAccess, list[ir.Value | int]]:
        """The argument that a tensor of a gather is, or is a slice of, and the slice's offsets."""
        argument = self._argument(value)
        if argument is not None:
            access = self._tensors[argument]
            return access, [0] * access.rank
        owner = defining_op(value)
        if owner is None or owner.name != "tensor.extract_slice":
            raise PassError(f"internal error: a gather reads {value}, which is no kernel operand")
        argument = self._argument(owner.operands[0])
        assert argument is not None
        return self._tensors[argument], self._offsets(owner, first=1)[0]

    def _inner_loop(self, op: ir.Operation) -> None:
        """A loop over pieces of a reduction, with the accumulator carried."""
        for operand in op.operands:
            self._operand(operand)
        operands = [self._mapping[value] for value in op.operands]
        loop = ir.Operation.create(
            "scf.for",
            operands=operands,
            results=[result.type for result in op.results],
            regions=1,
            ip=self._points[-1],
            loc=op.location,
        )
        old = body_of(op)
        block = loop.regions[0].blocks.append(
            *[argument.type for argument in old.arguments],
            arg_locs=[op.location] * len(old.arguments),
        )
        self._points.append(ir.InsertionPoint(block))
        for before, after in zip(old.arguments, block.arguments, strict=True):
            self._mapping[before] = after
            self._depth[before] = len(self._points) - 1
        for inner in [inner.operation for inner in old]:
            self._emit_inner(inner)
        self._points.pop()
        for before, after in zip(op.results, loop.results, strict=True):
            self._mapping[before] = after

    def _emit_inner(self, op: ir.Operation) -> None:
        if op.name == "scf.yield":
            values = [self._operand(value) for value in op.operands]
            ir.Operation.create("scf.yield", operands=values, ip=self._points[-1])
        else:
            self._emit(op)


def _valid_extents(function: ir.Operation) -> list[list[int]]:
    return [
        list(ir.DenseI64ArrayAttr(ir.DictAttr(attributes)["tiling.valid"]))
        for name in ("arg_attrs", "res_attrs")
        for attributes in (
            ir.ArrayAttr(function.attributes[name]) if name in function.attributes else []
        )
    ]
