"""From placed steps to an `sdf.program`.

Owns the writing of ops: one a step, at the step's location, with addresses from the placement.
Indices are computed with `arith` where they are needed; equal ones are merged afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ktir.mlir import ir
from ktir.mlir.dialects import sdf as _sdf
from ktir.passes.ir_utils import clone_into
from ktir.passes.lowering.indices import Indices
from ktir.passes.lowering.placement import Placement
from ktir.passes.lowering.steps import (
    Access,
    Branch,
    Compute,
    Copy,
    CoreId,
    Define,
    Extract,
    Load,
    Loop,
    Move,
    Reshape,
    Scalar,
    Slot,
    Step,
    Store,
)

sdf: Any = _sdf
"""The builders of the dialect's ops; generated, so without annotations."""


class Emitter:
    """Writes the steps of one kernel at the current insertion point.

    `values` maps scalars of the kernel to those of the program; it starts with the arguments.
    """

    def __init__(self, placement: Placement, values: dict[ir.Value, ir.Value]) -> None:
        self._placement = placement
        self._values = values
        self._indices = Indices(values)
        self._buffers: dict[Slot, ir.Attribute] = {}

    def emit(self, steps: Sequence[Step]) -> None:
        for step in steps:
            with step.location:
                _WRITERS[type(step)](self, step)

    def scalar(self, step: Scalar) -> None:
        clone_into(step.op, self._values, ir.InsertionPoint.current)

    def define(self, step: Define) -> None:
        if isinstance(step.value, ir.Attribute):
            self._values[step.result] = self._indices.constant(step.value)
        else:
            self._values[step.result] = self._indices.value(step.value)

    def core_id(self, step: CoreId) -> None:
        op = sdf.CoreIdOp([ir.IndexType.get()] * len(step.results))
        self._values.update(zip(step.results, op.operation.results, strict=True))

    def load(self, step: Load) -> None:
        make = sdf.GatherOp if step.access.via else sdf.ReadOp
        make(self.buffer(step.dst), *self._access(step.access))

    def store(self, step: Store) -> None:
        make = sdf.ScatterOp if step.access.via else sdf.WriteOp
        make(self.buffer(step.src), *self._access(step.access))

    def _access(self, access: Access) -> list[Any]:
        """The arguments of a transfer after its buffer, in the order of its builder."""
        lists = [access.offsets, access.bounds, access.strides]
        fixed, values = zip(*(self._indices.mixed(entries) for entries in lists), strict=True)
        indirect: list[Any] = []
        if access.via:
            no_buffer = ir.UnitAttr.get()
            buffers = [self.buffer(v.index) if v.index else no_buffer for v in access.via]
            maps = [ir.AffineMapAttr.get(via.map) for via in access.via]
            indirect = [ir.ArrayAttr.get(buffers), ir.ArrayAttr.get(maps)]
        return [self._values[access.base], *values, *indirect, *fixed]

    def compute(self, step: Compute) -> None:
        scalars = [self._values[scalar] for scalar in step.scalars]
        op = sdf.ComputeOp(
            engine=ir.Attribute.parse(f"#sdf.engine<{step.engine}>"),
            inputs=ir.ArrayAttr.get([self.buffer(slot) for slot in step.inputs]),
            outputs=ir.ArrayAttr.get([self.buffer(slot) for slot in step.outputs]),
            indexing_maps=ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in step.maps]),
            iterator_types=ir.ArrayAttr.get([ir.StringAttr.get(name) for name in step.iterators]),
            scalars=scalars,
        )
        groups = (
            [slot.element for slot in step.inputs],
            [scalar.type for scalar in scalars],
            [slot.element for slot in step.outputs],
        )
        types = [type_ for group in groups for type_ in group]
        block = op.operation.regions[0].blocks.append(*types, arg_locs=[step.location] * len(types))
        arguments = list(block.arguments)
        first, second = len(groups[0]), len(groups[0]) + len(groups[1])
        with ir.InsertionPoint(block):
            sdf.YieldOp(step.body((arguments[:first], arguments[first:second], arguments[second:])))

    def move(self, step: Move) -> None:
        self._copy_all(step.src, step.dst)

    def _copy_all(self, src: Slot, dst: Slot) -> None:
        if not self._placement.is_same(src, dst):
            rank = len(src.shape)
            self._copy(src, [0] * rank, [1] * rank, dst, [0] * rank, [1] * rank, src.shape)

    def reshape(self, step: Reshape) -> None:
        if not self._placement.is_same(step.src, step.dst):
            sdf.ReshapeOp(self.buffer(step.src), self.buffer(step.dst))

    def copy(self, step: Copy) -> None:
        self._copy(
            step.src,
            step.src_offsets,
            step.src_strides,
            step.dst,
            step.dst_offsets,
            step.dst_strides,
            step.sizes,
        )

    def _copy(self, src: Slot, *rest: Any) -> None:
        src_offsets, src_strides, dst, dst_offsets, dst_strides, sizes = rest
        lists = [src_offsets, src_strides, dst_offsets, dst_strides, sizes]
        fixed, values = zip(*(self._indices.mixed(entries) for entries in lists), strict=True)
        sdf.CopyOp(self.buffer(src), self.buffer(dst), *values, *fixed)

    def extract(self, step: Extract) -> None:
        fixed, values = self._indices.mixed(step.indices)
        op = sdf.ExtractOp(step.result.type, self.buffer(step.src), values, fixed)
        self._values[step.result] = op.operation.results[0]

    def loop(self, step: Loop) -> None:
        self._moves((step, "entry"))
        old = step.op
        source = old.regions[0].blocks[0]
        kept = self._scalar_positions(old.results)
        operands = [self._values[value] for value in list(old.operands)[:3]]
        operands += [self._values[old.operands[3 + i]] for i in kept]
        new = self._control(old, operands, kept)
        types = [source.arguments[0].type, *(old.results[i].type for i in kept)]
        block = new.regions[0].blocks.append(*types, arg_locs=[step.location] * len(types))
        arguments = [source.arguments[0], *(source.arguments[1 + i] for i in kept)]
        self._values.update(zip(arguments, block.arguments, strict=True))
        self._side(block, source, kept, step.body, (step, "back"))

    def branch(self, step: Branch) -> None:
        old = step.op
        kept = self._scalar_positions(old.results)
        new = self._control(old, [self._values[old.operands[0]]], kept)
        sides = [(step.then, "then"), (step.otherwise, "otherwise")]
        for region, target, (steps, place) in zip(old.regions, new.regions, sides, strict=True):
            if len(region.blocks):
                block = target.blocks.append()
                self._side(block, region.blocks[0], kept, steps, (step, place))

    def _control(
        self, old: ir.Operation, operands: list[ir.Value], kept: list[int]
    ) -> ir.Operation:
        """An op like `old`, with empty regions and without its tensors."""
        new = ir.Operation.create(
            old.name,
            results=[old.results[i].type for i in kept],
            operands=operands,
            attributes={name: old.attributes[name] for name in old.attributes},
            regions=len(old.regions),
        )
        self._values.update(zip((old.results[i] for i in kept), new.results, strict=True))
        return new

    def _side(
        self,
        block: ir.Block,
        source: ir.Block,
        kept: list[int],
        steps: Sequence[Step],
        join: tuple[Step, str],
    ) -> None:
        """Fills `block` with the steps of `source`, the moves of the join at its end, and its
        terminator."""
        *_, terminator = (op.operation for op in source)
        with ir.InsertionPoint(block):
            self.emit(steps)
            self._moves(join)
            operands = [self._values[terminator.operands[i]] for i in kept]
            ir.Operation.create(terminator.name, operands=operands, loc=terminator.location)

    def _moves(self, join: tuple[Step, str]) -> None:
        for src, dst in self._placement.moves.get(join, ()):
            self._copy_all(src, dst)

    @staticmethod
    def _scalar_positions(values: Sequence[ir.Value]) -> list[int]:
        return [i for i, v in enumerate(values) if not isinstance(v.type, ir.RankedTensorType)]

    def buffer(self, slot: Slot) -> ir.Attribute:
        """The `#sdf.buffer` of a slot."""
        if slot not in self._buffers:
            shape = "".join(f"{size}x" for size in slot.shape)
            text = f"#sdf.buffer<{self._placement.addresses[slot]}, {shape}{slot.element}>"
            self._buffers[slot] = ir.Attribute.parse(text)
        return self._buffers[slot]


_WRITERS: dict[type[Step], Callable[[Emitter, Any], None]] = {
    Branch: Emitter.branch,
    Compute: Emitter.compute,
    Copy: Emitter.copy,
    CoreId: Emitter.core_id,
    Define: Emitter.define,
    Extract: Emitter.extract,
    Load: Emitter.load,
    Loop: Emitter.loop,
    Move: Emitter.move,
    Reshape: Emitter.reshape,
    Scalar: Emitter.scalar,
    Store: Emitter.store,
}
