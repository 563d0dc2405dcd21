"""Structured ops evaluated at once and point by point."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import torch
from torch import Tensor

from ktir.machine.alignment import IndexingMap, Subscript
from ktir.machine.body import Body, BodyBuilder, Program
from ktir.machine.structured import StructuredOp

P, R = "parallel", "reduction"


def indexing_map(*subscripts: int | None) -> IndexingMap:
    """A projected permutation: the loop of each dimension, None for the constant 0."""
    return tuple(
        Subscript(constant=0) if s is None else Subscript(loop=s, loops=frozenset({s}))
        for s in subscripts
    )


def random(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def by_points(
    iterators: Sequence[str],
    maps: Sequence[IndexingMap],
    body: Body,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    captured: Sequence[Tensor] = (),
) -> list[Tensor]:
    """The meaning of the op, one point and one core after the other."""
    cores = max(x.shape[0] for x in (*inputs, *outputs, *captured))
    operands = [x.expand(cores, *x.shape[1:]).clone() for x in (*inputs, *outputs)]
    sizes = {
        s.loop: x.shape[axis]
        for x, subscripts in zip(operands, maps, strict=True)
        for axis, s in enumerate(subscripts, 1)
        if s.loop is not None
    }
    program = Program(body, body.yields)
    for core in range(cores):
        for point in itertools.product(*(range(sizes[d]) for d in range(len(iterators)))):
            places = [(core, *(at(s, point) for s in subscripts)) for subscripts in maps]
            values: list[Tensor | None] = [None] * len(body.types)
            for number, (x, place) in enumerate(zip(operands, places, strict=True)):
                values[number] = x[place].view(1)
            for number, constant in body.constants.items():
                values[number] = constant
            for number, loop in body.indices.items():
                values[number] = torch.tensor([point[loop]])
            for number, x in zip((*body.scalars, *body.tensors), captured, strict=True):
                mine = x[min(core, x.shape[0] - 1)]
                values[number] = mine.view(1) if number in body.scalars else mine[None]
            program.run(values)
            results = [values[y] for y in body.yields]
            for i, result in enumerate(results):
                operands[body.inputs + i][places[body.inputs + i]] = result.item()  # type: ignore[union-attr]
    return operands[body.inputs :]


def at(subscript: Subscript, point: Sequence[int]) -> int:
    if subscript.compute is not None:
        return int(subscript.compute(point))
    return point[subscript.loop] if subscript.loop is not None else int(subscript.constant or 0)


def check(
    iterators: Sequence[str],
    maps: Sequence[IndexingMap],
    body: Body,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    captured: Sequence[Tensor] = (),
    exact: bool = False,
) -> list[Tensor]:
    got = StructuredOp(iterators, maps, body)(inputs, outputs, captured)
    expected = by_points(iterators, maps, body, inputs, outputs, captured)
    for a, b in zip(got, expected, strict=True):
        assert a.dtype == b.dtype
        assert a.shape[1:] == b.shape[1:]
        tolerance = 0.0 if exact else 1e-5 if a.dtype == torch.float32 else 1e-2
        torch.testing.assert_close(
            a.expand_as(b), b, rtol=tolerance, atol=tolerance, equal_nan=True
        )
    return got


def binary(name: str, type_text: str = "f32", inputs: int = 2) -> Body:
    b = BodyBuilder([type_text] * inputs, [type_text])
    return b.build(b.op(name, 0, 1))


def mul_add(left: str, right: str, total: str) -> Body:
    """The body of a matrix product, with conversions where the types differ."""
    b = BodyBuilder([left, right], [total])
    cast = "arith.extf" if total.startswith("f") else "arith.extsi"
    x = 0 if left == total else b.op(cast, 0, result=total)
    y = 1 if right == total else b.op(cast, 1, result=total)
    kind = "f" if total.startswith("f") else "i"
    return b.build(b.op(f"arith.add{kind}", 2, b.op(f"arith.mul{kind}", x, y)))
