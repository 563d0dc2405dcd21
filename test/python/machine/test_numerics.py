"""Reductions and matrix products: right, and bit-equal for all cuts, padding and threads."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from ktir.errors import UnsupportedError
from ktir.machine.numerics import Kind, dtype_of, matmul, neutral, poison, reduce_tree

FLOAT_KINDS = [Kind.ADDF, Kind.MULF, Kind.MAXIMUMF, Kind.MINIMUMF, Kind.MAXNUMF, Kind.MINNUMF]
INT_KINDS = [kind for kind in Kind if kind not in FLOAT_KINDS]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def random(shape: tuple[int, ...], dtype: torch.dtype, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def same(a: Tensor, b: Tensor) -> bool:
    if not a.dtype.is_floating_point:
        return torch.equal(a, b)
    both_nan = a.isnan() & b.isnan()
    return a.shape == b.shape and bool((both_nan | ((a == b) & (a.signbit() == b.signbit()))).all())


def test_types() -> None:
    assert dtype_of("index") is torch.int64
    assert dtype_of("ui16") is torch.int16
    assert dtype_of("i1") is torch.bool
    with pytest.raises(UnsupportedError, match="i5"):
        dtype_of("i5")
    assert math.isnan(poison(torch.float16))
    assert (poison(torch.int32), poison(torch.bool)) == (-1, True)


@pytest.mark.parametrize("kind", FLOAT_KINDS)
@pytest.mark.parametrize("dtype", FLOATS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_reduction_bits_depend_on_the_row_only(
    kind: Kind, dtype: torch.dtype, data: st.DataObject
) -> None:
    """Cutting rows, striding, transposing, threads and neutral padding leave every bit alone."""
    rows, size = data.draw(st.integers(1, 40)), data.draw(st.integers(0, 300))
    x = random((rows, size), dtype, 1) + (1.0 if kind is Kind.MULF else 0.0)
    torch.set_num_threads(2)
    whole = reduce_tree(x, kind, [1])
    torch.set_num_threads(data.draw(st.sampled_from([1, 2])))
    begin = data.draw(st.integers(0, rows - 1))
    end = data.draw(st.integers(begin + 1, rows))
    assert same(reduce_tree(x[begin:end], kind, [1]), whole[begin:end])
    padding = data.draw(st.integers(0, 200))
    padded = torch.nn.functional.pad(x, (0, padding), value=neutral(kind, dtype))
    assert same(reduce_tree(padded, kind, [1]), whole)
    columns = x.t().contiguous()
    assert same(reduce_tree(columns, kind, [0]), whole)
    assert same(reduce_tree(x.view(1, rows, 1, size), kind, [2, 3]), whole.view(1, rows))


@pytest.mark.parametrize("kind", [Kind.MAXIMUMF, Kind.MINIMUMF, Kind.MAXNUMF, Kind.MINNUMF])
@pytest.mark.parametrize("dtype", FLOATS)
@settings(max_examples=40, deadline=None)
@given(
    values=st.lists(
        st.sampled_from([0.0, -0.0, 1.0, -1.0, math.nan, math.inf, -math.inf]), min_size=1
    ),
    seed=st.integers(0, 99),
)
def test_extremes_ignore_order(
    kind: Kind, dtype: torch.dtype, values: list[float], seed: int
) -> None:
    """+0 is above -0, and NaN wins or loses wherever it stands."""
    x = torch.tensor(values, dtype=dtype)
    shuffled = x[torch.randperm(len(values), generator=torch.Generator().manual_seed(seed))]
    got = reduce_tree(x.view(1, -1), kind, [1])
    assert same(reduce_tree(shuffled.view(1, -1), kind, [1]), got)
    numbers = [v for v in values if not math.isnan(v)]
    ignoring = kind in (Kind.MAXNUMF, Kind.MINNUMF)
    if len(numbers) < len(values) and not (ignoring and numbers):
        assert got.isnan().item()
        return
    pick = max if kind in (Kind.MAXIMUMF, Kind.MAXNUMF) else min
    best = pick(numbers, key=lambda v: (v, math.copysign(1, v)))
    assert same(got, torch.tensor([best], dtype=dtype))


def test_sums_are_close_to_exact() -> None:
    x = random((3, 5000), torch.float16, 3)
    exact = torch.tensor([math.fsum(row) for row in x.double().tolist()])
    torch.testing.assert_close(
        reduce_tree(x, Kind.ADDF, [1]).double(), exact.double(), rtol=1e-3, atol=1e-3
    )


@pytest.mark.parametrize("kind", INT_KINDS)
@pytest.mark.parametrize("type_text", ["i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("size", [0, 1, 5, 130])
def test_integer_reductions(kind: Kind, type_text: str, size: int) -> None:
    dtype = dtype_of(type_text)
    limits = torch.iinfo(dtype)
    generator = torch.Generator().manual_seed(size)
    x = torch.randint(limits.min, limits.max, (3, size), generator=generator, dtype=dtype)
    got = reduce_tree(x, kind, [1])
    assert got.dtype == dtype
    assert got.tolist() == [fold(kind, row, limits.bits) for row in x.tolist()]


def fold(kind: Kind, row: list[int], bits: int) -> int:
    mask = (1 << bits) - 1
    combines: dict[Kind, Callable[[int, int], int]] = {
        Kind.ADDI: lambda a, b: a + b,
        Kind.MULI: lambda a, b: a * b,
        Kind.MAXSI: max,
        Kind.MINSI: min,
        Kind.MAXUI: lambda a, b: max(a & mask, b & mask),
        Kind.MINUI: lambda a, b: min(a & mask, b & mask),
        Kind.ANDI: lambda a, b: a & b,
        Kind.ORI: lambda a, b: a | b,
        Kind.XORI: lambda a, b: a ^ b,
    }
    combine = combines[kind]
    total = int(
        neutral(kind, {8: torch.int8, 16: torch.int16, 32: torch.int32, 64: torch.int64}[bits])
    )
    for value in row:
        total = combine(total, value) & mask
        total = total - (1 << bits) if total >> (bits - 1) else total
    return total


@pytest.mark.parametrize("kind", INT_KINDS)
@pytest.mark.parametrize("row", [[], [True], [False], [True, True], [True, False, True, True]])
def test_i1_reductions(kind: Kind, row: list[bool]) -> None:
    got = reduce_tree(torch.tensor([row], dtype=torch.bool), kind, [1])
    signed = {Kind.MAXSI: all, Kind.MINSI: any, Kind.MAXUI: any, Kind.MINUI: all, Kind.MULI: all}
    rest = {Kind.ANDI: all, Kind.ORI: any}
    odd = sum(row) % 2 == 1
    expected = {**signed, **rest}[kind](row) if kind in {**signed, **rest} else odd
    assert got.tolist() == [expected]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_matmul_bits_do_not_depend_on_cuts(dtype: torch.dtype, data: st.DataObject) -> None:
    """Rows, columns, batches, cores, strides and threads: the same bits as one whole product."""
    m, n, k = (
        data.draw(st.sampled_from(sizes))
        for sizes in ([1, 5, 40, 130], [1, 7, 33, 64, 129, 384], [1, 2, 3, 9, 64, 384, 1000])
    )
    a, w = random((1, 1, m, k), dtype, m), random((n, k), dtype, n)
    b = w.t().expand(1, 1, k, n)
    torch.set_num_threads(2)
    whole = matmul(a, b, dtype)
    torch.set_num_threads(data.draw(st.sampled_from([1, 2])))
    r0 = data.draw(st.integers(0, m - 1))
    r1 = data.draw(st.integers(r0 + 1, m))
    c0 = data.draw(st.integers(0, n - 1))
    c1 = data.draw(st.integers(c0 + 1, n))
    part = b[..., c0:c1].contiguous() if data.draw(st.booleans()) else b[..., c0:c1]
    assert torch.equal(matmul(a[:, :, r0:r1], part, dtype), whole[:, :, r0:r1, c0:c1])
    cores = data.draw(st.sampled_from([1, 3]))
    stacked = torch.cat([a.roll(i, 2) for i in range(cores)])
    for shared in (b, b.expand(cores, 1, k, n).contiguous()):
        got = matmul(stacked, shared, dtype)
        for i in range(cores):
            assert torch.equal(got[i], whole[0].roll(i, 1))
    columns = torch.cat([b.roll(i, 3) for i in range(cores)])
    got = matmul(a, columns, dtype)
    for i in range(cores):
        assert torch.equal(got[i], whole[0].roll(i, 2))


@pytest.mark.parametrize(("ca", "cb"), [(1, 1), (3, 1), (1, 3), (3, 3)])
@pytest.mark.parametrize("batch", [1, 4])
def test_batched_matmul_equals_single_products(ca: int, cb: int, batch: int) -> None:
    a, b = (
        random((ca, batch, 9, 70), torch.float32, 1),
        random((cb, batch, 70, 20), torch.float32, 2),
    )
    got = matmul(a, b, torch.float32)
    assert got.shape == (max(ca, cb), batch, 9, 20)
    for c in range(max(ca, cb)):
        for s in range(batch):
            one = matmul(a[c % ca, s][None, None], b[c % cb, s][None, None], torch.float32)
            assert torch.equal(got[c, s], one[0, 0])
    exact = a.double() @ b.double()
    torch.testing.assert_close(got.double(), exact, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.int64])
@pytest.mark.parametrize("out", [torch.int8, torch.int32, torch.int64])
def test_integer_matmul_is_exact(dtype: torch.dtype, out: torch.dtype) -> None:
    limits = torch.iinfo(dtype)
    generator = torch.Generator().manual_seed(5)
    a = torch.randint(limits.min, limits.max, (1, 2, 5, 70), generator=generator, dtype=dtype)
    b = torch.randint(limits.min, limits.max, (3, 2, 70, 4), generator=generator, dtype=dtype)
    exact = a.numpy().astype(object) @ b.numpy().astype(object)
    bits = torch.iinfo(out).bits
    wrapped = np.vectorize(
        lambda v: (v + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1)), otypes=[object]
    )
    assert matmul(a, b, out).tolist() == wrapped(exact).tolist()


def test_empty_products() -> None:
    a, b = torch.zeros(2, 1, 3, 0), torch.zeros(1, 1, 0, 4)
    assert torch.equal(matmul(a, b, torch.float16), torch.zeros(2, 1, 3, 4, dtype=torch.float16))
    assert matmul(torch.zeros(1, 0, 3, 2), torch.zeros(1, 0, 2, 4), torch.float32).shape == (
        1,
        0,
        3,
        4,
    )
