"""What a structured op's reductions are: recognised from the graph of its body.

Owns the patterns (`match_fold`, `match_product`) and the decision between the three ways to
evaluate an output: a tree of sums, a matrix product, or, if neither fits, a fold in the order of
the loops (decided in `structured`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from ktir.machine import table
from ktir.machine.body import Body, Node
from ktir.machine.numerics import Kind
from ktir.machine.scalar import Meaning, Signature

_KINDS = {kind.value: kind for kind in Kind}
_SUBTRACTIONS = {"arith.subf": Kind.ADDF, "arith.subi": Kind.ADDI}
_PRODUCTS = {"arith.mulf": Kind.ADDF, "arith.muli": Kind.ADDI}


@dataclass(frozen=True)
class Fold:
    """An output of the form `so_far = combine(so_far, item)`, where `item` depends on no output.

    `combine(initial, reduce(kind, items))` is its value. If `mask` is given, items count only where
    it equals
    `counts_if`. `subtracts`: `combine` takes the items away.
    """

    kind: Kind
    combine: Meaning
    item: int
    mask: int | None = None
    counts_if: bool = True
    subtracts: bool = False


def match_fold(body: Body, output: int) -> Fold | None:
    """The fold that output number `output` is, if it is one."""
    accumulator = body.inputs + output
    result = body.yields[output]
    node = body.producer(result)
    if node is None:
        return None
    if node.name == "arith.select":
        return _match_masked(body, node, accumulator)
    if body.uses(accumulator) != 1 or body.uses(result) != 1:
        return None
    return _match_node(body, node, accumulator)


def _match_node(body: Body, node: Node, accumulator: int) -> Fold | None:
    kind = _KINDS.get(node.name) or _SUBTRACTIONS.get(node.name)
    if kind is None or accumulator not in node.operands:
        return None
    if node.name in _SUBTRACTIONS and node.operands[0] != accumulator:
        return None
    item = node.operands[0] if node.operands[1] == accumulator else node.operands[1]
    if _reads_outputs(body, item):
        return None
    type_text = body.types[accumulator]
    combine = table.lookup(node.name, Signature((type_text, type_text), (type_text,)))
    return Fold(kind, combine, item, subtracts=node.name in _SUBTRACTIONS)


def _match_masked(body: Body, select: Node, accumulator: int) -> Fold | None:
    """`select(mask, combine(so_far, item), so_far)`, or with the arms exchanged."""
    mask, if_true, if_false = select.operands
    counts_if = if_false == accumulator
    updated = if_true if counts_if else if_false
    node = body.producer(updated)
    if node is None or accumulator not in (if_true, if_false) or _reads_outputs(body, mask):
        return None
    if body.uses(accumulator) != 2 or body.uses(updated) != 1:
        return None
    fold = _match_node(body, node, accumulator)
    if fold is None:
        return None
    return dataclasses.replace(fold, mask=mask, counts_if=counts_if)


def _reads_outputs(body: Body, value: int) -> bool:
    return not body.needed([value])[0].isdisjoint(body.output_arguments)


@dataclass(frozen=True)
class Product:
    """A fold whose item is `left * right`, with loops by what they do in a matrix product.

    `left` changes along batch, rows and inner loops, `right` along batch, inner and columns.
    """

    left: int
    right: int
    batch: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    inner: tuple[int, ...]


def match_product(
    body: Body,
    fold: Fold,
    loops: Sequence[frozenset[int]],
    parallel: tuple[int, ...],
    reduction: tuple[int, ...],
) -> Product | None:
    """The matrix product that `fold` is, if it is one.

    `loops` has the loops that each value of the body changes along. All reduction loops have to be
    in both factors, and at least one parallel loop in one of them only; a product of two vectors is
    a sum.
    """
    node = body.producer(fold.item)
    if node is None or fold.mask is not None or _PRODUCTS.get(node.name) is not fold.kind:
        return None
    if body.types[fold.item] == "i1" or body.uses(fold.item) != 1:
        return None
    left, right = node.operands
    if not set(reduction) <= loops[left] & loops[right]:
        return None
    rows = tuple(d for d in parallel if d in loops[left] and d not in loops[right])
    columns = tuple(d for d in parallel if d in loops[right] and d not in loops[left])
    batch = tuple(d for d in parallel if d in loops[right] and d in loops[left])
    if not columns:
        # A matrix times a vector: the vector is the one row, since rows are padded to fewer than
        # columns.
        left, right, rows, columns = right, left, columns, rows
    if not columns:
        return None
    return Product(left, right, batch, rows, columns, reduction)
