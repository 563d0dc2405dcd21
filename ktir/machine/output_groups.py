"""A structured op by its outputs: those that the same loops subscript are evaluated together.

Owns the split. What a loop is follows from the output: parallel where it is subscripted with the
loop, whatever the op calls the loop; a value that is stored at every point of a reduction loop is
one of a pointwise op beside the reduction.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ktir.errors import UnsupportedError
from ktir.machine.alignment import IndexingMap
from ktir.machine.body import Body, Node


@dataclasses.dataclass(frozen=True)
class OutputGroup:
    """Some `outputs` of an op as an op of their own: its iterators, maps and body.

    `operands` are the positions of its operands among those of the whole op: the other outputs are
    inputs that are not read, since a loop's extent may be known from them only.
    """

    outputs: tuple[int, ...]
    operands: tuple[int, ...]
    iterators: tuple[str, ...]
    maps: tuple[IndexingMap, ...]
    body: Body


def output_groups(
    iterators: Sequence[str], maps: Sequence[IndexingMap], body: Body
) -> list[OutputGroup]:
    """The groups of an op, in the order of their first outputs.

    Raises UnsupportedError for outputs of different loops of which one reads the other.
    """
    by_loops: dict[frozenset[int], list[int]] = {}
    for output in range(body.outputs):
        subscripts = maps[body.inputs + output]
        loops = frozenset(s.loop for s in subscripts if s.loop is not None)
        by_loops.setdefault(loops, []).append(output)
    return [_group(iterators, maps, body, loops, tuple(g)) for loops, g in by_loops.items()]


def _group(
    iterators: Sequence[str],
    maps: Sequence[IndexingMap],
    body: Body,
    loops: frozenset[int],
    outputs: tuple[int, ...],
) -> OutputGroup:
    others = [body.inputs + o for o in range(body.outputs) if o not in outputs]
    operands = (*range(body.inputs), *others, *(body.inputs + o for o in outputs))
    values, _ = body.needed([body.yields[o] for o in outputs])
    if not values.isdisjoint(others):
        raise UnsupportedError(
            "an output reads another one that has other loops; write them as two ops"
        )
    kinds = tuple(
        "parallel" if loop in loops and kind == "reduction" else kind
        for loop, kind in enumerate(iterators)
    )
    if not others:
        return OutputGroup(outputs, operands, kinds, tuple(maps), body)
    return OutputGroup(
        outputs,
        operands,
        kinds,
        tuple(maps[n] for n in operands),
        _reordered(body, operands, outputs),
    )


def _reordered(body: Body, operands: Sequence[int], outputs: Sequence[int]) -> Body:
    """The body with its arguments in the order of `operands`, the last of which are outputs."""
    number = list(range(len(body.types)))
    for position, operand in enumerate(operands):
        number[operand] = position
    types = [body.types[operand] for operand in operands] + list(body.types[len(operands) :])
    return dataclasses.replace(
        body,
        inputs=len(operands) - len(outputs),
        outputs=len(outputs),
        types=tuple(types),
        nodes=tuple(_renumbered(node, number) for node in body.nodes),
        yields=tuple(number[body.yields[o]] for o in outputs),
    )


def _renumbered(node: Node, number: Sequence[int]) -> Node:
    return dataclasses.replace(node, operands=tuple(number[o] for o in node.operands))
