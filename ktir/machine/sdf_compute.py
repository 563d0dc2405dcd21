"""`sdf.compute`: structured compute on scratchpad buffers, in place.

Owns its decoding, its runs, the loops that end before their buffers do, and the time that it takes
of its engine. What a structured op computes is in `structured`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from ktir.errors import BoundsError
from ktir.machine.block import Step
from ktir.machine.buffer_history import history_of, note_read
from ktir.machine.decode import Scope, handler
from ktir.machine.frame import Frame
from ktir.machine.kernel_state import KernelScope
from ktir.machine.sdf_buffers import Buffer, check_overlap, claim, decode_buffer
from ktir.machine.sdf_ops import Rectangle, count_work, element_bits
from ktir.machine.slices import Mixed
from ktir.machine.structured_decode import decode_structured
from ktir.mlir import ir


@dataclasses.dataclass(frozen=True)
class _Work:
    """What a compute op does on its engine; `rows` are the loops that count the rows of a matrix
    product."""

    engine: str
    rows: frozenset[int]
    reduces: bool
    bits: int
    scope: KernelScope

    @staticmethod
    def of(
        op: Any,
        maps: Sequence[ir.AffineMap],
        reduces: bool,
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer],
        scope: KernelScope,
    ) -> _Work:
        """That of an `sdf.compute`."""
        if op.engine.value == "matrix":
            left, right = (_loops(affine_map) for affine_map in maps[:2])
            return _Work("matrix", left - right, True, element_bits(inputs), scope)
        bits = element_bits([*inputs, *outputs])
        return _Work("vector", frozenset(), reduces, bits, scope)

    def cost(self, lengths: Mapping[int, int]) -> tuple[str, int, float]:
        """Engine, points of the loop nest, and nanoseconds of one core."""
        points, target = math.prod(lengths.values()), self.scope.target
        if self.engine == "matrix":
            rows = math.prod(lengths[loop] for loop in self.rows)
            return "matrix", points, target.matrix.time(points, rows, self.bits)
        return "vector", points, target.vector.time(points, self.reduces, self.bits)


def _loops(affine_map: ir.AffineMap) -> frozenset[int]:
    dims = (expr for expr in affine_map.results if isinstance(expr, ir.AffineDimExpr))
    return frozenset(expr.position for expr in dims)


def _lengths(maps: Sequence[ir.AffineMap], buffers: Sequence[Buffer]) -> dict[int, int]:
    """The greatest length of each loop that a buffer has as a dimension."""
    lengths: dict[int, int] = {}
    for affine_map, buffer in zip(maps, buffers, strict=True):
        for expr, size in zip(affine_map.results, buffer.shape, strict=True):
            if isinstance(expr, ir.AffineDimExpr):
                lengths[expr.position] = min(size, lengths.get(expr.position, size))
    return lengths


@handler("sdf.compute")
def decode_compute(op: Any, scope: Scope) -> Step:
    """A structured op in place: everything is read before anything is written."""
    inputs = [decode_buffer(entry) for entry in op.inputs]
    outputs = [decode_buffer(entry) for entry in op.outputs]
    block = op.regions[0].blocks[0]
    so_far = list(block.arguments)[len(inputs) + len(op.scalars) :]
    read = [buffer for buffer, argument in zip(outputs, so_far, strict=False) if _used(argument)]
    stated = list(op.static_lengths or ())
    kernel = claim(scope, [*inputs, *read], outputs, parts=bool(stated))
    check_overlap(outputs, inputs)
    iterators = [ir.StringAttr(entry).value for entry in op.iterator_types]
    maps = [ir.AffineMapAttr(entry).value for entry in op.indexing_maps]
    buffers = [*inputs, *outputs]
    work = _Work.of(op, maps, "reduction" in iterators, inputs, outputs, kernel)
    lengths = _lengths(maps, buffers)
    loops = _OpenLoops(Mixed(stated, scope.slots(list(op.lengths))), maps, buffers, lengths)
    if not kernel.values:
        if stated:
            return lambda frame: count_work(frame, *work.cost(loops.lengths(frame)))
        cost = work.cost(lengths)
        return lambda frame: count_work(frame, *cost)
    scalars = scope.slots(list(op.scalars))
    structured, captured = decode_structured(
        block,
        iterators,
        [
            *maps[: len(inputs)],
            *[ir.AffineMap.get(len(iterators), 0, [])] * len(scalars),
            *maps[len(inputs) :],
        ],
        [*_types(inputs), *[value.type for value in op.scalars]],
        _types(outputs),
        scope,
    )
    assert not captured, "the region of sdf.compute is isolated"
    in_place = any(output in inputs for output in outputs) or len(outputs) > 1
    if stated:
        return _open(structured.run, work, loops, scalars, inputs, outputs, read)
    direct = len(outputs) == 1 and all(
        buffer != outputs[0] or affine_map == maps[-1]
        for buffer, affine_map in zip(inputs, maps, strict=False)
    )
    evaluate = structured.run
    engine, amount, time = work.cost(lengths)

    def compute(frame: Frame) -> None:
        count_work(frame, engine, amount, time)
        for buffer in (*inputs, *read):
            note_read(frame, buffer)
        again(frame)

    def again(frame: Frame) -> None:
        operands = [buffer.get(frame) for buffer in inputs]
        operands += [frame[slot] for slot in scalars]
        operands += [b.get(frame) if b in read else b.shaped(frame) for b in outputs]
        target = None
        if direct and frame.group.is_whole and history_of(frame, outputs[0]) is None:
            target = _Destination(outputs[0], frame)
        results = evaluate(operands, (), target)
        if target is not None and target.is_written:
            return
        if in_place:
            results = [_detached(result, operands) for result in results]
        for buffer, result in zip(outputs, results, strict=True):
            buffer.write(frame, result)

    is_small = sum(math.prod(buffer.shape) for buffer in outputs) <= _SMALL

    def resolve(frame: Frame) -> tuple[Step, tuple[int, ...]]:
        if inputs or read or scalars or not is_small:
            return again, scalars
        values = [buffer.get(frame).clone() for buffer in outputs]

        def fill(frame: Frame) -> None:
            for buffer, value in zip(outputs, values, strict=True):
                buffer.write(frame, value)

        return fill, ()

    return scope.resolves(compute, resolve)


_SMALL = 1 << 12
"""Elements of a result that depends on nothing, up to which it is kept."""


class _OpenLoops:
    """Loops whose lengths the op states: below what the buffers have, in `most`."""

    def __init__(
        self,
        stated: Mixed,
        maps: Sequence[ir.AffineMap],
        buffers: Sequence[Buffer],
        most: Mapping[int, int],
    ) -> None:
        self._stated = stated
        self._most = most
        self._maps = maps
        self._buffers = buffers

    def lengths(self, frame: Frame) -> dict[int, int]:
        """The lengths, equal on all cores of the group. Raises Divergence if they are not, and
        BoundsError for one that a buffer does not have."""
        lengths = dict(enumerate(self._stated.ints(frame)))
        for loop, length in lengths.items():
            if not 0 <= length <= self._most[loop]:
                raise BoundsError(
                    f"loop {loop} has length {length}; its buffers hold 0 to {self._most[loop]}"
                )
        return lengths

    def parts(self, lengths: Mapping[int, int]) -> list[Rectangle]:
        """What the loops reach of each buffer."""
        found = []
        for affine_map in self._maps:
            sizes = [_reach(expr, lengths)[1] + 1 for expr in affine_map.results]
            rank = len(sizes)
            found.append(Rectangle([0] * rank, [max(size, 0) for size in sizes], [1] * rank))
        return found


def _reach(expr: Any, lengths: Mapping[int, int]) -> tuple[int, int]:
    """The least and greatest value of a sum of loops, each times a constant."""
    if isinstance(expr, ir.AffineConstantExpr):
        return expr.value, expr.value
    if isinstance(expr, ir.AffineDimExpr):
        return 0, lengths[expr.position] - 1
    (low, high), (other_low, other_high) = (_reach(e, lengths) for e in (expr.lhs, expr.rhs))
    if isinstance(expr, ir.AffineAddExpr):
        return low + other_low, high + other_high
    ends = (low * other_low, high * other_low)
    return min(ends), max(ends)


def _open(
    evaluate: Callable[..., list[Tensor]],
    work: _Work,
    loops: _OpenLoops,
    scalars: Sequence[int],
    inputs: Sequence[Buffer],
    outputs: Sequence[Buffer],
    read: Sequence[Buffer],
) -> Step:
    """Computes on what the loops reach of the buffers."""

    def compute(frame: Frame) -> None:
        lengths = loops.lengths(frame)
        count_work(frame, *work.cost(lengths))
        parts = loops.parts(lengths)
        for buffer, part in zip((*inputs, *outputs), parts, strict=True):
            if buffer in inputs or buffer in read:
                note_read(frame, buffer, part.part)
        operands = [
            buffer.get(frame)[part.index(None)]
            for buffer, part in zip((*inputs, *outputs), parts, strict=True)
        ]
        operands[len(inputs) : len(inputs)] = [frame[slot] for slot in scalars]
        results = [_detached(result, operands) for result in evaluate(operands, (), None)]
        for buffer, part, result in zip(outputs, parts[len(inputs) :], results, strict=True):
            if result.numel():
                buffer.change(frame, part, result)

    return compute


def _used(value: ir.Value[Any]) -> bool:
    return next(iter(value.uses), None) is not None


class _Destination:
    """The output's place in the scratchpad, for a result that is made there."""

    def __init__(self, buffer: Buffer, frame: Frame) -> None:
        self._buffer, self._frame = buffer, frame
        self.is_written = False

    def __call__(self, rows: int) -> Tensor:
        self.is_written = True
        return self._buffer.target(self._frame, alike=rows == 1)


def _types(buffers: Sequence[Buffer]) -> list[ir.Type]:
    return [ir.Type.parse(buffer.type_text) for buffer in buffers]


def _detached(result: Tensor, operands: Sequence[Tensor]) -> Tensor:
    """A result that does not share memory with what is about to be written."""
    storage = result.untyped_storage().data_ptr()
    shares = any(storage == operand.untyped_storage().data_ptr() for operand in operands)
    return result.clone() if shares else result
