"""Which linalg ops share a kernel.

Owns the decision only: ops of one function in groups, each of which becomes a kernel.
"""

from __future__ import annotations

import dataclasses
import math

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.passes.dimensions import Dimensions
from ktir.passes.facts import KernelFacts, Numbering, OpFacts, read_op
from ktir.passes.ir_utils import defining_op, is_tensor, nested_operands, node_name, place_of

VIEWS = ("tensor.expand_shape", "tensor.collapse_shape", "tensor.extract_slice")
"""Ops between kernels that move no data: they become strides and an offset."""

ACCEPTED_LOSS = 4
"""How many times fewer cores a joint kernel may use: a round trip through memory costs more."""


@dataclasses.dataclass
class Group:
    """Ops that will share a kernel."""

    ops: list[ir.Operation]
    facts: list[OpFacts]
    closed: bool = False

    @property
    def name(self) -> str:
        """The model's name for the op that does most of the work; what kind of kernel it is where
        there is none.
        """
        main = next(
            (i for i, facts in enumerate(self.facts) if facts.contraction), len(self.ops) - 1
        )
        return node_name(self.ops[main].location) or self.kind

    @property
    def kind(self) -> str:
        """What the group mostly does, as a kernel is named by it."""
        if any(op.contraction for op in self.facts):
            return "matmul"
        if any(op.gather for op in self.facts):
            return "gather"
        if any(op.reductions for op in self.facts):
            return "reduce"
        return "pointwise" if any(op.input_loops for op in self.facts) else "fill"


class Groups:
    """The groups of the ops of a function's body, in the order of their first ops.

    `group_of` says for each result of a grouped op the number of its group. Raises UnsupportedError
    for an op that no kernel can hold.
    """

    def __init__(self, body: ir.Block, cores: int) -> None:
        self._cores = cores
        self._numbering = Numbering()
        self.groups: list[Group] = []
        self.group_of: dict[ir.Value, int] = {}
        *ops, _ = [op.operation for op in body]
        for op in ops:
            self._assign(op)

    def _assign(self, op: ir.Operation) -> None:
        if op.name in (*VIEWS, "tensor.insert_slice", "tensor.empty", "arith.constant"):
            return
        if op.name == "linalg.fill" and _moves_to_users(op):
            return
        facts = read_op(op, self._numbering)
        if facts is None:
            raise UnsupportedError(
                f"{op.name} at {place_of(op)} cannot become part of a kernel: expected "
                "linalg.generic, linalg.fill, reshapes, slices or insertions"
            )
        index = self._joinable(op, facts)
        if index is None:
            index = len(self.groups)
            self.groups.append(Group([], [], closed=facts.gather))
        self.groups[index].ops.append(op)
        self.groups[index].facts.append(facts)
        for result in op.results:
            self.group_of[result] = index

    def _joinable(self, op: ir.Operation, facts: OpFacts) -> int | None:
        """The group that `op` may join: the latest among its producers', if it needs nothing later
        than that.
        """
        if facts.contraction or facts.gather:
            return None
        direct, through_views = self._producers(op)
        if not direct:
            return None
        index = max(direct)
        if through_views and max(through_views) >= index:
            return None
        group = self.groups[index]
        if group.closed or (facts.reductions and any(f.contraction for f in group.facts)):
            return None
        return index if self._keeps_parallelism(group, facts) else None

    def _producers(self, op: ir.Operation) -> tuple[set[int], set[int]]:
        direct: set[int] = set()
        through: set[int] = set()
        for value in nested_operands(op):
            if value in self.group_of:
                direct.add(self.group_of[value])
            elif is_tensor(value):
                through |= self._behind_views(value)
        return direct, through

    def _behind_views(self, value: ir.Value) -> set[int]:
        if value in self.group_of:
            return {self.group_of[value]}
        owner = defining_op(value)
        if owner is None:
            return set()
        found: set[int] = set()
        for operand in owner.operands:
            if is_tensor(operand):
                found |= self._behind_views(operand)
        return found

    def _keeps_parallelism(self, group: Group, facts: OpFacts) -> bool:
        joint = self._parallelism([*group.facts, facts])
        alone = max(self._parallelism(group.facts), self._parallelism([facts]))
        return joint * ACCEPTED_LOSS >= min(self._cores, alone)

    def _parallelism(self, ops: list[OpFacts]) -> int:
        """Over how many cores these ops could be spread: rows, and pieces of 64 elements of the
        last dimension.

        The width does not follow the element type, so that a cast at the end of a chain makes no
        difference.
        """
        results = {result for op in ops for result in op.results}
        inputs = {value for op in ops for value in op.inputs} - results
        values = tuple(self._numbering.values)
        domain = max((op.results[0] for op in ops), key=lambda value: len(values[value].shape))
        kernel = KernelFacts("", values, tuple(inputs), (domain,), tuple(ops))
        dimensions = Dimensions(kernel)
        shape = kernel.first_result.shape
        return math.prod(
            math.ceil(extent / (64 if dim == len(shape) - 1 else 1))
            for dim, extent in enumerate(shape)
            if dimensions.cuttable[dim]
        )


def _moves_to_users(fill: ir.Operation) -> bool:
    """Whether every user is an op that can have the fill in its own kernel."""
    return all(use.owner.operation.name == "linalg.generic" for use in fill.results[0].uses)
