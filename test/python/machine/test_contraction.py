"""Which structured ops are contractions, and what they give."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from structured_cases import P, R, check, indexing_map, mul_add, random

from ktir.machine.alignment import IndexingMap
from ktir.machine.binding import LoopNest
from ktir.machine.body import Body, BodyBuilder
from ktir.machine.numerics import dtype_of
from ktir.machine.reductions import match_fold, match_product
from ktir.machine.structured import StructuredOp


def classify(iterators: Sequence[str], maps: Sequence[IndexingMap], body: Body) -> str:
    nest = LoopNest(iterators, maps, body)
    fold = match_fold(body, 0)
    assert fold is not None
    product = match_product(body, fold, nest.changes, nest.parallel, nest.reduction)
    if product is None:
        return ""
    groups = zip("bmnk", (product.batch, product.rows, product.columns, product.inner), strict=True)
    return " ".join(f"{name}({','.join(map(str, group))})" for name, group in groups)


@pytest.mark.parametrize(
    "types", [("f32", "f32", "f32"), ("f16", "f16", "f32"), ("i8", "i8", "i32")]
)
@pytest.mark.parametrize("cores", [(1, 1), (3, 1), (1, 3), (3, 3)])
@pytest.mark.parametrize(
    ("iterators", "maps", "expected"),
    [
        ([P, P, R], [(0, 2), (2, 1), (0, 1)], "b() m(0) n(1) k(2)"),
        ([P, P, R], [(0, 2), (1, 2), (0, 1)], "b() m(0) n(1) k(2)"),
        ([P, P, R], [(0, 2), (1, 2), (1, 0)], "b() m(0) n(1) k(2)"),
        ([P, P, P, P, R], [(0, 1, 2, 4), (0, 1, 3, 4), (0, 1, 2, 3)], "b(0,1) m(2) n(3) k(4)"),
        ([P, P, P, P, R], [(0, 1, 2, 4), (0, 3, 4), (0, 2, 1, 3)], "b(0) m(1,2) n(3) k(4)"),
        ([P, R, P, R], [(0, 1, 3), (3, 1, 2), (0, 2)], "b() m(0) n(2) k(1,3)"),
        ([P, R], [(0, 1), (1,), (0,)], "b() m() n(0) k(1)"),
        ([P, R], [(1,), (1, 0), (0,)], "b() m() n(0) k(1)"),
        ([P, R], [(0, 1), (0, 1), (0,)], ""),
        ([P, P, R, R], [(0, 2, 3), (2, 1), (0, 1)], ""),
    ],
)
def test_contractions(
    types: tuple[str, str, str],
    cores: tuple[int, int],
    iterators: list[str],
    maps: list[tuple[int, ...]],
    expected: str,
) -> None:
    body = mul_add(*types)
    lined = [indexing_map(*m) for m in maps]
    assert classify(iterators, lined, body) == expected
    sizes = [2, 3, 4, 5, 6]
    operands = []
    for i, (c, m, t) in enumerate(zip((*cores, 1), maps, types, strict=True)):
        shape = (c, *(sizes[d] for d in m))
        if t.startswith("i"):
            operands.append(torch.randint(-128, 127, shape, dtype=torch.int32).to(dtype_of(t)))
        else:
            operands.append(random(*shape, dtype=dtype_of(t), seed=i))
    check(iterators, lined, body, operands[:2], operands[2:], exact=types[0] == "i8")


def test_factors_may_be_expressions() -> None:
    """A dequantised weight: `x[m, k] * ((w[n, k] - zero[n]) * scale[n])` is still one product."""
    b = BodyBuilder(["f32", "i8", "i8", "f32"], ["f32"])
    shifted = b.op(
        "arith.subi", b.op("arith.extsi", 1, result="i32"), b.op("arith.extsi", 2, result="i32")
    )
    weight = b.op("arith.mulf", b.op("arith.sitofp", shifted, result="f32"), 3)
    body = b.build(b.op("arith.addf", b.op("arith.mulf", 0, weight), 4))
    maps = [indexing_map(*m) for m in ((0, 2), (1, 2), (1,), (1,), (0, 1))]
    assert classify([P, P, R], maps, body) == "b() m(0) n(1) k(2)"
    operands = [random(2, 3, 7), torch.randint(-9, 9, (1, 4, 7), dtype=torch.int8)]
    operands += [torch.randint(-9, 9, (1, 4), dtype=torch.int8), random(1, 4), random(1, 3, 4)]
    check([P, P, R], maps, body, operands[:4], operands[4:])


def test_a_product_used_twice_or_rounded_is_summed() -> None:
    b = BodyBuilder(["f32", "f32"], ["f16"])
    rounded = b.op("arith.truncf", b.op("arith.mulf", 0, 1), result="f16")
    body = b.build(b.op("arith.addf", 2, rounded))
    maps = [indexing_map(0, 2), indexing_map(2, 1), indexing_map(0, 1)]
    assert classify([P, P, R], maps, body) == ""


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_row_tiles_of_a_softmax_row_sum_are_bit_equal(data: st.DataObject) -> None:
    """sum over j of exp(x[i, j]) in f16: the bits of a row do not depend on the rows beside it."""
    rows, columns = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 200))
    b = BodyBuilder(["f16"], ["f16"])
    op = StructuredOp(
        [P, R],
        [indexing_map(0, 1), indexing_map(0)],
        b.build(b.op("arith.addf", 1, b.op("math.exp", 0))),
    )
    x, zero = (
        random(1, rows, columns, dtype=torch.float16),
        torch.zeros(1, rows, dtype=torch.float16),
    )
    whole = op([x], [zero])[0]
    tile = data.draw(st.integers(1, rows))
    for begin in range(0, rows, tile):
        part = slice(begin, begin + tile)
        assert torch.equal(op([x[:, part]], [zero[:, part]])[0], whole[:, part])
    stacked = x.view(rows, 1, columns)
    assert torch.equal(op([stacked], [zero[:, :1]])[0], whole.view(rows, 1))
