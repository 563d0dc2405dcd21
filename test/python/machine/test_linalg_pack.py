"""Tensors cut into inner tiles and put together again; the ops of `index` that are no table's."""

from __future__ import annotations

import pytest
import torch
from machine_program import run

from ktir.errors import MachineError

PACK = """
func.func @f(%x: tensor<5x7xf32>, %p: f32, %d: tensor<OUTERxINNERxf32>) -> tensor<OUTERxINNERxf32> {
  %r = linalg.pack %x PADDING ORDER inner_dims_pos = DIMS inner_tiles = TILES into %d
      : tensor<5x7xf32> -> tensor<OUTERxINNERxf32>
  return %r : tensor<OUTERxINNERxf32>
}
"""
UNPACK = """
func.func @f(%x: tensor<OUTERxINNERxf32>, %d: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %r = linalg.unpack %x ORDER inner_dims_pos = DIMS inner_tiles = TILES into %d
      : tensor<OUTERxINNERxf32> -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}
"""


def case(outer: str, inner: str, dims: str, tiles: str, order: str = "") -> dict[str, str]:
    return {"OUTER": outer, "INNER": inner, "DIMS": dims, "TILES": tiles, "ORDER": order}


BOTH = case("2x2", "3x4", "[0, 1]", "[3, 4]")
CASES = [
    BOTH,
    case("2x2", "4x3", "[1, 0]", "[4, 3]", "outer_dims_perm = [1, 0]"),
    case("5x2", "4", "[1]", "[4]"),
]


def text(source: str, tiling: dict[str, str], padding: str = "padding_value(%p : f32)") -> str:
    for word, value in {**tiling, "PADDING": padding}.items():
        source = source.replace(word, value)
    return source


def packed(x: torch.Tensor, tiling: dict[str, str], value: float) -> torch.Tensor:
    """What one core's tensor becomes, element by element."""
    outer = [int(n) for n in tiling["OUTER"].split("x")]
    dims, tiles = (
        [int(n) for n in tiling[word].strip("[]").split(",")] for word in ("DIMS", "TILES")
    )
    order = [1, 0] if tiling["ORDER"] else [0, 1]
    result = torch.full((*outer, *tiles), value)
    for place in torch.cartesian_prod(*(torch.arange(n) for n in result.shape)).tolist():
        at = [0, 0]
        for position, dim in enumerate(order):
            at[dim] = place[position]
        for number, (dim, tile) in enumerate(zip(dims, tiles, strict=True)):
            at[dim] = at[dim] * tile + place[2 + number]
        if at[0] < 5 and at[1] < 7:
            result[tuple(place)] = x[tuple(at)]
    return result


@pytest.mark.parametrize("tiling", CASES)
@pytest.mark.parametrize("cores", [1, 3])
def test_pack_and_unpack(tiling: dict[str, str], cores: int) -> None:
    x = torch.arange(35.0 * cores).view(cores, 5, 7)
    shape = [int(n) for n in f"{tiling['OUTER']}x{tiling['INNER']}".split("x")]
    (tiles,) = run(
        text(PACK, tiling), x, torch.tensor([-1.0]), torch.zeros(1, *shape), grid=(cores,)
    )
    assert torch.equal(tiles, torch.stack([packed(own, tiling, -1.0) for own in x]))
    (back,) = run(text(UNPACK, tiling), tiles, torch.zeros(1, 5, 7), grid=(cores,))
    assert torch.equal(back, x)


def test_padding_is_needed() -> None:
    one = case("1x1", "5x7", "[0, 1]", "[5, 7]")
    x = torch.arange(35.0).view(1, 5, 7)
    whole = torch.zeros(1, 1, 1, 5, 7)
    (tiles,) = run(text(PACK, one, ""), x, torch.tensor([0.0]), whole)
    assert torch.equal(tiles.view(1, 5, 7), x)
    unpadded = text(PACK, BOTH, "").replace("tensor<5x7xf32>", "tensor<?x?xf32>")
    unpadded = unpadded.replace("2x2x3x4", "?x?x3x4")
    with pytest.raises(MachineError, match=r"\[5, 7\] is cut into tiles of \[3, 4\] without"):
        run(unpadded, x, torch.tensor([0.0]), torch.zeros(1, 2, 2, 3, 4))


def test_comparisons_of_indices() -> None:
    for predicate, expected in (
        ("slt", [True, False]),
        ("ult", [False, False]),
        ("ne", [True, False]),
    ):
        source = (
            "func.func @f(%a: index, %b: index) -> i1 {\n"
            f"%r = index.cmp {predicate}(%a, %b)\nreturn %r : i1 }}"
        )
        (found,) = run(source, torch.tensor([-1, 3]), torch.tensor([2, 3]), grid=(2,))
        assert found.tolist() == expected


def test_constants_of_index() -> None:
    source = (
        "func.func @f() -> (i1, index) {\n%t = index.bool.constant true\n%n = index.sizeof\n"
        "return %t, %n : i1, index }"
    )
    truth, bits = run(source)
    assert truth.tolist() == [True]
    assert bits.tolist() == [64]
