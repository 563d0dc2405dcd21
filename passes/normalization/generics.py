"""How the normalisation passes read and build `linalg.generic`.

Owns the view of a generic (its operands, which loop each of their dimensions follows, its
iterators), and what counts as elementwise, cheap or a contraction. Making ops is in `building`; no
rewrite is decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ktir.errors import UnsupportedError
from ktir.mlir import ir
from ktir.passes import contraction
from ktir.passes.ir_utils import AnyOp, functions_of, shape_of, terminator
from ktir.passes.normalization.sources import describe
from ktir.passes.structured import Access

# Body ops that cost nothing worth keeping: values read narrower, coordinates. A generic made of
# these may be repeated.
CHEAP_OPS = frozenset(
    {"arith.extf", "arith.extsi", "arith.extui", "arith.index_cast", "linalg.index"}
)
# Printed forms: results of a map without parentheses inside, those that are loops or 0, and
# iterator types.
_RESULTS = re.compile(r"-> \(([^()]*)\)>")
_SIMPLE = re.compile(r"(?:d\d+|0)(?:, (?:d\d+|0))*")
_ITERATOR = re.compile(r"parallel|reduction|window")
VIEW_OPS = ("tensor.expand_shape", "tensor.collapse_shape")


@dataclass(frozen=True)
class Generic:
    """A `linalg.generic` on tensors, read once. Valid until the op changes.

    Asking for the accesses of a generic whose maps are not projected permutations with constants 0
    raises UnsupportedError.
    """

    op: AnyOp
    inputs: tuple[ir.Value, ...]
    inits: tuple[ir.Value, ...]

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        """One an operand, inputs then inits."""
        accesses = _accesses(
            str(self.op.attributes["indexing_maps"]), len(self.inputs) + len(self.inits)
        )
        if accesses is None:
            raise UnsupportedError(
                f"{describe(self.op)}: its indexing maps are not projected permutations of the "
                "loops, as those of convolution and pooling; supported are maps whose results are "
                "different loops or 0"
            )
        return accesses

    @cached_property
    def iterators(self) -> tuple[str, ...]:
        """ "parallel" or "reduction", one a loop."""
        return tuple(_ITERATOR.findall(str(self.op.attributes["iterator_types"])))

    @cached_property
    def body(self) -> ir.Block:
        """The block that computes one point."""
        block: ir.Block = self.op.regions[0].blocks[0]
        return block

    @cached_property
    def body_ops(self) -> tuple[AnyOp, ...]:
        """The ops of the body without its yield."""
        return tuple(self.body.operations)[:-1]

    @cached_property
    def yielded(self) -> tuple[ir.Value, ...]:
        """What the body yields, one an init."""
        return tuple(terminator(self.body).operands)

    @property
    def loops(self) -> int:
        """The number of loops."""
        return len(self.iterators)

    @property
    def input_accesses(self) -> tuple[Access, ...]:
        """One an input."""
        return self.accesses[: len(self.inputs)]

    @property
    def init_accesses(self) -> tuple[Access, ...]:
        """One an init."""
        return self.accesses[len(self.inputs) :]

    def extents(self) -> list[int]:
        """The extent of each loop, from the operands' static shapes."""
        extents = [1] * self.loops
        for value, access in zip((*self.inputs, *self.inits), self.accesses, strict=True):
            for loop, extent in zip(access, shape_of(value), strict=True):
                if loop is not None:
                    extents[loop] = extent
        return extents


def operations(module: ir.Operation) -> Iterator[AnyOp]:
    """The ops directly inside the functions, in order, as they were when each function was
    entered.
    """
    for function in functions_of(module):
        for block in function.regions[0].blocks:
            yield from list(block.operations)


def generic(op: AnyOp | ir.Block | None) -> Generic | None:
    """The view of `op`, or None if it is not a generic on tensors."""
    if op is None or isinstance(op, ir.Block) or op.operation.name != "linalg.generic":
        return None
    operands, results = tuple(op.operation.operands), len(op.operation.results)
    count = len(operands) - results
    return Generic(op.operation.opview, operands[:count], operands[count:]) if results else None


def each_generic(module: ir.Operation) -> Iterator[Generic]:
    """The generics on tensors directly inside the functions, in order; each is read when it is its
    turn, so what was changed before shows.
    """
    for op in operations(module):
        view = generic(op)
        if view is not None:
            yield view


def refreshed(view: Generic) -> Generic:
    """The view of an op that was changed in place."""
    count = len(view.inputs)
    operands = tuple(view.op.operation.operands)
    return Generic(view.op, operands[:count], operands[count:])


def integer(op: AnyOp, name: str) -> int:
    """The value of an integer attribute."""
    return ir.IntegerAttr(op.attributes[name]).value


def reassociation(reshape: AnyOp) -> list[list[int]]:
    """The groups of dimensions of a reshape, one a dimension of its smaller side."""
    return [
        [ir.IntegerAttr(dim).value for dim in ir.ArrayAttr(group)]
        for group in ir.ArrayAttr(reshape.attributes["reassociation"])
    ]


def touches_last(reshape: AnyOp) -> bool:
    """Whether a reshape splits or merges the last dimension into more than one that is not 1."""
    groups = reassociation(reshape)
    return bool(groups) and _is_proper(reshape, groups[-1])


def _is_proper(reshape: AnyOp, group: list[int]) -> bool:
    split = shape_of(
        reshape.results[0]
        if reshape.operation.name == "tensor.expand_shape"
        else reshape.operands[0]
    )
    return sum(split[dim] != 1 for dim in group) > 1


def is_used(value: ir.Value) -> bool:
    """Whether anything uses `value`."""
    return next(iter(value.uses), None) is not None


def has_one_use(value: ir.Value) -> bool:
    """Whether `value` is used exactly once."""
    iterator = iter(value.uses)
    return next(iterator, None) is not None and next(iterator, None) is None


def is_elementwise(view: Generic) -> bool:
    """Whether the generic reduces nothing."""
    return "reduction" not in view.iterators


def reads_coordinates(view: Generic) -> bool:
    """Whether the body counts: it reads the index of a loop."""
    return any(op.operation.name == "linalg.index" for op in view.body_ops)


def is_gather(view: Generic) -> bool:
    """Whether the body reads a tensor at computed coordinates."""
    return any(op.operation.name == "tensor.extract" for op in view.body_ops)


def is_cheap(view: Generic) -> bool:
    """An elementwise generic that only moves, widens or counts: repeating it in each of its users
    costs nothing.
    """
    return (
        is_elementwise(view)
        and len(view.inputs) <= 1
        and all(op.operation.name in CHEAP_OPS for op in view.body_ops)
    )


def is_contraction(view: Generic) -> bool:
    """Whether the matrix engine computes it; see `ktir.passes.contraction`."""
    return not is_elementwise(view) and contraction.is_contraction(
        view.body, view.accesses, view.iterators
    )


def _accesses(text: str, count: int) -> tuple[Access, ...] | None:
    """The accesses that an array of maps prints as; one print is far cheaper than asking for each
    map and expression.
    """
    accesses = []
    for results in _RESULTS.findall(text):
        if results and not _SIMPLE.fullmatch(results):
            return None
        access = tuple(
            None if name == "0" else int(name[1:]) for name in results.split(", ") if name
        )
        loops = [loop for loop in access if loop is not None]
        if len(loops) != len(set(loops)):
            return None
        accesses.append(access)
    return tuple(accesses) if len(accesses) == count else None
