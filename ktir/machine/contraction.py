"""Matrix products inside structured ops.

Owns the way from a recognised product (`reductions.Product`) to `numerics.matmul` and back to the
output's dimensions. Factors may be any expressions: each is evaluated on the loops it changes along
only, so a conversion or scale costs one operand, not the whole iteration space.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from torch import Tensor

from ktir.machine.alignment import Extents, IndexingMap
from ktir.machine.binding import Captured, Evaluate, LoopNest, Operands
from ktir.machine.body import Program
from ktir.machine.numerics import dtype_of, matmul
from ktir.machine.reductions import Product


def evaluate_product(
    nest: LoopNest, product: Product, type_text: str, subscripts: IndexingMap
) -> Evaluate:
    """Evaluates the sum over the inner loops of `left * right`, in the dimensions of
    `subscripts`."""
    program = Program(nest.body, [product.left, product.right])
    bind = nest.binder(program)
    left = _as_matrices(nest.count, (product.batch, product.rows, product.inner))
    right = _as_matrices(nest.count, (product.batch, product.inner, product.columns))
    dtype = dtype_of(type_text)
    place = _as_output(product, nest.parallel, subscripts)

    def evaluate(operands: Operands, captured: Captured, extents: Extents) -> Tensor:
        values = bind(operands, captured, extents)
        program.run(values)
        a, b = left(values[product.left]), right(values[product.right])
        return place(matmul(a, b, dtype), extents)

    return evaluate


def _as_matrices(loops: int, groups: Sequence[tuple[int, ...]]) -> Callable[[Tensor], Tensor]:
    """From [core, loops ..] to [core, one axis a group]; loops in no group have size 1."""
    used = [loop for group in groups for loop in group]
    order = [0, *(loop + 1 for loop in used)]
    order += [loop + 1 for loop in range(loops) if loop not in used]
    permuted = order != sorted(order)

    def reshape(x: Tensor) -> Tensor:
        shape = x.shape
        if permuted:
            x = x.permute(order)
        sizes = [math.prod([shape[loop + 1] for loop in group]) for group in groups]
        return x.reshape(shape[0], *sizes)

    return reshape


def _as_output(
    product: Product, parallel: tuple[int, ...], subscripts: IndexingMap
) -> Callable[[Tensor, Extents], Tensor]:
    """From [core, batch, rows, columns] to the output's dimensions; others get size 1."""
    computed = (*product.batch, *product.rows, *product.columns)
    dims = [s.loop for s in subscripts if s.loop is not None]
    order = [0, *(1 + computed.index(d) for d in dims if d in computed)]
    permuted = order != sorted(order)
    added = [axis for axis, s in enumerate(subscripts, 1) if s.loop not in computed]
    plain = len(product.batch) == len(product.rows) == len(product.columns) == 1

    def place(x: Tensor, extents: Extents) -> Tensor:
        if not plain:
            x = x.reshape(x.shape[0], *(extents[d] for d in computed))
        if permuted:
            x = x.permute(order)
        for axis in added:
            x = x.unsqueeze(axis)
        return x

    return place
