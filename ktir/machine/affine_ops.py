"""The `affine` dialect's arithmetic: `apply`, `min`, `max`, `linearize_index`,
`delinearize_index`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.machine.affine import decode_map
from ktir.machine.block import Step
from ktir.machine.decode import Scope, elementwise_step, handler
from ktir.machine.slices import Mixed, static_ints


@handler("affine.apply", "affine.min", "affine.max")
def decode_affine(op: Any, scope: Scope) -> Step:
    """The value of an affine map, or the least or greatest of its values."""
    affine_map = decode_map(op.attributes["map"])
    combine = {"affine.min": torch.minimum, "affine.max": torch.maximum}.get(op.operation.name)
    operands = scope.slots(list(op.operands))
    result = scope.define(op.results[0])

    def evaluate(*values: Tensor) -> Tensor:
        first, *others = (torch.as_tensor(v).reshape(-1) for v in affine_map(values))
        for other in others:
            assert combine is not None
            first = combine(first, other)
        return first

    return elementwise_step(evaluate, operands, (result,))


def _basis(op: Any, slots: Sequence[int], name: str) -> Mixed:
    return Mixed(static_ints(op, name), slots)


@handler("affine.linearize_index")
def decode_linearize(op: Any, scope: Scope) -> Step:
    """Row-major position of indices in a box; the outermost size may be left out."""
    operands = scope.slots(list(op.operands))
    count = len(op.operands) - sum(1 for s in static_ints(op, "static_basis") if s < 0)
    basis = _basis(op, operands[count:], "static_basis")
    indices = operands[:count]
    result = scope.define(op.results[0])

    def step(frame: Any) -> None:
        sizes = basis.ints(frame)
        inner = sizes[len(sizes) - len(indices) + 1 :]
        position = frame[indices[0]]
        for size, slot in zip(inner, indices[1:], strict=True):
            position = position * size + frame[slot]
        frame[result] = position

    return step


@handler("affine.delinearize_index")
def decode_delinearize(op: Any, scope: Scope) -> Step:
    """Indices in a box from a row-major position; the first takes what is left."""
    position, *dynamic = scope.slots(list(op.operands))
    basis = _basis(op, dynamic, "static_basis")
    results = scope.define_all(list(op.results))

    def step(frame: Any) -> None:
        rest = frame[position]
        sizes = basis.ints(frame)
        inner = sizes[len(sizes) - len(results) + 1 :]
        for size, slot in zip(reversed(inner), reversed(results), strict=False):
            frame[slot] = rest % size
            rest = rest // size
        frame[results[0]] = rest

    return step
