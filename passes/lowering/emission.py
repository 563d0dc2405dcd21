"""From placed steps to an `sdf.program`.

Owns the writing of ops: one a step, at the step's location, with addresses from the placement.
Indices are computed with `arith` where they are needed; equal ones are merged afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ktir.layout import element_bytes
from ktir.mlir import ir
from ktir.mlir.dialects import sdf as _sdf
from ktir.passes.ir_utils import clone_into
from ktir.passes.lowering.affine import total
from ktir.passes.lowering.control_steps import Branch, Loop, While
from ktir.passes.lowering.index import Index, Key
from ktir.passes.lowering.indices import Indices, write_constant
from ktir.passes.lowering.placement import Placement
from ktir.passes.lowering.steps import (
    Access,
    Allocate,
    Check,
    Compute,
    Constant,
    Copy,
    CoreId,
    Define,
    Enumerate,
    Extract,
    Load,
    Move,
    Publish,
    Receive,
    Reshape,
    Scalar,
    Slot,
    Step,
    Store,
    Via,
)

sdf: Any = _sdf
"""The builders of the dialect's ops; generated, so without annotations."""


class Emitter:
    """Writes the steps of one kernel at the current insertion point.

    `values` maps scalars of the kernel to those of the program; it starts with the arguments.
    """

    def __init__(self, placement: Placement, values: dict[Key, ir.Value]) -> None:
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
            self._values[step.result] = write_constant(step.value)
        else:
            self._values[step.result] = self._indices.value(step.value)

    def check(self, step: Check) -> None:
        ir.Operation.create(
            "cf.assert",
            operands=[self._values[step.condition]],
            attributes={"msg": ir.StringAttr.get(step.message)},
        )

    def enumerate_(self, step: Enumerate) -> None:
        ir.Operation.create(
            "sdf.points",
            operands=[self._indices.value(symbol) for symbol in step.symbols],
            attributes={
                "buffers": ir.ArrayAttr.get([self.buffer(slot) for slot in step.targets]),
                "set": step.set,
                "order": step.order,
            },
        )

    def core_id(self, step: CoreId) -> None:
        op = sdf.CoreIdOp([ir.IndexType.get()] * len(step.results))
        self._values.update(zip(step.results, op.operation.results, strict=True))

    def load(self, step: Load) -> None:
        keep = {"keep": True} if step.keep else {}
        make = sdf.GatherOp if step.access.via else sdf.ReadOp
        self._transfer(make, step.dst, step.access, keep)

    def store(self, step: Store) -> None:
        make = sdf.ScatterOp if step.access.via else sdf.WriteOp
        self._transfer(make, step.src, step.access, {})

    def _transfer(self, make: Any, slot: Slot, access: Access, extra: dict[str, Any]) -> None:
        lists = [access.offsets, access.bounds, access.strides]
        fixed, values = zip(*(self._indices.mixed(entries) for entries in lists), strict=True)
        if access.core is not None:
            extra = {**extra, "core": self._indices.value(access.core)}
        if access.within:
            extra = {**extra, "within": access.within}
        indirect = self._indirect(access.via) if access.via else ()
        sizes, open_sizes = self._extents(slot)
        values = (*values, open_sizes)
        extra |= sizes
        make(
            self.buffer(slot),
            self._base(access.base, access.shift),
            *values,
            *indirect,
            *fixed,
            **extra,
        )

    def _extents(self, slot: Slot) -> tuple[dict[str, Any], list[ir.Value]]:
        """How much of a buffer is moved, if not all: the constants by name, and the values."""
        if not slot.extents:
            return {}, []
        fixed, values = self._indices.mixed(slot.extents)
        return {"static_sizes": fixed}, values

    def _base(self, base: Index | Slot, shift: Index) -> ir.Value:
        """An address in elements; that of a slot is where it was placed, and a shift further on."""
        if isinstance(base, Slot):
            start = self._placement.addresses[base] // element_bytes(str(base.element))
            base = total(start, shift)
        return self._indices.value(base)

    def _indirect(self, via: Sequence[Via]) -> tuple[ir.Attribute, ir.Attribute]:
        """The index buffers, tables or nothing of each dimension, and their maps."""
        sources: list[ir.Attribute] = []
        maps: list[ir.Attribute] = []
        for entry in via:
            if isinstance(entry.inner, ir.AffineMap):
                source = ir.UnitAttr.get() if entry.index is None else self.buffer(entry.index)
                map_ = entry.inner
            else:
                source = entry.inner
                map_ = ir.AffineMap.get_identity(len(ir.ShapedType(entry.inner.type).shape))
            sources.append(source)
            maps.append(ir.AffineMapAttr.get(map_))
        return ir.ArrayAttr.get(sources), ir.ArrayAttr.get(maps)

    def allocate(self, step: Allocate) -> None:
        """Nothing: the slot has its place."""

    def compute(self, step: Compute) -> None:
        scalars = [self._values[scalar] for scalar in step.scalars]
        lengths, open_lengths = self._indices.mixed(step.lengths)
        op = sdf.ComputeOp(
            engine=ir.Attribute.parse(f"#sdf.engine<{step.engine}>"),
            inputs=ir.ArrayAttr.get([self.buffer(slot) for slot in step.inputs]),
            outputs=ir.ArrayAttr.get([self.buffer(slot) for slot in step.outputs]),
            indexing_maps=ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in step.maps]),
            iterator_types=ir.ArrayAttr.get([ir.StringAttr.get(name) for name in step.iterators]),
            scalars=scalars,
            lengths=open_lengths,
            static_lengths=lengths or None,
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
            self._copy(src, [0] * rank, [1] * rank, dst, [0] * rank, [1] * rank, src.sizes)

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

    def publish(self, step: Publish) -> None:
        op = ir.Operation.create(
            "sdf.publish",
            results=[step.future.type],
            attributes={
                "buffers": ir.ArrayAttr.get([self.buffer(slot) for slot in step.sources]),
                "producers": ir.DenseI64ArrayAttr.get(list(step.producers)),
            },
        )
        self._values[step.future] = op.results[0]

    def receive(self, step: Receive) -> None:
        ir.Operation.create(
            "sdf.receive",
            operands=[self._indices.value(step.source), self._values[step.publish.future]],
            attributes={"buffers": ir.ArrayAttr.get([self.buffer(s) for s in step.targets])},
        )

    def constant(self, step: Constant) -> None:
        ir.Operation.create(
            "sdf.constant", attributes={"dst": self.buffer(step.dst), "value": step.value}
        )

    def loop(self, step: Loop) -> None:
        self._moves((step, "entry"))
        bounds = [self._indices.value(bound) for bound in (step.lower, step.upper, step.by)]
        inits = [self._indices.value(scalar.init) for scalar in step.scalars]
        new = ir.Operation.create(
            "scf.for",
            results=[scalar.result.type for scalar in step.scalars],
            operands=[*bounds, *inits],
            attributes=dict(step.attributes),
            regions=1,
        )
        keys = [step.counter, *(scalar.argument for scalar in step.scalars)]
        block = self._block(new.regions[0], keys, step.location)
        with ir.InsertionPoint(block):
            self.emit(step.body)
            self._moves((step, "back"))
            self._yield([scalar.yielded for scalar in step.scalars])
        self._bind([scalar.result for scalar in step.scalars], new)

    def branch(self, step: Branch) -> None:
        moves = self._placement.moves.get((step, "otherwise"))
        has_else = bool(step.otherwise or step.scalars or moves)
        new = ir.Operation.create(
            "scf.if",
            results=[scalar.result.type for scalar in step.scalars],
            operands=[self._values[step.condition]],
            regions=2,
        )
        sides = [
            (step.then, "then", [scalar.then for scalar in step.scalars]),
            (step.otherwise, "otherwise", [scalar.otherwise for scalar in step.scalars]),
        ]
        for region, (steps, place, yielded) in zip(
            new.regions, sides if has_else else sides[:1], strict=False
        ):
            with ir.InsertionPoint(region.blocks.append()):
                self.emit(steps)
                self._moves((step, place))
                self._yield(yielded)
        self._bind([scalar.result for scalar in step.scalars], new)

    def while_(self, step: While) -> None:
        self._moves((step, "entry"))
        new = ir.Operation.create(
            "scf.while",
            results=[scalar.result.type for scalar in step.passed_scalars],
            operands=[self._indices.value(scalar.init) for scalar in step.scalars],
            regions=2,
        )
        before = [scalar.argument for scalar in step.scalars]
        with ir.InsertionPoint(self._block(new.regions[0], before, step.location)):
            self.emit(step.before)
            self._moves((step, "condition"))
            passed = [self._indices.value(scalar.passed) for scalar in step.passed_scalars]
            ir.Operation.create("scf.condition", operands=[self._values[step.condition], *passed])
        after = [scalar.argument for scalar in step.passed_scalars]
        with ir.InsertionPoint(self._block(new.regions[1], after, step.location)):
            self.emit(step.after)
            self._moves((step, "back"))
            self._yield([scalar.yielded for scalar in step.scalars])
        self._bind([scalar.result for scalar in step.passed_scalars], new)

    def _block(self, region: ir.Region, keys: Sequence[Key], location: ir.Location) -> ir.Block:
        """A block whose arguments become the scalars `keys`."""
        block = region.blocks.append(*(key.type for key in keys), arg_locs=[location] * len(keys))
        self._values.update(zip(keys, block.arguments, strict=True))
        return block

    def _yield(self, scalars: Sequence[Index]) -> None:
        ir.Operation.create("scf.yield", operands=[self._indices.value(s) for s in scalars])

    def _bind(self, keys: Sequence[Key], op: ir.Operation) -> None:
        self._values.update(zip(keys, op.results, strict=True))

    def _moves(self, join: tuple[Step, str]) -> None:
        for src, dst in self._placement.moves.get(join, ()):
            self._copy_all(src, dst)

    def buffer(self, slot: Slot) -> ir.Attribute:
        """The `#sdf.buffer` of a slot."""
        if slot not in self._buffers:
            shape = "".join(f"{size}x" for size in slot.shape)
            text = f"#sdf.buffer<{self._placement.addresses[slot]}, {shape}{slot.element}>"
            self._buffers[slot] = ir.Attribute.parse(text)
        return self._buffers[slot]


_WRITERS: dict[type[Step], Callable[[Emitter, Any], None]] = {
    Allocate: Emitter.allocate,
    Branch: Emitter.branch,
    Check: Emitter.check,
    Compute: Emitter.compute,
    Constant: Emitter.constant,
    Copy: Emitter.copy,
    CoreId: Emitter.core_id,
    Define: Emitter.define,
    Enumerate: Emitter.enumerate_,
    Extract: Emitter.extract,
    Load: Emitter.load,
    Loop: Emitter.loop,
    Move: Emitter.move,
    Publish: Emitter.publish,
    Receive: Emitter.receive,
    Reshape: Emitter.reshape,
    Scalar: Emitter.scalar,
    Store: Emitter.store,
    While: Emitter.while_,
}
