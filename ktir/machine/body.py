"""The body of a structured op: a graph of scalar ops that is evaluated on whole arrays.

Owns the graph (`Body`), how it is built (`BodyBuilder`), and its evaluation for some of its values
(`Program`). A value is a number; arrays have the core axis and then one axis a loop, of size 1
where the value does not change along that loop, so evaluation is broadcasting. Which loops there
are and how operands line up with them is in `structured`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from ktir.machine import casts, table
from ktir.machine.floats import relu
from ktir.machine.numerics import dtype_of
from ktir.machine.scalar import Meaning, Signature


@dataclass(frozen=True)
class Node:
    """One op: `results = meaning(operands)`.

    `settles`: the loops that it reduces itself, so that its results do not change along them.
    """

    name: str
    signature: Signature
    meaning: Meaning
    operands: tuple[int, ...]
    results: tuple[int, ...]
    settles: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Body:
    """Values 0 .. inputs-1 are the inputs' elements, the next `outputs` the outputs' elements so
    far.

    `types` has the element type of every value. `constants` are tensors of shape [1]. `indices`
    says which loop a `linalg.index` counts. `captured` are values from around the op, by number:
    `scalars` have only the core axis, `tensors` are whole and only read by `tensor.extract`.
    """

    inputs: int
    outputs: int
    types: tuple[str, ...]
    nodes: tuple[Node, ...]
    yields: tuple[int, ...]
    constants: Mapping[int, Tensor]
    indices: Mapping[int, int]
    scalars: tuple[int, ...]
    tensors: tuple[int, ...]

    @property
    def output_arguments(self) -> range:
        """The numbers of the outputs' elements."""
        return range(self.inputs, self.inputs + self.outputs)

    def producer(self, value: int) -> Node | None:
        """The node that computes `value`; None for leaves."""
        return next((node for node in self.nodes if value in node.results), None)

    def uses(self, value: int) -> int:
        """How often nodes and yields read `value`."""
        return sum(node.operands.count(value) for node in self.nodes) + self.yields.count(value)

    def needed(self, roots: Iterable[int]) -> tuple[set[int], list[Node]]:
        """All values that `roots` depend on, with themselves, and the nodes that compute them."""
        values, nodes = set(roots), []
        for node in reversed(self.nodes):
            if not values.isdisjoint(node.results):
                values.update(node.operands)
                nodes.append(node)
        return values, nodes[::-1]


@dataclass
class BodyBuilder:
    """Builds a body: the arguments' types first, then ops in order, then `build`."""

    input_types: Sequence[str]
    output_types: Sequence[str]
    _types: list[str] = field(init=False)
    _nodes: list[Node] = field(default_factory=list, init=False)
    _constants: dict[int, Tensor] = field(default_factory=dict, init=False)
    _indices: dict[int, int] = field(default_factory=dict, init=False)
    _scalars: list[int] = field(default_factory=list, init=False)
    _tensors: list[int] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._types = [*self.input_types, *self.output_types]

    def _value(self, type_text: str) -> int:
        self._types.append(type_text)
        return len(self._types) - 1

    def type_of(self, value: int) -> str:
        """The element type of a value."""
        return self._types[value]

    def constant(self, value: float | Tensor, type_text: str) -> int:
        """A scalar; a tensor must have one element."""
        number = self._value(type_text)
        self._constants[number] = torch.as_tensor(value).to(dtype_of(type_text)).reshape(1)
        return number

    def index(self, loop: int) -> int:
        """`linalg.index loop`."""
        number = self._value("index")
        self._indices[number] = loop
        return number

    def scalar(self, type_text: str) -> int:
        """A scalar from around the op; `StructuredOp` takes them in this order."""
        self._scalars.append(self._value(type_text))
        return self._scalars[-1]

    def tensor(self, type_text: str) -> int:
        """A tensor from around the op, for `tensor.extract`."""
        self._tensors.append(self._value(type_text))
        return self._tensors[-1]

    def index_loop(self, value: int) -> int | None:
        """The loop that `value` counts if it is a `linalg.index`."""
        return self._indices.get(value)

    def op(
        self,
        name: str,
        *operands: int,
        result: str | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> int:
        """An op of the table with one result, of the type of its first operand if none is given."""
        results = (result or self.type_of(operands[0]),)
        return self.ops(name, operands, results, attributes or {})[0]

    def ops(
        self,
        name: str,
        operands: Sequence[int],
        results: Sequence[str],
        attributes: Mapping[str, Any],
    ) -> tuple[int, ...]:
        """An op of the table with any number of results."""
        signature = Signature(
            tuple(self.type_of(o) for o in operands), tuple(results), dict(attributes)
        )
        return self.node(name, signature, table.lookup(name, signature), operands)

    def node(
        self,
        name: str,
        signature: Signature,
        meaning: Meaning,
        operands: Sequence[int],
        settles: frozenset[int] = frozenset(),
    ) -> tuple[int, ...]:
        """An op with a meaning of its own."""
        numbers = tuple(self._value(t) for t in signature.results)
        self._nodes.append(Node(name, signature, meaning, tuple(operands), numbers, settles))
        return numbers

    def build(self, *yields: int) -> Body:
        """The body that yields these values, one an output."""
        return Body(
            len(self.input_types),
            len(self.output_types),
            tuple(self._types),
            tuple(self._nodes),
            tuple(yields),
            dict(self._constants),
            dict(self._indices),
            tuple(self._scalars),
            tuple(self._tensors),
        )


Step = Callable[[list[Any]], None]
"""Computes one node on arrays by value number."""


class Program:
    """The nodes that some values of a body need, ready to run on a list of arrays by value number.

    `leaves` are the arguments, constants, indices and captured values that the list must hold
    before. What only the nodes read is let go of, or overwritten, once it is not needed any more.
    """

    def __init__(self, body: Body, roots: Iterable[int]) -> None:
        roots = tuple(roots)
        values, nodes = body.needed(roots)
        computed = {result for node in nodes for result in node.results}
        self.leaves = frozenset(values - computed)
        self._steps = [
            _step(body, node, dying)
            for node, dying in zip(nodes, _dying(nodes, roots), strict=True)
        ]
        self._last: Node | None = None
        if len(roots) == 1 and nodes and roots[0] in nodes[-1].results:
            self._last = nodes[-1] if _writes_into(body, nodes[-1]) else None

    def run(self, values: list[Any]) -> None:
        """Fills in the computed values."""
        for step in self._steps:
            step(values)

    def run_into(self, values: list[Any], target: Target) -> None:
        """As `run` for one root, whose array is made in memory of the caller where that can be."""
        last = self._last
        if last is None:
            self.run(values)
            return
        for step in self._steps[:-1]:
            step(values)
        operands = [values[operand] for operand in last.operands]
        values[last.results[0]] = written_into(target, last.meaning, operands)


Target = Callable[[int], Tensor]
"""Gives the memory [cores, dims ..] for a result of 1 or C cores. It may be that of an operand."""


def written_into(target: Target, meaning: Meaning, operands: Sequence[Tensor]) -> Tensor:
    """The result of a meaning of `WRITES_INTO` in memory of the caller."""
    cores = max(operand.shape[0] for operand in operands)
    out = target(cores)
    given = [
        x.clone() if x.shape[0] < cores and x.data_ptr() == out.data_ptr() else x for x in operands
    ]
    result: Tensor = meaning(*given, out=out)
    return result


WRITES_INTO: frozenset[Meaning] = frozenset(
    {torch.add, torch.sub, torch.mul, torch.div, torch.neg, torch.abs}
)
"""Meanings that may write into given memory, over an operand too: they keep the dtype, and their
bits depend on no layout."""


def _writes_into(body: Body, node: Node) -> bool:
    return node.meaning in WRITES_INTO and _rectified(body, node) is None


def _dying(nodes: Sequence[Node], roots: Sequence[int]) -> list[tuple[int, ...]]:
    """For each node the computed values that no later one reads and that are no root."""
    kept = set(roots)
    computed = {result for node in nodes for result in node.results}
    found: list[tuple[int, ...]] = []
    for node in reversed(nodes):
        dying = dict.fromkeys(o for o in node.operands if o in computed and o not in kept)
        kept.update(dying)
        found.append(tuple(dying))
    return found[::-1]


def _step(body: Body, node: Node, dying: tuple[int, ...]) -> Step:
    meaning, operands = node.meaning, node.operands
    rectified = _rectified(body, node)
    if rectified is not None:
        meaning, operands = relu, (rectified,)
    if len(node.results) > 1:
        return _step_of_many(meaning, operands, node.results)
    result = node.results[0]
    spare = [value for value in dying if meaning in WRITES_INTO and _is_own(body, value)]

    def step(values: list[Any]) -> None:
        given = [values[operand] for operand in operands]
        out = None
        for value in spare:
            if all(_covers(values[value].shape, operand.shape) for operand in given):
                out = values[value]
        for value in dying:
            values[value] = None
        values[result] = meaning(*given) if out is None else meaning(*given, out=out)

    return step


def _is_own(body: Body, value: int) -> bool:
    """Whether the array of `value` shares memory with that of no other value."""
    producer = body.producer(value)
    readers = [node for node in body.nodes if value in node.operands]
    fresh = producer is not None and producer.meaning in WRITES_INTO
    return fresh and not any(node.name in casts.ENTRIES for node in readers)


def _covers(shape: torch.Size, other: torch.Size) -> bool:
    """Whether `other` broadcasts to `shape`; both have as many axes."""
    return shape == other or all(n in (1, m) for m, n in zip(shape, other, strict=True))


def _step_of_many(meaning: Meaning, operands: tuple[int, ...], results: tuple[int, ...]) -> Step:
    def step(values: list[Any]) -> None:
        for result, value in zip(results, meaning(*[values[o] for o in operands]), strict=True):
            values[result] = value

    return step


def _rectified(body: Body, node: Node) -> int | None:
    """The other operand of a `maximumf` with the constant +0, which has a faster form."""
    if node.name != "arith.maximumf":
        return None
    for zero, other in (node.operands, node.operands[::-1]):
        constant = body.constants.get(zero)
        if constant is not None and not bool(constant.any()) and not bool(constant.signbit().any()):
            return other
    return None
