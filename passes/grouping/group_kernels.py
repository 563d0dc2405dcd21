"""From linalg ops to kernels: the body of a function, rebuilt around its groups.

Which ops form a group is decided in `groups`.
"""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar

from ktir.mlir import ir
from ktir.passes.base import ModulePass, option, register
from ktir.passes.defaults import CORES
from ktir.passes.facts import (
    is_initial,
    split_generic_operands,
)
from ktir.passes.grouping.groups import Group, Groups
from ktir.passes.grouping.kernel_ops import copy_kernel, kernel_op
from ktir.passes.ir_utils import (
    body_of,
    clone_into,
    defining_op,
    functions_of,
    i64_array,
    i64_list,
    is_tensor,
    nested_operands,
    shape_of,
)


@register
@dataclasses.dataclass(frozen=True)
class GroupKernels(ModulePass):
    """Wrap linalg ops into `plan.kernel` regions.

    Requires: the `linalg` level.
    Rewrites: every function. Each compute op goes into exactly one kernel, in the order of the
    program. An op joins the kernel of its latest producer if the two together can still be cut over
    a quarter of the cores that each alone could use (of `cores`); a contraction always starts a
    kernel and takes elementwise consumers only, so that no work is done twice.
    Ensures: all compute sits in kernels with `split` all ones and `tile` the whole extent; between
    kernels stand only views and `tensor.insert_slice` whose source is a kernel result of one use.
    Fails when: an op is not structured (it is named, with its location).

    Before:

        %1 = linalg.generic .. ins(%x : tensor<64x64xf16>) ..
        %2 = linalg.generic .. ins(%1 : tensor<64x64xf16>) ..

    After:

        %2 = plan.kernel "relu_0" split = [1, 1] tile = [64, 64] ins(%a = %x : ..) -> (..) {
          %3 = linalg.generic .. ins(%a : tensor<64x64xf16>) ..
          %4 = linalg.generic .. ins(%3 : tensor<64x64xf16>) ..
          plan.yield %4 : tensor<64x64xf16>
        }
    """

    NAME: ClassVar[str] = "ktir-group-kernels"
    cores: int = option(
        CORES, "cores that a kernel should still be able to use after ops are joined", least=1
    )

    def run(self, module: ir.Operation) -> None:
        with module.context:
            for function in list(functions_of(module)):
                groups = Groups(body_of(function), self.cores)
                _Rebuilding(body_of(function), groups).run()


class _Rebuilding:
    """Builds the body of a function anew, with a kernel in the place of each group."""

    def __init__(self, body: ir.Block, groups: Groups) -> None:
        self._body = body
        self._groups = groups.groups
        self._group_of = groups.group_of
        self._mapping: dict[ir.Value, ir.Value] = {value: value for value in body.arguments}
        self._rank = {group: rank for rank, group in enumerate(self._launch_order())}

    def run(self) -> None:
        *old, last = [op.operation for op in self._body]
        with ir.InsertionPoint(last):
            for index in self._rank:
                self._emit(index, self._groups[index])
            for index, value in enumerate(last.operands):
                last.operands[index] = self._available(value)
        for op in reversed(old):
            op.erase()

    def _launch_order(self) -> list[int]:
        """Groups in program order, but those that read nothing first: others may write into what
        they fill.
        """
        return sorted(range(len(self._groups)), key=lambda i: self._groups[i].kind != "fill")

    def _emit(self, index: int, group: Group) -> None:
        members = set(group.ops)
        results = self._results(group, members)
        if not results:
            return
        operands = self._operands(group)
        twins = [value for op in group.ops for _, value in self._second_reads(op, group)]
        attributes = {
            "kernel_name": ir.StringAttr.get(f"{group.name}_{index}"),
            "split": i64_array([1] * len(shape_of(results[0]))),
            "tile": i64_array(shape_of(results[0])),
        }
        kernel = kernel_op(
            attributes,
            [self._available(value) for value in (*operands, *twins)],
            [result.type for result in results],
            group.ops[0].location,
        )
        block = body_of(kernel)
        inner = dict(zip(operands, block.arguments, strict=False))
        twin = iter(list(block.arguments)[len(operands) :])
        ip = ir.InsertionPoint(block)
        for op in group.ops:
            for value in nested_operands(op):
                self._clone_initial(value, inner, ip)
            clone = clone_into(op, inner, ip)
            for position, _ in self._second_reads(op, group):
                clone.operands[position] = next(twin)
        ir.Operation.create(
            "plan.yield", operands=[inner[result] for result in results], ip=ip, loc=kernel.location
        )
        for old, new in zip(results, kernel.results, strict=True):
            self._mapping[old] = new

    def _results(self, group: Group, members: set[ir.Operation]) -> list[ir.Value]:
        """Values used outside the group, those of the highest rank first: `split` refers to the
        first.
        """
        results = [
            result
            for op in group.ops
            for result in op.results
            if any(
                _top_level(use.owner.operation, self._body) not in members for use in result.uses
            )
        ]
        return sorted(results, key=lambda value: -len(shape_of(value)))

    def _operands(self, group: Group) -> list[ir.Value]:
        made = {result for op in group.ops for result in op.results}
        operands: list[ir.Value] = []
        for op in group.ops:
            for value in nested_operands(op):
                outside = is_tensor(value) and value not in made and value not in operands
                if outside and self._is_function_level(value) and not is_initial(value):
                    operands.append(value)
        return operands

    def _second_reads(self, op: ir.Operation, group: Group) -> list[tuple[int, ir.Value]]:
        """Inputs from outside the kernel that the op reads again through another map.

        Each is an operand of its own: its dimensions run with other loops than the first one's.
        """
        if op.name != "linalg.generic":
            return []
        made = {result for member in group.ops for result in member.results}
        maps = list(ir.ArrayAttr(op.attributes["indexing_maps"]))
        inputs, _ = split_generic_operands(op)
        seen: dict[ir.Value, ir.Attribute] = {}
        again = []
        for position, value in enumerate(inputs):
            outside = is_tensor(value) and value not in made and not is_initial(value)
            if outside and seen.setdefault(value, maps[position]) != maps[position]:
                again.append((position, value))
        return again

    def _is_function_level(self, value: ir.Value) -> bool:
        owner = value.owner
        block = owner if isinstance(owner, ir.Block) else owner.operation.block
        return bool(block == self._body)

    def _clone_initial(
        self, value: ir.Value, inner: dict[ir.Value, ir.Value], ip: ir.InsertionPoint
    ) -> None:
        """Brings constants, empties and fills into the kernel, for they belong to whoever uses
        them.
        """
        owner = defining_op(value)
        if value in inner or owner is None or not self._is_function_level(value):
            return
        if owner.name in ("arith.constant", "tensor.empty", "linalg.fill"):
            for operand in owner.operands:
                self._clone_initial(operand, inner, ip)
            clone_into(owner, inner, ip)

    def _available(self, value: ir.Value) -> ir.Value:
        """`value` in the rebuilt body, cloning the views and insertions it passes through on the
        way.
        """
        if value in self._mapping:
            return self._mapping[value]
        owner = defining_op(value)
        assert owner is not None
        if owner.name == "tensor.insert_slice":
            self._available_insertion(owner)
        else:
            for operand in owner.operands:
                self._available(operand)
            clone_into(owner, self._mapping)
        return self._mapping[value]

    def _available_insertion(self, op: ir.Operation) -> None:
        """An insertion writes in place: its source and its destination must be fresh values that
        nobody else reads.
        """
        mapping = dict(self._mapping)
        for index, fresh in ((1, self._is_fresh_destination), (0, self._is_fresh_source)):
            value = op.operands[index]
            new = self._available(value)
            if not fresh(op):
                new = copy_kernel(new, op.location, "sticks").results[0]
            mapping[value] = new
        for operand in op.operands:
            mapping.setdefault(operand, self._available(operand))
        clone_into(op, mapping)
        self._mapping[op.results[0]] = mapping[op.results[0]]

    def _is_fresh_destination(self, insertion: ir.Operation) -> bool:
        value = insertion.operands[1]
        owner = defining_op(value)
        if owner is None or len(list(value.uses)) != 1:
            return False
        return owner.name in ("tensor.empty", "tensor.insert_slice") or value in self._group_of

    def _is_fresh_source(self, insertion: ir.Operation) -> bool:
        """Whether the kernel that makes the source may store it in place: nobody else reads it, and
        what the destination holds there before is stored earlier.
        """
        value = insertion.operands[0]
        if value not in self._group_of or len(list(value.uses)) != 1:
            return False
        return self._last_store(insertion, _box(insertion)) < self._rank[self._group_of[value]]

    def _last_store(self, insertion: ir.Operation, box: list[range]) -> float:
        """The rank of the last kernel that stores into `box` of the insertion's destination before
        the insertion; copies are made where they are needed, after all that precedes.
        """
        value = insertion.operands[1]
        if not self._is_fresh_destination(insertion):
            return math.inf
        if value in self._group_of:
            return self._rank[self._group_of[value]]
        earlier = defining_op(value)
        if earlier is None or earlier.name != "tensor.insert_slice":
            return -1
        last = self._last_store(earlier, box)
        if not _overlap(box, _box(earlier)):
            return last
        if not self._is_fresh_source(earlier):
            return math.inf
        return max(last, self._rank[self._group_of[earlier.operands[0]]])


def _box(insertion: ir.Operation) -> list[range]:
    """The span of destination coordinates that an insertion writes, by dimension."""
    names = ("static_offsets", "static_sizes", "static_strides")
    triples = zip(*(i64_list(insertion, name) for name in names), strict=True)
    return [range(start, start + (size - 1) * step + 1) for start, size, step in triples]


def _overlap(a: list[range], b: list[range]) -> bool:
    return all(x.start < y.stop and y.start < x.stop for x, y in zip(a, b, strict=True))


def _top_level(op: ir.Operation, body: ir.Block) -> ir.Operation:
    """The op of `body` that contains `op`."""
    while op.block != body:
        parent = op.parent
        assert parent is not None
        op = parent.operation
    return op
