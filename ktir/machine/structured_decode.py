"""From the IR of a structured op to a `StructuredOp`: its maps, its body, and what the body reads
from around it.

Owns the decoding that every dialect with structured compute shares. `linalg` ops themselves are in
`linalg_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import KtirError, UnsupportedError
from ktir.machine import table
from ktir.machine.affine import decode_expression
from ktir.machine.alignment import IndexingMap, Subscript
from ktir.machine.block import Step
from ktir.machine.body import Body, BodyBuilder
from ktir.machine.body_control import CONTROL, Region, meaning_of
from ktir.machine.constants import constant_tensor
from ktir.machine.decode import Scope, scalar_type, signature_of
from ktir.machine.frame import Frame
from ktir.machine.gather import extraction
from ktir.machine.location import Place
from ktir.machine.numerics import dtype_of
from ktir.machine.scalar import Signature
from ktir.machine.spyreop import STATISTICS, statistics
from ktir.machine.structured import StructuredOp
from ktir.mlir import ir

_CONSTANTS = ("arith.constant", "spyreop.constant")
_YIELDS = ("linalg.yield", "tensor.yield", "sdf.yield", "scf.yield", "scf.condition")


def decode_indexing_map(affine_map: ir.AffineMap) -> IndexingMap:
    """An affine map without symbols as subscripts.

    Raises UnsupportedError for symbols.
    """
    if affine_map.n_symbols:
        raise UnsupportedError(f"indexing map {affine_map} has symbols")
    return tuple(_subscript(expr, affine_map.n_dims) for expr in affine_map.results)


def _subscript(expr: Any, rank: int) -> Subscript:
    if isinstance(expr, ir.AffineDimExpr):
        return Subscript(loop=expr.position, loops=frozenset({expr.position}))
    if isinstance(expr, ir.AffineConstantExpr):
        return Subscript(constant=expr.value)
    expression = decode_expression(expr, rank)
    return Subscript(compute=expression.evaluate, loops=expression.dims)


def decode_body(
    block: ir.Block,
    input_types: Sequence[str],
    output_types: Sequence[str],
    iterators: Sequence[str],
    scope: Scope,
) -> tuple[Body, tuple[int, ...]]:
    """The graph of a block whose arguments are elements of inputs and then of outputs.

    Arguments beyond the operands are refused; outputs without an argument are allowed. Also returns
    the slots of the values that the block reads from around it, in the order that `StructuredOp`
    takes them.
    """
    builder = BodyBuilder(input_types, output_types)
    decoder = _BodyDecoder(builder, iterators, scope)
    if len(block.arguments) > len(input_types) + len(output_types):
        raise UnsupportedError("the body has more arguments than the op has operands")
    for number, argument in enumerate(block.arguments):
        decoder.numbers[argument] = number
    return decoder.decode(block)


class _BodyDecoder:
    """Decodes the ops of one body, or of a block inside one: `outer` decodes what is around it."""

    def __init__(
        self,
        builder: BodyBuilder,
        iterators: Sequence[str],
        scope: Scope,
        outer: _BodyDecoder | None = None,
    ) -> None:
        self.numbers: dict[ir.Value, int] = {}
        self.around: list[int] = []
        self._whole: set[int] = set()
        self._active: int | None = None if outer is None else builder.scalar("i1")
        self._outer = outer
        self._iterators = iterators
        self._builder = builder
        self._loops = len(iterators)
        self._reduction = [i for i, kind in enumerate(iterators) if kind == "reduction"]
        self._scope = scope
        self._scalars: list[int] = []
        self._tensors: list[int] = []

    def decode(self, block: ir.Block) -> tuple[Body, tuple[int, ...]]:
        """All ops of the block."""
        for op in block.operations:
            if op.operation.name in _YIELDS:
                yields = [self._number(value) for value in op.operands]
                return self._builder.build(*yields), (*self._scalars, *self._tensors)
            try:
                self._op(op)
            except KtirError as error:
                error.locate(str(Place.of(op)))
                raise
        raise UnsupportedError("the body ends without a yield")

    def _op(self, op: Any) -> None:
        name = op.operation.name
        if name in ("linalg.index", "sdf.index"):
            dim = ir.IntegerAttr(op.attributes["dim"]).value
            self.numbers[op.results[0]] = self._counter(dim)
        elif name in _CONSTANTS:
            value = constant_tensor(op.attributes["value"], op.results[0].type)
            self.numbers[op.results[0]] = self._builder.constant(value, str(op.results[0].type))
        elif name == "tensor.extract":
            self._extract(op)
        elif name in CONTROL:
            self._control(op)
        elif name in STATISTICS and self._reduction:
            self._statistics(op)
        elif table.known(name):
            signature = signature_of(op)
            operands = [self._number(value) for value in op.operands]
            results = self._builder.ops(name, operands, signature.results, signature.attributes)
            self.numbers.update(zip(op.results, results, strict=True))
        else:
            raise UnsupportedError(
                "the body of a structured op may hold scalar ops, and control flow of them, only"
            )

    def _control(self, op: Any) -> None:
        """An op with regions, whose blocks are bodies of their own."""
        name = op.operation.name
        if any(len(region.blocks) > 1 for region in op.regions):
            raise UnsupportedError("a region of several blocks; use scf instead of cf")
        operands = [self._number(value) for value in op.operands]
        regions = [self._region(region.blocks[0]) for region in op.regions if len(region.blocks)]
        around = list(dict.fromkeys(number for region in regions for number in region.around))
        evaluators = [r.evaluator([around.index(number) for number in r.around]) for r in regions]
        cases = list(op.cases) if name == "scf.index_switch" else []
        whole = [number in self._whole for number in around]
        meaning = meaning_of(name, cases, evaluators, len(operands), whole)
        signature = Signature(results=tuple(scalar_type(value.type) for value in op.results))
        operands = [self._activity(), *operands, *around]
        results = self._builder.node(name, signature, meaning, operands)
        self.numbers.update(zip(op.results, results, strict=True))

    def _region(self, block: ir.Block) -> Region:
        builder = BodyBuilder([scalar_type(value.type) for value in block.arguments], [])
        inner = _BodyDecoder(builder, self._iterators, self._scope, self)
        inner.numbers = {argument: number for number, argument in enumerate(block.arguments)}
        body, _ = inner.decode(block)
        return Region(body, tuple(inner.around), self._loops + 1)

    def _counter(self, loop: int) -> int:
        if self._outer is None:
            return self._builder.index(loop)
        self.around.append(self._outer._counter(loop))
        return self._builder.scalar("index")

    def _activity(self) -> int:
        """Who takes part in what is computed here."""
        if self._active is None:
            self._active = self._builder.constant(True, "i1")
        return self._active

    def _statistics(self, op: Any) -> None:
        """An op that is computed of all elements that the loops reduce."""
        name, signature = op.operation.name, signature_of(op)
        table.lookup(name, signature)
        meaning = statistics(name, signature, [loop + 1 for loop in self._reduction])
        operands = [self._number(value) for value in op.operands]
        settles = frozenset(self._reduction)
        results = self._builder.node(name, signature, meaning, operands, settles)
        self.numbers.update(zip(op.results, results, strict=True))

    def _extract(self, op: Any) -> None:
        source = self._captured(op.operands[0], is_tensor=True)
        indices = [self._number(value) for value in op.operands[1:]]
        if self._outer is not None:
            indices = [self._where_active(index) for index in indices]
        meaning = extraction(self._loops, [self._builder.index_loop(i) for i in indices])
        signature = Signature(results=(str(op.results[0].type),))
        (result,) = self._builder.node("tensor.extract", signature, meaning, [source, *indices])
        self.numbers[op.results[0]] = result

    def _where_active(self, index: int) -> int:
        """An index, or 0 where the element does not take part and its index may be any."""
        zero = self._builder.constant(0, "index")
        operands = (self._activity(), index, zero)
        return self._builder.ops("arith.select", operands, ("index",), {})[0]

    def _number(self, value: ir.Value) -> int:
        number = self.numbers.get(value)
        return self._captured(value, is_tensor=False) if number is None else number

    def _captured(self, value: ir.Value, is_tensor: bool) -> int:
        if value in self.numbers:
            return self.numbers[value]
        type_text = scalar_type(value.type)
        outer = self._outer
        if outer is not None:
            self.around.append(
                outer._captured(value, is_tensor=True) if is_tensor else outer._number(value)
            )
            number = (self._builder.tensor if is_tensor else self._builder.scalar)(type_text)
            return self._known(value, number, is_tensor)
        constant = None if is_tensor else self._scope.constant_of(value)
        if constant is not None:
            number = self._builder.constant(constant, type_text)
        elif is_tensor:
            number = self._builder.tensor(type_text)
            self._tensors.append(self._scope.slot(value))
        else:
            number = self._builder.scalar(type_text)
            self._scalars.append(self._scope.slot(value))
        return self._known(value, number, is_tensor)

    def _known(self, value: ir.Value, number: int, is_tensor: bool) -> int:
        self.numbers[value] = number
        if is_tensor:
            self._whole.add(number)
        return number


def decode_structured(
    block: ir.Block,
    iterators: Sequence[str],
    maps: Sequence[ir.AffineMap],
    inputs: Sequence[ir.Type],
    outputs: Sequence[ir.Type],
    scope: Scope,
    fills: Sequence[Tensor | None] = (),
) -> tuple[StructuredOp, tuple[int, ...]]:
    """A structured op with these operand types (inputs and outputs; scalars count as rank 0).

    `fills`: see `StructuredOp`.

    Also returns the slots of the captured values. Call the op as
    `op([inputs], [outputs], [frame[slot] for slot in slots])`.
    """
    body, captured = decode_body(
        block,
        [scalar_type(t) for t in inputs],
        [scalar_type(t) for t in outputs],
        iterators,
        scope,
    )
    op = StructuredOp(iterators, [decode_indexing_map(m) for m in maps], body, fills)
    return op, captured


def structured_step(
    op: StructuredOp,
    inputs: Sequence[int],
    outputs: Sequence[int],
    captured: Sequence[int],
    results: Sequence[int],
) -> Step:
    """A step that evaluates `op` on slots."""
    operands = (*inputs, *outputs)
    evaluate = op.run
    if len(results) == 1:
        result = results[0]

        def single(frame: Frame) -> None:
            values = [frame[s] for s in operands]
            frame[result] = evaluate(values, [frame[s] for s in captured], None)[0]

        return single

    def step(frame: Frame) -> None:
        values = evaluate([frame[s] for s in operands], [frame[s] for s in captured], None)
        for slot, value in zip(results, values, strict=True):
            frame[slot] = value

    return step


Filling = Callable[[Frame, Sequence[int]], Tensor]
"""Makes a tensor [1 or C, shape ..] of a shape given at run time."""


def decode_filling(region: ir.Region, scope: Scope) -> Filling:
    """A tensor computed from its indices, which are the region's arguments."""
    block = region.blocks[0]
    rank = len(block.arguments)
    (terminator,) = list(block.operations)[-1:]
    type_text = scalar_type(terminator.operands[0].type)
    builder = BodyBuilder([], [type_text])
    decoder = _BodyDecoder(builder, ["parallel"] * rank, scope)
    for loop, argument in enumerate(block.arguments):
        decoder.numbers[argument] = builder.index(loop)
    body, captured = decoder.decode(block)
    subscripts = tuple(Subscript(loop=d, loops=frozenset({d})) for d in range(rank))
    evaluate = StructuredOp(["parallel"] * rank, [subscripts], body).run
    element = torch.zeros(1, dtype=dtype_of(type_text)).view((1,) * (rank + 1))

    def fill(frame: Frame, shape: Sequence[int]) -> Tensor:
        around = [frame[slot] for slot in captured]
        return evaluate([element.expand(1, *shape)], around, None)[0]

    return fill
