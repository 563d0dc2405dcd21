"""Structured ops against a loop over single points, and the choice of the way to evaluate them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from structured_cases import P, R, binary, check, indexing_map, mul_add, random

from ktir.errors import BoundsError, UnsupportedError
from ktir.machine.alignment import Subscript, iota
from ktir.machine.body import Body, BodyBuilder
from ktir.machine.gather import extraction
from ktir.machine.reductions import match_fold
from ktir.machine.scalar import Signature
from ktir.machine.structured import StructuredOp


@pytest.mark.parametrize("cores", [(1, 1), (3, 1), (1, 3), (3, 3)])
@pytest.mark.parametrize(
    ("left", "right", "out"),
    [
        ((0, 1), (0, 1), (0, 1)),
        ((0, 1), (1,), (0, 1)),
        ((0, 1), (0,), (1, 0)),
        ((1, 0), (0, 1), (0, 1)),
        ((0, 1), (), (0, 1)),
        ((0, None), (None, 1), (0, 1)),
        ((0, 1), (None, 1), (0, None, 1)),
    ],
)
def test_pointwise(
    cores: tuple[int, int],
    left: tuple[int | None, ...],
    right: tuple[int | None, ...],
    out: tuple[int | None, ...],
) -> None:
    sizes = {0: 3, 1: 5, None: 1}
    operands = [
        random(c, *(sizes[d] for d in m))
        for c, m in zip((*cores, 1), (left, right, out), strict=True)
    ]
    maps = [indexing_map(*m) for m in (left, right, out)]
    check([P, P], maps, binary("arith.subf"), operands[:2], operands[2:], exact=True)


def test_constant_subscript_picks_one_element() -> None:
    x, out = random(2, 4, 5), random(1, 5)
    first = (Subscript(constant=3), Subscript(loop=0, loops=frozenset({0})))
    b = BodyBuilder(["f32"], ["f32"])
    (got,) = check([P], [first, indexing_map(0)], b.build(0), [x], [out], exact=True)
    assert torch.equal(got, x[:, 3])


def test_results_without_operands_are_repeated() -> None:
    b = BodyBuilder(["f32"], ["f32", "i32"])
    seven = b.constant(7, "i32")
    maps = [indexing_map(), indexing_map(0, 1), indexing_map(1, 0)]
    outs = [random(1, 2, 3), torch.zeros(1, 3, 2, dtype=torch.int32)]
    fill, sevens = check([P, P], maps, b.build(0, seven), [random(4)], outs, exact=True)
    assert (fill.shape, sevens.shape) == ((4, 2, 3), (1, 3, 2))


def test_captured_scalars_and_outputs_are_read() -> None:
    b = BodyBuilder(["f32"], ["f32"])
    scale = b.scalar("f32")
    body = b.build(b.op("arith.addf", 1, b.op("arith.mulf", 0, scale)))
    maps = [indexing_map(0), indexing_map(0)]
    check([P], maps, body, [random(1, 4)], [random(1, 4, seed=1)], [random(3, seed=2)], exact=True)


def test_rectifier_has_one_pass_and_keeps_nan() -> None:
    b = BodyBuilder(["f16"], ["f16"])
    body = b.build(b.op("arith.maximumf", b.constant(0.0, "f16"), 0))
    x = torch.tensor([[1.0, -1.0, 0.0, -0.0, float("nan")]], dtype=torch.float16)
    (got,) = StructuredOp([P], [indexing_map(0)] * 2, body)([x], [x])
    assert got[0, :4].tolist() == [1, 0, 0, 0]
    assert not got.signbit()[0, :4].any()
    assert got[0, 4].isnan()


def test_index_and_extract() -> None:
    """A row lookup with a column shift: `table[ids[i], j]`."""
    b = BodyBuilder(["i32"], ["f32"])
    rows = b.op("arith.index_cast", 0, result="index")
    column = b.index(1)
    source = b.tensor("f32")
    meaning = extraction(2, [None, 1])
    signature = Signature(results=("f32",))
    (element,) = b.node("tensor.extract", signature, meaning, [source, rows, column])
    body = b.build(element)
    maps = [indexing_map(0), indexing_map(0, 1)]
    ids = torch.tensor([[2, 0, 6]], dtype=torch.int32)
    for cores in (1, 3):
        data = random(cores, 7, 4)
        for width in (4, 2):
            check([P, P], maps, body, [ids], [random(1, 3, width)], [data], exact=True)
        check([P, P], maps, body, [ids.expand(3, 3)], [random(1, 3, 4)], [data], exact=True)
    with pytest.raises(BoundsError, match=r"index 7 in dimension 0 .*\[7, 4\].*iteration \[1, 0\]"):
        StructuredOp([P, P], maps, body)(
            [torch.tensor([[2, 7, 6]], dtype=torch.int32)], [random(1, 3, 4)], [random(1, 7, 4)]
        )


def test_general_maps_gather() -> None:
    """A convolution: the input is subscripted with a sum of loops."""
    window = Subscript(compute=lambda d: d[0] * 2 + d[2], loops=frozenset({0, 2}))
    maps = [(window,), indexing_map(2, 1), indexing_map(0, 1)]
    body = mul_add("f32", "f32", "f32")
    operands = [random(2, 9), random(1, 3, 5), random(1, 4, 5)]
    check([P, P, R], maps, body, operands[:2], operands[2:])
    with pytest.raises(BoundsError, match=r"0\.\.10 in dimension 0"):
        StructuredOp([P, P, R], maps, body)(operands[:2], [random(1, 5, 5)])


REDUCTIONS = ["addf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf", "subf"]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("order", ["so_far_first", "so_far_last"])
def test_float_reductions(name: str, order: str) -> None:
    b = BodyBuilder(["f32"], ["f32"])
    pair = (1, 0) if order == "so_far_first" else (0, 1)
    body = b.build(b.op(f"arith.{name}", *pair))
    for x_map, o_map in [((0, 1), (0,)), ((1, 0), (0,)), ((0, 1), (0, None))]:
        sizes = {0: 3, 1: 70, None: 1}
        x, out = random(2, *(sizes[d] for d in x_map)), random(1, *(sizes[d] for d in o_map))
        check([P, R], [indexing_map(*x_map), indexing_map(*o_map)], body, [x], [out])


@pytest.mark.parametrize("name", ["addi", "muli", "maxsi", "minui", "andi", "ori", "xori"])
def test_integer_reductions(name: str) -> None:
    b = BodyBuilder(["i8"], ["i8"])
    body = b.build(b.op(f"arith.{name}", 0, 1))
    x = torch.randint(-128, 127, (2, 4, 6, 5), dtype=torch.int8)
    maps = [indexing_map(0, 1, 2), indexing_map(1)]
    check([R, P, R], maps, body, [x], [x[:, 0, :, 0]], exact=True)


def test_expressions_and_loops_without_operands_are_reduced() -> None:
    """sum over k, r of (x[i, k] - y[i])^2: r changes nothing but the count."""
    b = BodyBuilder(["f32", "f32", "f32"], ["f32"])
    d = b.op("arith.subf", 0, 1)
    body = b.build(b.op("arith.addf", b.op("arith.mulf", d, d), 3))
    maps = [indexing_map(0, 1), indexing_map(0), indexing_map(2), indexing_map(0)]
    operands = [random(1, 3, 9), random(2, 3), random(1, 4), random(1, 3)]
    check([P, R, R], maps, body, operands[:3], operands[3:])


@pytest.mark.parametrize("exchanged", [False, True])
@pytest.mark.parametrize("name", ["addf", "maximumf"])
def test_masked_reduction(name: str, exchanged: bool) -> None:
    """`select(k < valid, so_far OP x, so_far)` counts the valid part only, without a fold."""
    b = BodyBuilder(["f32"], ["f32"])
    predicate = 6 if not exchanged else 9  # ult, uge
    valid = b.op(
        "arith.cmpi",
        b.index(1),
        b.constant(5, "index"),
        result="i1",
        attributes={"predicate": predicate},
    )
    updated = b.op(f"arith.{name}", 1, 0)
    arms = (1, updated) if exchanged else (updated, 1)
    body = b.build(b.op("arith.select", valid, *arms, result="f32"))
    assert match_fold(body, 0) is not None
    check([P, R], [indexing_map(0, 1), indexing_map(0)], body, [random(2, 3, 8)], [random(1, 3)])


def argmax_body() -> Body:
    b = BodyBuilder(["f32"], ["f32", "i64"])
    greater = b.op("arith.cmpf", 0, 1, result="i1", attributes={"predicate": 2})
    here = b.op("arith.index_cast", b.index(1), result="i64")
    return b.build(
        b.op("arith.select", greater, 0, 1, result="f32"),
        b.op("arith.select", greater, here, 2, result="i64"),
    )


def test_argmax_is_folded_in_order() -> None:
    x = torch.tensor([[[1.0, 3.0, 3.0, 2.0], [5.0, 1.0, 0.0, 5.0]]])
    x = torch.cat([x, -x])
    outs = [torch.full((1, 2), -torch.inf), torch.full((1, 2), -1)]
    maps = [indexing_map(0, 1), indexing_map(0), indexing_map(0)]
    best, where = check([P, R], maps, argmax_body(), [x], outs, exact=True)
    assert where.tolist() == [[1, 0], [0, 2]]
    assert best.tolist() == [[3.0, 5.0], [-1.0, 0.0]]


def test_fold_over_two_loops_keeps_their_order() -> None:
    """so_far = so_far * 0.5 + x depends on the order."""
    b = BodyBuilder(["f32"], ["f32"])
    body = b.build(b.op("arith.addf", b.op("arith.mulf", 1, b.constant(0.5, "f32")), 0))
    maps = [indexing_map(1, 0, 2), indexing_map(0)]
    check([P, R, R], maps, body, [random(2, 3, 4, 5)], [random(1, 4)])
    with_index = BodyBuilder(["f32"], ["f32"])
    last = with_index.build(with_index.op("arith.sitofp", with_index.index(1), result="f32"))
    (got,) = check(
        [P, R], [indexing_map(0, 1), indexing_map(0)], last, [random(1, 2, 4)], [random(1, 2)]
    )
    assert got.tolist() == [[3.0, 3.0]]


def test_empty_extents() -> None:
    body = mul_add("f32", "f32", "f32")
    maps = [indexing_map(0, 2), indexing_map(2, 1), indexing_map(0, 1)]
    out = random(1, 3, 4)
    (got,) = StructuredOp([P, P, R], maps, body)([random(2, 3, 0), random(1, 0, 4)], [out])
    assert torch.equal(got.expand(2, 3, 4), out.expand(2, 3, 4))
    # The sum of nothing is the init, whose sign of zero stays.
    (same,) = StructuredOp([P, P, R], maps, body)(
        [random(1, 3, 0), random(1, 0, 4)], [torch.full((1, 3, 4), -0.0)]
    )
    assert bool(torch.signbit(same).all())
    peak = BodyBuilder(["f32"], ["f32"])
    largest = peak.build(peak.op("arith.maximumf", 0, 1))
    pair = [indexing_map(0, 1), indexing_map(0)]
    assert torch.equal(
        StructuredOp([P, R], pair, largest)([random(1, 3, 0)], [out[:, :, 0]])[0], out[:, :, 0]
    )
    assert StructuredOp([P, R], pair, largest)([random(1, 0, 3)], [random(1, 0)])[0].shape == (1, 0)
    values, places = StructuredOp([P, R], [*pair, indexing_map(0)], argmax_body())(
        [random(1, 2, 0)], [out[:, :2, 0], torch.zeros(1, 2, dtype=torch.int64)]
    )
    assert (values.shape, places.tolist()) == ((1, 2), [[0, 0]])


def test_refusals() -> None:
    body = binary("arith.addf", inputs=2)
    refused: list[tuple[Callable[[], object], str]] = [
        (lambda: StructuredOp(["window"], [indexing_map(0)] * 3, body), "window"),
        (lambda: StructuredOp([P, P], [indexing_map(0)] * 3, body), "parallel loop once"),
        (lambda: StructuredOp([P, R], [indexing_map(0)] * 3, body), "extent of loop d1"),
    ]
    for build, message in refused:
        with pytest.raises(UnsupportedError, match=message):
            build()


def test_iota() -> None:
    assert iota(1, (2, 3)).tolist() == [[[0, 1, 2]]]
