"""`scf`: regions that run several times, or not at all.

Everything is a generator, since a region may hold a delivery that waits for other cores.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any

from .errors import Fault
from .tensors import Tensor, Values, mixed, write_slice
from .tree import Op

if TYPE_CHECKING:
    from .cores import Core

Wait = Generator[Any, None, Values]
"""Runs until a delivery has to wait; returns values."""


def for_(core: Core, op: Op, operands: Values) -> Wait:
    """A counted loop with carried values."""
    low, high, step, *carried = operands
    if step <= 0:
        raise Fault(f"a loop with step {step}")
    for value in range(low, high, step):
        carried = yield from core.run(op.block(), [value, *carried])
    return carried


def if_(core: Core, op: Op, operands: Values) -> Wait:
    """A branch; a missing else does nothing."""
    blocks = op.regions[0 if operands[0] else 1]
    if not blocks:
        return []
    return (yield from core.run(blocks[0], []))


def while_(core: Core, op: Op, operands: Values) -> Wait:
    """The first region decides and passes values to the second, or out."""
    carried = operands
    while True:
        going, *passed = yield from core.run(op.block(0), carried)
        if not going:
            return passed
        carried = yield from core.run(op.block(1), passed)


def execute_region(core: Core, op: Op, operands: Values) -> Wait:
    """A region that runs once."""
    return (yield from core.run(op.block(), []))


def index_switch(core: Core, op: Op, operands: Values) -> Wait:
    """The region of the case, or the default, which is the first."""
    cases = op.attributes["cases"]
    region = cases.index(operands[0]) + 1 if operands[0] in cases else 0
    return (yield from core.run(op.block(region), []))


def forall(core: Core, op: Op, operands: Values) -> Wait:
    """Independent iterations; each writes its slices into the shared outputs when it ends."""
    groups = core.grouped(op, operands)
    low, high, step = (
        mixed(op.attributes[name], values)
        for name, values in zip(
            ("staticLowerBound", "staticUpperBound", "staticStep"), groups, strict=False
        )
    )
    block = op.block()
    shared = groups[3]
    copies = [list(tensor.data) for tensor in shared]
    names = block.arguments[len(low) :]
    for point in itertools.product(*map(range, low, high, step)):
        yield from core.run(block, [*point, *shared])
        for insert in block.ops[-1].block().ops:
            source, destination, *box = core.grouped(insert, core.values(insert))
            at = names.index(insert.operands[1])
            write_slice(insert, source[0], destination[0], copies[at], box)
    return [Tensor(tensor.shape, data) for tensor, data in zip(shared, copies, strict=True)]


def parallel(core: Core, op: Op, operands: Values) -> Wait:
    """Independent iterations; results are folded with the regions of the terminator."""
    low, high, step, carried = core.grouped(op, operands)
    block = op.block()
    for point in itertools.product(*map(range, low, high, step)):
        items = yield from core.run(block, list(point))
        regions = block.ops[-1].regions
        folded = []
        for number, item in enumerate(items):
            folded += yield from core.run(regions[number][0], [carried[number], item])
        carried = folded
    return list(carried)


def call(core: Core, op: Op, operands: Values) -> Wait:
    """A function of the module."""
    callee = core.shared.functions[op.attributes["callee"].lstrip("@")]
    return (yield from core.run(callee.block(), operands))


OPS: dict[str, Callable[[Core, Op, Values], Wait]] = {
    "scf.for": for_,
    "scf.if": if_,
    "scf.while": while_,
    "scf.execute_region": execute_region,
    "scf.index_switch": index_switch,
    "scf.forall": forall,
    "scf.parallel": parallel,
    "func.call": call,
}
"""Ops by name."""

TERMINATORS: Sequence[str] = (
    "scf.yield",
    "scf.condition",
    "scf.reduce",
    "scf.reduce.return",
    "scf.forall.in_parallel",
    "linalg.yield",
    "tensor.yield",
    "func.return",
    "ktdp.yield_partial",
    "ktdp.yield_reduced",
)
"""Ops that end a block with their operands."""
