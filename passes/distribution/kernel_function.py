"""One kernel as a function on padded tensors, ready to be tiled."""

from __future__ import annotations

import dataclasses
import math

from ktir.layout import round_up
from ktir.mlir import ir
from ktir.passes.device_memory import is_dense_result
from ktir.passes.dimensions import Dimensions
from ktir.passes.facts import (
    IDENTITIES,
    KernelFacts,
    OpFacts,
    fills_only_outputs,
    read_kernel,
    reduction_tile,
)
from ktir.passes.ir_utils import (
    body_of,
    clone_into,
    element_type,
    i64_array,
    i64_list,
    is_tensor,
    shape_of,
    terminator,
)
from ktir.passes.structured import Access, copy, identity

ROOT = "ktir_root"
"""Attribute of the op that a kernel's tiling starts from; its value numbers the kernel."""

CONTRACTION = "ktir_contraction"
"""Attribute of the op whose reduction is cut into pieces."""


CUT_DIMS = "tiling.cut_dims"
"""Attribute of a kernel function: the dimensions that its loop over tiles runs along."""

DENSE = "tiling.dense"
"""Attribute of a kernel function: the results that are laid out without padding."""


@dataclasses.dataclass(frozen=True)
class KernelFunction:
    """What the tiling script and the host need to know of an outlined kernel.

    `loop_tiles` are the tile sizes of the root's loops, 0 where a loop is not cut;
    `reduction_tiles` those of the contraction's loops, None if its reduction is whole.
    """

    name: str
    number: int
    logical_type: ir.Type
    location: ir.Location
    loop_tiles: tuple[int, ...]
    reduction_tiles: tuple[int, ...] | None


def outline(kernel: ir.Operation, name: str, number: int, block: ir.Block) -> KernelFunction:
    """Appends a function with the kernel's body to `block` and marks the ops that tiling starts
    from.
    """
    facts = read_kernel(kernel)
    plan = _Extents(kernel, facts)
    source = body_of(kernel)
    results = terminator(source).operands
    padded_in = [
        plan.padded_type(i, value)
        for i, value in zip(facts.operands, source.arguments, strict=True)
    ]
    padded_out = [
        plan.padded_type(i, value) for i, value in zip(facts.results, results, strict=True)
    ]
    function = ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get(name),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(padded_in, padded_out)),
            "tiling.split": kernel.attributes["split"],
            CUT_DIMS: i64_array([d for d, tile in enumerate(plan.loop_tiles()) if tile]),
            "arg_attrs": _valid_attributes(kernel.operands),
            "res_attrs": _valid_attributes(kernel.results),
            DENSE: i64_array([i for i in range(len(results)) if is_dense_result(kernel, i)]),
        },
        regions=1,
        loc=kernel.location,
        ip=ir.InsertionPoint(block),
    )
    entry = function.regions[0].blocks.append(
        *padded_in, arg_locs=[kernel.location] * len(padded_in)
    )
    _Body(source, entry, facts, plan).fill(number)
    return KernelFunction(
        name,
        number,
        ir.FunctionType.get([v.type for v in kernel.operands], [v.type for v in kernel.results]),
        kernel.location,
        plan.loop_tiles(),
        _reduction_tiles(kernel, facts),
    )


def _valid_attributes(values: ir.OpOperandList | ir.OpResultList) -> ir.Attribute:
    """The real extents of each tensor."""
    return ir.ArrayAttr.get(
        [ir.DictAttr.get({"tiling.valid": i64_array(shape_of(value))}) for value in values]
    )


def _reduction_tiles(kernel: ir.Operation, facts: KernelFacts) -> tuple[int, ...] | None:
    tile = reduction_tile(kernel)
    for op in facts.ops:
        if op.contraction and tile is not None:
            cut = max(op.reductions)
            return tuple(tile if loop == cut else 0 for loop in range(len(op.extents)))
    return None


class _Extents:
    """The padded extents of a kernel's dimensions."""

    def __init__(self, kernel: ir.Operation, facts: KernelFacts) -> None:
        self.facts = facts
        self.dimensions = Dimensions(facts)
        self._split = i64_list(kernel, "split")
        self._tile = i64_list(kernel, "tile")
        self._reduction = reduction_tile(kernel)

    def padded(self, identity: int) -> tuple[int, ...]:
        """The extents of a value, padded to whole blocks of all cores."""
        value = self.facts.value(identity)
        reduced = self.dimensions.contraction_class() if self._reduction else None
        shape = list(value.shape)
        for dim, extent in enumerate(shape):
            result_dim = self.dimensions.result_dim(identity, dim)
            if result_dim is not None and extent != 1:
                shape[dim] = self._domain(result_dim)
            elif self._reduction and self.dimensions.class_of_dim(identity, dim) == reduced:
                shape[dim] = round_up(extent, self._reduction)
        return tuple(shape)

    def _domain(self, dim: int) -> int:
        extent, split, tile = self.facts.first_result.shape[dim], self._split[dim], self._tile[dim]
        return split * tile * math.ceil(math.ceil(extent / split) / tile)

    def padded_type(self, identity: int, value: ir.Value) -> ir.Type:
        """The type of a value with padded extents."""
        return retyped(value, self.padded(identity))

    def loop_tiles(self) -> tuple[int, ...]:
        """Tile sizes of the first result's dimensions; 0 where one core holds the whole dimension
        at once.
        """
        return tuple(
            0 if self._tile[dim] >= self._domain(dim) else self._tile[dim]
            for dim in range(len(self._tile))
        )


def retyped(value: ir.Value, shape: tuple[int, ...]) -> ir.Type:
    """The type of the tensor `value` with another shape."""
    return ir.RankedTensorType.get(list(shape), element_type(value))


class _Body:
    """Clones a kernel's body into its function with padded types."""

    def __init__(
        self, source: ir.Block, entry: ir.Block, facts: KernelFacts, plan: _Extents
    ) -> None:
        self._source = source
        self._plan = plan
        self._facts = facts
        self._ip = ir.InsertionPoint(entry)
        self._mapping: dict[ir.Value, ir.Value] = dict(
            zip(source.arguments, entry.arguments, strict=True)
        )
        self._padded: dict[ir.Value, tuple[int, ...]] = {
            value: plan.padded(i) for i, value in zip(facts.operands, source.arguments, strict=True)
        }

    def fill(self, number: int) -> None:
        pending = iter(self._facts.ops)
        for op in [op.operation for op in self._source]:
            if op.name == "plan.yield":
                self._finish(op, number)
            elif op.name == "tensor.empty" or (op.name == "linalg.fill" and fills_only_outputs(op)):
                continue  # initial values are made where they are used
            elif op.name == "arith.constant" or not any(is_tensor(v) for v in op.results):
                clone_into(op, self._mapping, self._ip)
            else:
                self._compute(op, next(pending), number)

    def _compute(self, op: ir.Operation, facts: OpFacts, number: int) -> None:
        shapes = [self._plan.padded(identity) for identity in facts.results]
        if op.name in IDENTITIES:
            self._mapping[op.results[0]] = self._moved(op)
            return
        initial = [
            self._initial(value, shape) for value, shape in zip(_outs(op), shapes, strict=True)
        ]
        mapping = dict(self._mapping)
        mapping.update(pair for pair in initial if pair is not None)
        clone = clone_into(op, mapping, self._ip)
        for old, new, shape in zip(op.results, clone.results, shapes, strict=True):
            new.set_type(retyped(new, shape))
            self._mapping[old] = new
        if facts.contraction:
            clone.attributes[CONTRACTION] = _number(number)

    def _moved(self, op: ir.Operation) -> ir.Value:
        """Moving a value is a matter of where it is stored; only an operand has to be read."""
        value = self._mapping[op.operands[0]]
        if op.operands[0] in list(self._source.arguments):
            with self._ip:
                return copy(value, op.location)
        return value

    def _initial(self, value: ir.Value, shape: tuple[int, ...]) -> tuple[ir.Value, ir.Value] | None:
        """A fresh empty or fill of the padded shape for an output; None if the output is another
        op's result.
        """
        if value in self._mapping:
            return None
        owner = value.owner.operation
        empty = ir.Operation.create(
            "tensor.empty", results=[retyped(value, shape)], ip=self._ip, loc=owner.location
        )
        if owner.name == "tensor.empty":
            return value, empty.results[0]
        mapping = {**self._mapping, owner.operands[1]: empty.results[0]}
        filled = clone_into(owner, mapping, self._ip)
        filled.results[0].set_type(retyped(value, shape))
        return value, filled.results[0]

    def _finish(self, last: ir.Operation, number: int) -> None:
        """Ends the function; tiling starts from one op that names all results."""
        results = [self._mapping[value] for value in last.operands]
        if any(self._plan.loop_tiles()):
            results = self._root(results, last.location, number)
        ir.Operation.create("func.return", operands=results, ip=self._ip, loc=last.location)

    def _root(self, results: list[ir.Value], location: ir.Location, number: int) -> list[ir.Value]:
        loops = len(self._facts.first_result.shape)
        accesses: list[Access] = [tuple(range(loops))]
        for result in self._facts.results[1:]:
            access: list[int] = []
            for dim in range(len(self._facts.value(result).shape)):
                loop = self._plan.dimensions.result_dim(result, dim)
                if loop is None or loop in access:
                    loop, loops = loops, loops + 1
                access.append(loop)
            accesses.append(tuple(access))
        with self._ip:
            root = identity(results, accesses, loops, location)
        root.attributes[ROOT] = _number(number)
        return list(root.results)


def _outs(op: ir.Operation) -> list[ir.Value]:
    if op.name == "linalg.fill":
        return [op.operands[1]]
    return list(op.operands)[ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0] :]


def _number(number: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
