"""Ops on whole tensors, with offsets that are the same on all cores and that are not."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import torch
from machine_program import run

from ktir.errors import BoundsError, MachineError
from ktir.machine.frame import Ragged


def index(*values: int) -> torch.Tensor:
    return torch.tensor(values)


CONSTANTS = [
    ("arith.constant 0x7C00 : f16", [math.inf], torch.float16),
    ("arith.constant true", [True], torch.bool),
    ("arith.constant -3 : i8", [-3], torch.int8),
    ("arith.constant 255 : i8", [-1], torch.int8),
    ("arith.constant 7 : index", [7], torch.int64),
    ("arith.constant 1.5 : bf16", [1.5], torch.bfloat16),
    ("arith.constant dense<[1.5, -2.0]> : tensor<2xf16>", [[1.5, -2.0]], torch.float16),
    (
        "arith.constant dense<[1.5, -2.0, 0x7F80]> : tensor<3xbf16>",
        [[1.5, -2.0, math.inf]],
        torch.bfloat16,
    ),
    ("arith.constant dense<1.5> : tensor<2xbf16>", [[1.5, 1.5]], torch.bfloat16),
    ("arith.constant dense<[true, false, true]> : tensor<3xi1>", [[True, False, True]], torch.bool),
    ("arith.constant dense<true> : tensor<2xi1>", [[True, True]], torch.bool),
    ("arith.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>", [[[1, -2], [3, 4]]], torch.int32),
    ("arith.constant dense<[1, 2]> : tensor<2xindex>", [[1, 2]], torch.int64),
    ("arith.constant dense<-7> : tensor<1x2xi64>", [[[-7, -7]]], torch.int64),
    ("arith.constant dense<[]> : tensor<0xf32>", [[]], torch.float32),
    ('arith.constant dense<"0x803F00C0"> : tensor<2xbf16>', [[1.0, -2.0]], torch.bfloat16),
]


@pytest.mark.parametrize(("source", "expected", "dtype"), CONSTANTS)
def test_constants(source: str, expected: list[object], dtype: torch.dtype) -> None:
    result = source.rpartition(" : ")[2] if " : " in source else "i1"
    (got,) = run(f"func.func @f() -> {result} {{ %c = {source} return %c : {result} }}")
    assert got.dtype == dtype
    assert got.tolist() == expected


def test_a_dense_resource() -> None:
    text = """
    func.func @f() -> tensor<3xf32> {
      %c = arith.constant dense_resource<w> : tensor<3xf32>
      return %c : tensor<3xf32>
    }
    {-# dialect_resources: { builtin: { w: "0x040000000000803F0000004000004040" } } #-}
    """
    assert run(text)[0].tolist() == [[1.0, 2.0, 3.0]]


def test_empty_shows_that_it_was_not_written() -> None:
    text = """func.func @f(%n: index) -> (tensor<2xf16>, tensor<?xi32>, tensor<1xi1>) {
      %a = tensor.empty() : tensor<2xf16>
      %b = tensor.empty(%n) : tensor<?xi32>
      %c = tensor.empty() : tensor<1xi1>
      return %a, %b, %c : tensor<2xf16>, tensor<?xi32>, tensor<1xi1>
    }"""
    a, b, c = run(text, index(3))
    assert a.isnan().all()
    assert (b.tolist(), c.tolist()) == ([[-1, -1, -1]], [[True]])


def one(op: str, operands: Sequence[str], result: str) -> str:
    arguments = ", ".join(f"%{chr(97 + i)}: {t}" for i, t in enumerate(operands))
    return f"func.func @f({arguments}) -> {result} {{ %r = {op} return %r : {result} }}"


@pytest.mark.parametrize("cores", [1, 3])
def test_slices_at_one_place(cores: int) -> None:
    x = torch.randn(cores, 6, 8)
    kinds = [
        ("[1, 2] [3, 4] [1, 1]", "tensor<3x4xf32>", x[:, 1:4, 2:6]),
        ("[1, 2] [3, 4] [2, 1]", "tensor<3x4xf32>", x[:, 1:6:2, 2:6]),
        ("[4, 0] [1, 8] [1, 1]", "tensor<8xf32>", x[:, 4]),
        ("[0, 5] [6, 1] [1, 1]", "tensor<6xf32>", x[:, :, 5]),
        ("[0, 5] [1, 1] [1, 1]", "tensor<1xf32>", x[:, 0, 5:6]),
        ("[0, 5] [0, 1] [1, 1]", "tensor<0x1xf32>", x[:, :0, 5:6]),
    ]
    for place, result, expected in kinds:
        text = one(
            f"tensor.extract_slice %a{place} : tensor<6x8xf32> to {result}",
            ["tensor<6x8xf32>"],
            result,
        )
        assert torch.equal(run(text, x)[0], expected)


@pytest.mark.parametrize("cores", [1, 3])
@pytest.mark.parametrize("offsets", [[2], [0, 2, 4]])
def test_slices_at_computed_places(cores: int, offsets: list[int]) -> None:
    x = torch.randn(cores, 6, 8)
    text = one(
        "tensor.extract_slice %a[%b, 1] [2, 3] [1, 2] : tensor<6x8xf32> to tensor<2x3xf32>",
        ["tensor<6x8xf32>", "index"],
        "tensor<2x3xf32>",
    )
    (got,) = run(text, x, index(*offsets), grid=(3,))
    for core in range(3):
        offset = offsets[core % len(offsets)]
        assert torch.equal(got[core % got.shape[0]], x[core % cores, offset : offset + 2, 1:6:2])
    row = one(
        "tensor.extract_slice %a[%b, 0] [1, 8] [1, 1] : tensor<6x8xf32> to tensor<8xf32>",
        ["tensor<6x8xf32>", "index"],
        "tensor<8xf32>",
    )
    (got,) = run(row, x, index(*offsets), grid=(3,))
    for core in range(3):
        assert torch.equal(got[core % got.shape[0]], x[core % cores, offsets[core % len(offsets)]])
    with pytest.raises(
        BoundsError, match=r"offset .* of size 2 .*dimension 0 of a tensor of \[6, 8\]"
    ):
        run(text, x, index(*(o + 1 + offsets[-1] for o in offsets)), grid=(3,))


@pytest.mark.parametrize("part_cores", [1, 3])
@pytest.mark.parametrize("whole_cores", [1, 3])
@pytest.mark.parametrize("offsets", [[2], [0, 2, 4]])
def test_insert_slice(part_cores: int, whole_cores: int, offsets: list[int]) -> None:
    part, whole = torch.randn(part_cores, 8), torch.randn(whole_cores, 6, 8)
    text = one(
        "tensor.insert_slice %a into %b[%c, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<6x8xf32>",
        ["tensor<8xf32>", "tensor<6x8xf32>", "index"],
        "tensor<6x8xf32>",
    )
    before = whole.clone()
    (got,) = run(text, part, whole, index(*offsets), grid=(3,))
    assert torch.equal(whole, before)
    for core in range(3):
        expected = whole[core % whole_cores].clone()
        expected[offsets[core % len(offsets)]] = part[core % part_cores]
        assert torch.equal(got[core % got.shape[0]], expected)


def test_sizes_that_differ_by_core_give_tensors_of_different_shapes() -> None:
    text = one(
        "tensor.extract_slice %a[0] [%b] [1] : tensor<6xf32> to tensor<?xf32>",
        ["tensor<6xf32>", "index"],
        "tensor<?xf32>",
    )
    x = torch.arange(6.0).view(1, 6)
    assert run(text, x, index(2, 2), grid=(2,))[0].tolist() == [[0.0, 1.0]]
    (ragged,) = run(text, x, index(2, 3, 2), grid=(3,))
    assert isinstance(ragged, Ragged)
    assert ragged.shapes == [(2,), (3,), (2,)]
    assert ragged.narrow(torch.tensor([1])).tolist() == [[0.0, 1.0, 2.0]]
    assert ragged.narrow(torch.tensor([2, 0])).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("cores", [1, 2])
def test_single_elements(cores: int) -> None:
    x = torch.arange(6.0 * cores).view(cores, 2, 3)
    text = one(
        "tensor.extract %a[%b, %c] : tensor<2x3xf32>", ["tensor<2x3xf32>", "index", "index"], "f32"
    )
    assert torch.equal(run(text, x, index(1), index(2), grid=(2,))[0], x[:, 1, 2])
    (got,) = run(text, x, index(0, 1), index(2), grid=(2,))
    assert torch.equal(got, x.expand(2, 2, 3)[index(0, 1), index(0, 1), 2])
    with pytest.raises(BoundsError, match=r"index 3 in dimension 1 of a tensor of \[2, 3\]"):
        run(text, x, index(0, 1), index(0, 3), grid=(2,))
    insert = one(
        "tensor.insert %a into %b[%c] : tensor<3xf32>",
        ["f32", "tensor<3xf32>", "index"],
        "tensor<3xf32>",
    )
    zeros = torch.zeros(1, 3)
    (got,) = run(insert, torch.tensor([5.0]), zeros, index(0, 2), grid=(2,))
    assert got.tolist() == [[5, 0, 0], [0, 0, 5]]
    (got,) = run(insert, torch.tensor([5.0, 6.0]), zeros, index(1), grid=(2,))
    assert got.tolist() == [[0, 5, 0], [0, 6, 0]]
    assert not zeros.any()


def test_shapes() -> None:
    x = torch.arange(12.0).view(1, 3, 4)
    cases = [
        (
            "tensor.collapse_shape %a [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>",
            "tensor<12xf32>",
            (12,),
        ),
        (
            "tensor.expand_shape %a [[0], [1, 2]] output_shape [3, 2, 2]"
            " : tensor<3x4xf32> into tensor<3x2x2xf32>",
            "tensor<3x2x2xf32>",
            (3, 2, 2),
        ),
        ("tensor.cast %a : tensor<3x4xf32> to tensor<?x4xf32>", "tensor<?x4xf32>", (3, 4)),
    ]
    for op, result, shape in cases:
        assert torch.equal(run(one(op, ["tensor<3x4xf32>"], result), x)[0], x.view(1, *shape))
    reshape = """func.func @f(%x: tensor<3x4xf32>) -> tensor<2x6xf32> {
      %s = arith.constant dense<[2, 6]> : tensor<2xindex>
      %r = tensor.reshape %x(%s) : (tensor<3x4xf32>, tensor<2xindex>) -> tensor<2x6xf32>
      return %r : tensor<2x6xf32>
    }"""
    assert torch.equal(run(reshape, x)[0], x.view(1, 2, 6))


def test_dynamic_shapes() -> None:
    text = """func.func @f(%x: tensor<?x4xf32>, %s: tensor<2xi32>) -> (tensor<?xf32>,
    tensor<?x?xf32>, index) {
      %zero = arith.constant 0 : index
      %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
      %r = tensor.reshape %x(%s) : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x?xf32>
      %d = tensor.dim %x, %zero : tensor<?x4xf32>
      return %c, %r, %d : tensor<?xf32>, tensor<?x?xf32>, index
    }"""
    x = torch.arange(12.0).view(1, 3, 4)
    flat, other, size = run(text, x, torch.tensor([[6, 2]], dtype=torch.int32))
    assert torch.equal(flat, x.view(1, 12))
    assert torch.equal(other, x.view(1, 6, 2))
    assert size.tolist() == [3]
    with pytest.raises(MachineError, match=r"a tensor of \[3, 4\] is reshaped to \[5, 2\]"):
        run(text, x, torch.tensor([[5, 2]], dtype=torch.int32))
    cast = one(
        "tensor.cast %a : tensor<?xf32> to tensor<4xf32>", ["tensor<?xf32>"], "tensor<4xf32>"
    )
    with pytest.raises(MachineError, match=r"a tensor of \[3\] is cast to 4"):
        run(cast, torch.zeros(1, 3))


def test_building() -> None:
    text = """func.func @f(%a: f32, %b: f32, %n: index, %x: tensor<2x2xf32>)
        -> (tensor<2x1xf32>, tensor<?x2xf32>, tensor<2x5xf32>, tensor<3x?xindex>, tensor<4x3xf32>) {
      %e = tensor.from_elements %a, %b : tensor<2x1xf32>
      %s = tensor.splat %a[%n] : tensor<?x2xf32>
      %c = tensor.concat dim(1) %x, %e, %x : (tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x2xf32>) ->
      tensor<2x5xf32> %g = tensor.generate %n {
      ^bb0(%i: index, %j: index):
        %k = arith.muli %i, %n : index
        %m = arith.addi %k, %j : index
        tensor.yield %m : index
      } : tensor<3x?xindex>
      %p = tensor.pad %x low[1, 0] high[1, 1] {
      ^bb0(%i: index, %j: index):
        tensor.yield %b : f32
      } : tensor<2x2xf32> to tensor<4x3xf32>
      return %e, %s, %c, %g, %p :
        tensor<2x1xf32>, tensor<?x2xf32>, tensor<2x5xf32>, tensor<3x?xindex>, tensor<4x3xf32>
    }"""
    a, b = torch.tensor([1.0]), torch.tensor([2.0, 3.0])
    x = torch.arange(4.0).view(1, 2, 2)
    elements, splat, joined, generated, padded = run(text, a, b, index(4), x, grid=(2,))
    assert elements.tolist() == [[[1.0], [2.0]], [[1.0], [3.0]]]
    assert torch.equal(splat, torch.ones(1, 4, 2))
    assert torch.equal(joined, torch.cat([x.expand(2, 2, 2), elements, x.expand(2, 2, 2)], 2))
    assert torch.equal(generated, torch.arange(12).view(1, 3, 4))
    for core in range(2):
        expected = torch.nn.functional.pad(x[0], (0, 1, 1, 1), value=b[core].item())
        assert torch.equal(padded[core], expected)


def test_affine_arithmetic() -> None:
    text = """func.func @f(%i: index, %n: index) -> (index, index, index, index, index, index) {
      %a = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 floordiv 2)>(%i)[%n]
      %b = affine.min affine_map<(d0)[s0] -> (4, s0 - d0)>(%i)[%n]
      %c = affine.max affine_map<(d0) -> (d0 mod 3, 1)>(%i)
      %d = affine.linearize_index [%i, %n] by (10, 20) : index
      %e:2 = affine.delinearize_index %n into (4) : index, index
      return %a, %b, %c, %d, %e#0, %e#1 : index, index, index, index, index, index
    }"""
    text = text.replace("into (4)", "into (2, 4)")
    got = run(text, index(2, 5), index(7), grid=(2,))
    expected = [[9, 18], [4, 2], [2, 2], [47, 107], [1], [3]]
    assert [g.tolist() for g in got] == expected


def test_scalar_select_between_tensors() -> None:
    text = one(
        "arith.select %a, %b, %c : tensor<2xf32>",
        ["i1", "tensor<2xf32>", "tensor<2xf32>"],
        "tensor<2xf32>",
    )
    x, y = torch.ones(1, 2), torch.zeros(1, 2)
    assert run(text, torch.tensor([True, False]), x, y, grid=(2,))[0].tolist() == [[1, 1], [0, 0]]


def test_a_slice_by_core_that_drops_a_later_dimension() -> None:
    text = one(
        "tensor.extract_slice %a[%b, 1, 2] [2, 3, 1] [1, 1, 1]"
        " : tensor<6x4x5xf32> to tensor<2x3xf32>",
        ["tensor<6x4x5xf32>", "index"],
        "tensor<2x3xf32>",
    )
    x = torch.randn(1, 6, 4, 5)
    (got,) = run(text, x, index(0, 4, 1), grid=(3,))
    for core, offset in enumerate((0, 4, 1)):
        assert torch.equal(got[core], x[0, offset : offset + 2, 1:4, 2])
