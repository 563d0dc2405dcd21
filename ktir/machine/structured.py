"""Structured ops: `linalg.generic` and all that means the same, evaluated on stacked operands.

Owns the choice of the way: the body runs once on whole arrays, and what the reduction loops leave
is a tree (`numerics`), a matrix product (`contraction`) or a fold in the order of the loops
(`sequential`). Decoding from IR is in `linalg_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from ktir.errors import UnsupportedError
from ktir.machine.alignment import Extents, IndexingMap, align_output
from ktir.machine.binding import Captured, Evaluate, LoopNest, Operands
from ktir.machine.body import WRITES_INTO, Body, Program, Target, written_into
from ktir.machine.contraction import evaluate_product
from ktir.machine.numerics import Kind, dtype_of, neutral, reduce_tree
from ktir.machine.output_groups import OutputGroup, output_groups
from ktir.machine.reductions import Fold, match_fold, match_product
from ktir.machine.sequential import evaluate_in_order, finished

Run = Callable[[Operands, Captured, "Target | None"], list[Tensor]]
"""Takes operands, captured values, and where the result of an op with one may be written."""


class StructuredOp:
    """A structured op, prepared once.

    `iterators`: "parallel" or "reduction", one a loop. `maps`: one an operand, inputs then outputs.
    Call it with operands [1 or C, dims ..] and the captured values of the body; it returns one
    tensor [1 or C, dims ..] an output. Results may share memory with operands or repeat elements
    with stride 0.

    `fills` may name, for each output, the one value (shape []) that it is known to hold everywhere.

    Raises UnsupportedError for iterators, maps or loops it cannot evaluate.
    """

    def __init__(
        self,
        iterators: Sequence[str],
        maps: Sequence[IndexingMap],
        body: Body,
        fills: Sequence[Tensor | None] = (),
    ) -> None:
        fills = fills or [None] * body.outputs
        runs = [
            (group, _run_of(group, [fills[output] for output in group.outputs]))
            for group in output_groups(iterators, maps, body)
        ]
        self.run: Run = runs[0][1] if len(runs) == 1 else _together(runs, body.outputs)

    def __call__(
        self, inputs: Sequence[Tensor], outputs: Sequence[Tensor], captured: Captured = ()
    ) -> list[Tensor]:
        """Evaluates the op. `run` is the same on one list of inputs and outputs."""
        return self.run([*inputs, *outputs], captured, None)


def _run_of(group: OutputGroup, fills: Sequence[Tensor | None]) -> Run:
    nest = LoopNest(group.iterators, group.maps, group.body)
    return _reducing(nest, fills) if nest.reduction else _pointwise(nest)


def _together(runs: Sequence[tuple[OutputGroup, Run]], outputs: int) -> Run:
    """Outputs of different loops, each with those of its own."""

    def run(operands: Operands, captured: Captured, target: Target | None) -> list[Tensor]:
        results: dict[int, Tensor] = {}
        for group, evaluate in runs:
            found = evaluate([operands[n] for n in group.operands], captured, None)
            results |= zip(group.outputs, found, strict=True)
        return [results[output] for output in range(outputs)]

    return run


def _pointwise(nest: LoopNest) -> Run:
    """Parallel loops only: the yielded arrays are the results, repeated along loops they lack."""
    program = Program(nest.body, nest.body.yields)
    bind = nest.binder(program)
    everywhere = frozenset(nest.parallel)
    finish = [
        (value, not everywhere <= nest.changes[value], align_output(subscripts, nest.parallel))
        for value, subscripts in zip(nest.body.yields, nest.output_maps, strict=True)
    ]
    reads_extents = nest.reads_extents(program) or any(repeat for _, repeat, _ in finish)

    plain = len(finish) == 1 and not finish[0][1] and finish[0][2] is None

    def run(operands: Operands, captured: Captured, target: Target | None) -> list[Tensor]:
        extents = nest.extents(operands) if reads_extents else ()
        values = bind(operands, captured, extents)
        if target is not None and plain:
            program.run_into(values, target)
        else:
            program.run(values)
        results = []
        for value, repeat, place in finish:
            x: Tensor = values[value]
            if repeat:
                x = x.expand(-1, *extents)
            results.append(x if place is None else place(x))
        return results

    return run


_Fold = Callable[[Operands, Captured, Extents, "Target | None"], Tensor]
"""One output of an op with reduction loops."""


def _reducing(nest: LoopNest, fills: Sequence[Tensor | None]) -> Run:
    outputs = []
    for output in range(nest.body.outputs):
        fold = match_fold(nest.body, output)
        if fold is not None:
            outputs.append(_folded(nest, output, fold, fills[output]))
        elif _is_settled(nest, output):
            outputs.append(_settled(nest, output))
        else:
            _refuse_statistics(nest.body)
            return evaluate_in_order(nest)

    def run(operands: Operands, captured: Captured, target: Target | None) -> list[Tensor]:
        extents = nest.extents(operands)
        return [evaluate(operands, captured, extents, target) for evaluate in outputs]

    return run


def _is_settled(nest: LoopNest, output: int) -> bool:
    """Whether what is yielded is the same at all points of the reduction loops."""
    value = nest.body.yields[output]
    so_far = nest.body.output_arguments
    return nest.changes[value].isdisjoint(nest.reduction) and nest.body.needed([value])[
        0
    ].isdisjoint(so_far)


def _settled(nest: LoopNest, output: int) -> _Fold:
    """What the last point of the reduction loops yields; the output as it was if there is none."""
    value, initial = nest.body.yields[output], nest.body.inputs + output
    program = Program(nest.body, [value])
    bind = nest.binder(program)
    axes = [loop + 1 for loop in nest.reduction]
    place = align_output(nest.output_maps[output], nest.parallel)

    def evaluate(
        operands: Operands, captured: Captured, extents: Extents, target: Target | None
    ) -> Tensor:
        if any(extents[loop] == 0 for loop in nest.reduction):
            return operands[initial]
        values = bind(operands, captured, extents)
        program.run(values)
        return finished(values[value], axes, extents, nest, place)

    return evaluate


def _refuse_statistics(body: Body) -> None:
    """In order, a body sees one element at a time."""
    for node in body.nodes:
        if node.settles:
            raise UnsupportedError(
                f"'{node.name}' beside a result that is reduced in the order of the loops"
            )


def _folded(nest: LoopNest, output: int, fold: Fold, fill: Tensor | None) -> _Fold:
    product = match_product(nest.body, fold, nest.changes, nest.parallel, nest.reduction)
    subscripts = nest.output_maps[output]
    if product is not None:
        total = evaluate_product(nest, product, nest.body.types[fold.item], subscripts)
    else:
        total = _tree(nest, fold, subscripts)
        if set(nest.parallel) <= nest.changes[fold.item] and _is_neutral(fill, fold):
            return lambda operands, captured, extents, target: total(operands, captured, extents)
    combine, initial = fold.combine, nest.body.inputs + output
    writes_into = combine in WRITES_INTO

    def evaluate(
        operands: Operands, captured: Captured, extents: Extents, target: Target | None
    ) -> Tensor:
        first = operands[initial]
        if any(extents[loop] == 0 for loop in nest.reduction):
            # Adding the sum of nothing would turn -0 into +0.
            return first
        rest = total(operands, captured, extents)
        if target is not None and writes_into:
            return written_into(target, combine, (first, rest))
        result: Tensor = combine(first, rest)
        return result

    return evaluate


def _is_neutral(fill: Tensor | None, fold: Fold) -> bool:
    """Whether combining with `fill` changes no bit of any total of a tree.

    A 16-bit sum may round to -0, which 0 would turn into +0; wider sums are never -0.
    """
    if fill is None or fold.subtracts:
        return False
    if fold.kind is Kind.ADDF:
        return fill.dtype in (torch.float32, torch.float64) and not bool(fill)
    return bool(fill == neutral(fold.kind, fill.dtype))


def _tree(nest: LoopNest, fold: Fold, subscripts: IndexingMap) -> Evaluate:
    """All items as one array, reduced in the fixed order."""
    roots = [fold.item] if fold.mask is None else [fold.item, fold.mask]
    program = Program(nest.body, roots)
    bind = nest.binder(program)
    kind, item, mask = fold.kind, fold.item, fold.mask
    changes = nest.changes[item] if mask is None else nest.changes[item] | nest.changes[mask]
    lacking = [loop for loop in nest.reduction if loop not in changes]
    axes = [loop + 1 for loop in nest.reduction]
    dtype = dtype_of(nest.body.types[item])
    nothing = torch.tensor(neutral(kind, dtype), dtype=dtype).view((1,) * (nest.count + 1))
    place = align_output(subscripts, nest.parallel)

    def evaluate(operands: Operands, captured: Captured, extents: Extents) -> Tensor:
        values = bind(operands, captured, extents)
        program.run(values)
        items: Tensor = values[item]
        if mask is not None:
            arms = (items, nothing) if fold.counts_if else (nothing, items)
            items = torch.where(values[mask], *arms)
        if lacking:
            items = items.expand(
                -1, *(extents[d] if d in lacking else -1 for d in range(nest.count))
            )
        total = reduce_tree(items, kind, axes)
        return total if place is None else place(total)

    return evaluate
