"""Cores that run a kernel, and their turns.

A core is a generator that stops where it has to wait for others. Cores run one after another, each
as far as it gets; when nobody can go on, that is a deadlock.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ktir.mlir import ir

from . import control, inter_tile, structured, tensors, views
from .errors import Deadlock, Fault, OracleError, OracleLimit
from .formats import wrap
from .memory import Array, Device, Report, Scratchpad
from .scalars import function_of
from .tensors import Point, Tensor, Values
from .tree import Block, Op, read_module


def run(
    module: ir.Operation,
    arguments: Mapping[str, Any] | Sequence[Any],
    function: str | None = None,
    grid: Sequence[int] | None = None,
    device: Mapping[int, Array] | None = None,
) -> Report:
    """Runs a kernel; arrays among the arguments and in `device` are changed in place.

    `arguments`: arrays and scalars, in order. `device`: arrays at fixed addresses, in elements.
    Raises Fault for what KTIR forbids, OracleLimit for what the oracle does not know.
    """
    functions = read_module(module)
    kernel = functions[function] if function else next(iter(functions.values()))
    report = Report()
    memory = Device(report)
    for address, array in (device or {}).items():
        memory.fix(array, address)
    values = list(arguments.values()) if isinstance(arguments, Mapping) else list(arguments)
    types = kernel.block().types
    given = [
        memory.place(value) if isinstance(value, Array) else _scalar(value, type_.element)
        for value, type_ in zip(values, types, strict=True)
    ]
    shape = list(grid or kernel.attributes.get("grid") or [1])
    run_ = Run(shape, memory, functions, report)
    cores = [Core(run_, number) for number in range(run_.cores)]
    _take_turns({core.number: core.run(kernel.block(), given) for core in cores}, report)
    return report


def _scalar(value: Any, element: str) -> Any:
    return float(value) if isinstance(value, float) else wrap(int(value), element)


@dataclass
class Waiting:
    """Why a core stopped: the delivery, and what it still misses."""

    op: Op
    core: int
    sources: Sequence[int]
    future: inter_tile.Future
    turn: int

    def missing(self) -> list[int]:
        """The cores that have not published yet."""
        return [core for core in self.sources if not self.future.has(core, self.turn)]


def _take_turns(running: dict[int, Generator[Waiting, None, Values]], report: Report) -> None:
    waiting: dict[int, Waiting] = {}
    while running:
        ready = [n for n in running if n not in waiting or not waiting[n].missing()]
        if not ready:
            first = min(waiting.values(), key=lambda w: w.core)
            waits = "; ".join(f"core {w.core} for {w.missing()}" for w in waiting.values())
            error = Deadlock(f"cores wait for ever: {waits}")
            error.at(first.op.place)
            raise error
        for number in ready:
            waiting.pop(number, None)
            report.core = number
            try:
                waiting[number] = next(running[number])
            except StopIteration:
                del running[number]


class Run:
    """What the cores of one launch share."""

    def __init__(
        self, grid: Sequence[int], device: Device, functions: dict[str, Op], report: Report
    ) -> None:
        self.functions = functions
        self.grid = list(grid)
        self.cores = 1
        for extent in grid:
            self.cores *= extent
        self.device = device
        self.scratchpads = [Scratchpad(report) for _ in range(self.cores)]
        self.futures: dict[int, inter_tile.Future] = {}

    def coordinates(self, number: int) -> list[int]:
        """The place of a core in the grid; dimension 0 is the fastest in its number."""
        found = []
        for extent in self.grid:
            found.append(number % extent)
            number //= extent
        return found


class Core:
    """One core: its values by number, and what each op does to them."""

    def __init__(self, run_: Run, number: int) -> None:
        self.shared = run_
        self.number = number
        self.env: dict[int, Any] = {}
        self.turns: dict[int, int] = {}

    def run(self, block: Block, arguments: Sequence[Any]) -> Generator[Waiting, None, Values]:
        """Runs a block; returns the operands of its terminator."""
        self.env.update(zip(block.arguments, arguments, strict=True))
        for op in block.ops:
            operands = self.values(op)
            if op.name in control.TERMINATORS:
                return operands
            try:
                results = yield from self._step(op, operands)
            except OracleError as error:
                error.at(op.place)
                raise
            self.env.update(zip(op.results, results, strict=True))
        return []

    def values(self, op: Op) -> Values:
        """The values of an op's operands."""
        return [self.env[operand] for operand in op.operands]

    def grouped(self, op: Op, operands: Values) -> list[Values]:
        """Operands by the groups of the op's definition."""
        found, start = [], 0
        for size in op.attributes["operandSegmentSizes"]:
            found.append(operands[start : start + size])
            start += size
        return found

    def turn(self, op: Op) -> int:
        """How often this core has executed an op before; counts this time."""
        turn = self.turns.get(op.results[0], 0)
        self.turns[op.results[0]] = turn + 1
        return turn

    def _step(self, op: Op, operands: Values) -> Generator[Waiting, None, Values]:
        name = op.name
        if name in control.OPS:
            return (yield from control.OPS[name](self, op, operands))
        if name in inter_tile.DELIVERIES:
            return (yield from inter_tile.deliver(self, op, operands))
        if name == "ktdp.inter_tile_produce":
            return (yield from inter_tile.produce(self, op))
        return self._compute(op, operands)

    def _compute(self, op: Op, operands: Values) -> Values:
        """An op that cannot wait."""
        name = op.name
        if name in tensors.PLAIN:
            return tensors.PLAIN[name](op, operands)
        if name in tensors.GROUPED:
            return tensors.GROUPED[name](op, self.grouped(op, operands))
        if name in structured.OPS:
            return structured.OPS[name](op, operands, self._body(op))
        if name.startswith("ktdp."):
            return self._ktdp(op, operands)
        if name.startswith("affine."):
            return [_affine(op, operands)]
        if name == "tensor.pad":
            border = self._indexed(op)
            return tensors.pad(op, self.grouped(op, operands), border)
        if name == "tensor.generate":
            shape = tensors.open_sizes(op.types[0], operands)
            return [tensors.build(shape, self._indexed(op))]
        return self._elementwise(op, operands)

    def _elementwise(self, op: Op, operands: Values, loose: bool = False) -> Values:
        """A scalar op on scalars, or on each element of tensors."""
        function = op.once(f"function {loose}", lambda: _function(op, loose))
        several = len(op.results) > 1
        if not any(isinstance(value, Tensor) for value in operands):
            found = function(*operands)
            return list(found) if several else [found]
        shape = next(value.shape for value in operands if isinstance(value, Tensor))
        count = len(next(value.data for value in operands if isinstance(value, Tensor)))
        columns = [v.data if isinstance(v, Tensor) else [v] * count for v in operands]
        rows = [function(*row) for row in zip(*columns, strict=True)]
        if several:
            return [Tensor(shape, [row[i] for row in rows]) for i in range(len(op.results))]
        return [Tensor(shape, rows)]

    def _body(self, op: Op) -> structured.Body:
        """The region of a structured op as a function on scalars."""

        def run_body(values: Values, point: Point, loose: bool) -> Values:
            block = op.block()
            self.env.update(zip(block.arguments, values, strict=True))
            return self._straight(block, point, loose)

        return run_body

    def _indexed(self, op: Op) -> Any:
        """The region of an op as a function from indices to a scalar."""

        def element(point: Point) -> Any:
            block = op.block()
            self.env.update(zip(block.arguments, point, strict=True))
            return self._straight(block, point, False)[0]

        return element

    def _straight(self, block: Block, point: Point, loose: bool) -> Values:
        """A block of a region that cannot wait, at a point of loops around it."""
        for op in block.ops:
            operands = self.values(op)
            if op.name in control.TERMINATORS:
                return operands
            if op.name == "linalg.index":
                results: Values = [point[op.attributes["dim"]]]
            elif op.name in control.OPS:
                results = _without_waiting(control.OPS[op.name](self, op, operands))
            elif op.name.startswith(("arith.", "math.", "index.")) and op.name not in tensors.PLAIN:
                results = self._elementwise(op, operands, loose)
            else:
                results = self._compute(op, operands)
            self.env.update(zip(op.results, results, strict=True))
        raise OracleLimit("a block without a terminator")

    def _ktdp(self, op: Op, operands: Values) -> Values:
        name = op.name.removeprefix("ktdp.")
        if name == "get_compute_tile_id":
            found = [*self.shared.coordinates(self.number), *[0] * len(op.results)]
            return found[: len(op.results)]
        if name == "construct_memory_view":
            memory = self._memory(op.attributes["memory_space"])
            return [views.view_of(op, self.grouped(op, operands), memory)]
        if name == "construct_distributed_memory_view":
            return [views.compose(op, operands)]
        if name == "construct_access_tile":
            return [views.access_tile(op, self.grouped(op, operands))]
        if name == "construct_indirect_access_tile":
            return [views.indirect_tile(op, self.grouped(op, operands))]
        if name == "load":
            return [operands[0].load()]
        if name == "store":
            operands[1].store(operands[0])
            return []
        if name == "runtime_arg_extract":
            return [_extracted(op, operands[0])]
        raise OracleLimit(f"op {op.name}")

    def _memory(self, space: str) -> views.Memory:
        """The memory that a memory space names, in either spelling."""
        match = re.fullmatch(r"#ktdp\.\w+<(\w+)(?:, \w+ = (\d+))?>", space)
        if match and match[1] in ("HBM", "global"):
            return self.shared.device
        if match and match[1] in ("LX", "ct_local"):
            owner = int(match[2]) if match[2] else self.number
            if owner >= self.shared.cores:
                raise Fault(f"the scratchpad of core {owner} of {self.shared.cores}")
            return self.shared.scratchpads[owner]
        raise OracleLimit(f"memory space {space}")


def _without_waiting(steps: Generator[Any, None, Values]) -> Values:
    try:
        next(steps)
    except StopIteration as done:
        return list(done.value)
    raise OracleLimit("a delivery inside a structured op")


def _function(op: Op, loose: bool) -> Any:
    operands = [type_.element for type_ in op.operand_types]
    results = [type_.element for type_ in op.types]
    return function_of(op.name, operands, results, op.attributes, loose)


def _affine(op: Op, operands: Values) -> int:
    """`affine.apply`, or the least or greatest result of a map."""
    results = op.attributes["map"](*operands)
    if op.name == "affine.apply":
        return int(results[0])
    return int(min(results) if op.name == "affine.min" else max(results))


def _extracted(op: Op, value: Any) -> Any:
    """The value of a runtime argument, or a number in its type."""
    kind = ("value", "granularity", "upperbound")[op.attributes["kind"]]
    if kind == "value":
        return value
    match = re.search(rf"{kind}\s*=\s*(\d+)", op.operand_types[0].text)
    if match is None:
        raise Fault(f"{op.operand_types[0].text} states no {kind}")
    return int(match[1])
