"""Integer sets and order maps against brute force."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
import torch

from ktir.errors import UnsupportedError
from ktir.machine.affine import decode_map
from ktir.machine.sets import Axis, decode_set, sort_points
from ktir.mlir import ir


def points_of(text: str, symbols: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    with ir.Context():
        bound = decode_set(ir.Attribute.parse(text)).bind(symbols)
        return [tuple(point) for point in bound.points().tolist()]


def brute(rank: int, inside: Callable[..., bool]) -> list[tuple[int, ...]]:
    return [p for p in itertools.product(range(-12, 40), repeat=rank) if inside(*p)]


@pytest.mark.parametrize(
    ("text", "symbols", "inside"),
    [
        ("(d0) : (d0 >= 0, -d0 + 7 >= 0)", (), lambda d: 0 <= d <= 7),
        ("(d0) : (d0 - 3 == 0)", (), lambda d: d == 3),
        ("(d0) : (2 * d0 - 3 == 0)", (), lambda d: False),
        ("(d0) : (-d0 + 0 >= 0, d0 >= 0)", (), lambda d: d == 0),
        ("(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)", (5,), lambda d: 0 <= d < 5),
        ("(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)", (0,), lambda d: False),
        ("(d0)[s0, s1] : (d0 - s0 >= 0, -d0 + s0 * 2 + s1 >= 0)", (3, 4), lambda d: 3 <= d <= 10),
        (
            "(d0) : (d0 >= 0, -d0 + 20 >= 0, d0 mod 3 - 1 == 0)",
            (),
            lambda d: 0 <= d <= 20 and d % 3 == 1,
        ),
        (
            "(d0) : (d0 + 9 >= 0, -d0 >= 0, d0 mod 4 == 0)",
            (),
            lambda d: -9 <= d <= 0 and d % 4 == 0,
        ),
        ("(d0) : (d0 >= 0, -d0 + 20 >= 0, d0 floordiv 4 - 2 >= 0)", (), lambda d: 8 <= d <= 20),
        ("(d0) : (d0 >= 0, -d0 + 20 >= 0, d0 ceildiv 4 - 2 == 0)", (), lambda d: 5 <= d <= 8),
        (
            "(d0, d1) : (d0 >= 0, -d0 + 6 >= 0, d1 >= 0, d0 - d1 >= 0)",
            (),
            lambda a, b: 0 <= b <= a <= 6,
        ),
        (
            "(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 - d0 >= 0, -d1 + d0 + 2 >= 0)",
            (),
            lambda a, b: 0 <= a <= 3 and a <= b <= a + 2,
        ),
        (
            "(d0, d1) : (d0 - d1 * 2 == 0, d1 >= 0, -d1 + 4 >= 0)",
            (),
            lambda a, b: a == 2 * b and 0 <= b <= 4,
        ),
        ("(d0)[s0] : (d0 * s0 - 6 >= 0, -d0 + 9 >= 0)", (2,), lambda d: 3 <= d <= 9),
        (
            "(i)[g] : ((i - g) mod 2 == 0, i - g >= 0, -i + g + 30 >= 0)",
            (1,),
            lambda i: i % 2 == 1 and 1 <= i <= 31,
        ),
    ],
)
def test_points(text: str, symbols: tuple[int, ...], inside: Callable[..., bool]) -> None:
    rank = text.split(")")[0].count(",") + 1
    assert points_of(f"affine_set<{text}>", symbols) == brute(rank, inside)


def test_axes_of_boxes_strides_and_neither() -> None:
    with ir.Context():
        box = decode_set(
            ir.Attribute.parse("affine_set<(d0, d1) : (d0 - 2 >= 0, -d0 + 5 >= 0, d1 == 0)>")
        ).bind()
        strided = decode_set(
            ir.Attribute.parse("affine_set<(d0) : (d0 - 1 >= 0, -d0 + 9 >= 0, d0 mod 2 == 0)>")
        ).bind()
        triangle = decode_set(
            ir.Attribute.parse(
                "affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, d0 - d1 >= 0)>"
            )
        ).bind()
    assert box.is_box
    assert box.axes == (Axis(2, 1, 4), Axis(0, 1, 1))
    assert not strided.is_box
    assert strided.axes == (Axis(2, 2, 4),)
    assert triangle.axes is None


def test_contains_broadcasts() -> None:
    with ir.Context():
        bound = decode_set(
            ir.Attribute.parse("affine_set<(d0, d1)[s0] : (d0 >= 0, d1 - d0 >= 0, -d1 + s0 >= 0)>")
        ).bind((2,))
    inside = bound.contains([torch.arange(3)[:, None], torch.arange(4)[None]])
    assert inside.tolist() == [
        [True, True, True, False],
        [False, True, True, False],
        [False, False, True, False],
    ]


def test_set_without_a_bound_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="d0 is not bounded"):
        points_of("affine_set<(d0) : (d0 >= 0)>")


def test_rank_zero() -> None:
    assert points_of("affine_set<() : (0 == 0)>") == [()]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("(d0, d1) -> (d0, d1)", [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]),
        ("(d0, d1) -> (d1, d0)", [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]),
        ("(d0, d1) -> (-d0, d1)", [(2, 0), (2, 1), (1, 0), (1, 1), (0, 0), (0, 1)]),
        ("(d0, d1) -> (d0 mod 2, d0, d1)", [(0, 0), (0, 1), (2, 0), (2, 1), (1, 0), (1, 1)]),
        ("(d0, d1) -> (d1)", [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]),
        ("(d0, d1) -> (0)", [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]),
    ],
)
def test_order_is_lexicographic_in_the_results(order: str, expected: list[tuple[int, int]]) -> None:
    with ir.Context():
        decoded = decode_map(ir.Attribute.parse(f"affine_map<{order}>"))
    points = torch.tensor(list(itertools.product(range(3), range(2))))
    assert [tuple(point) for point in sort_points(points, decoded).tolist()] == expected
