"""Tensors in tiles, constants beside the text, and floats of 8 bits: both levels beside numpy or
torch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from sdf_kernels import half, tile, view
from test_lower_to_sdf import assert_same_at_both_levels, lower

from ktir.machine.kernel import run
from ktir.machine.source_names import argument_names
from ktir.mlir import ir

EIGHT = {
    "f8E4M3FN": torch.float8_e4m3fn,
    "f8E5M2": torch.float8_e5m2,
    "f8E4M3FNUZ": torch.float8_e4m3fnuz,
    "f8E5M2FNUZ": torch.float8_e5m2fnuz,
}


def moved(body: str, shape: tuple[int, ...], result: tuple[int, ...], element: str = "f16") -> str:
    """A kernel with %a of `shape`, which stores %r of `result`; the tensors' types are A and R."""
    a, r = ("x".join(map(str, sizes)) + f"x{element}" for sizes in (shape, result))
    zeros = [", ".join(["0"] * len(sizes)) for sizes in (shape, result)]
    text = view("xv", "x", shape, element) + tile("xt", "xv", zeros[0], a, shape)
    text += view("yv", "y", result, element) + tile("yt", "yv", zeros[1], r, result)
    at, to = (f"{'x'.join(map(str, sizes))}xindex" for sizes in (shape, result))
    text += f"%a = ktdp.load %xt : <{at}> -> tensor<{a}>\n"
    text += body.replace("A", f"tensor<{a}>").replace("R", f"tensor<{r}>")
    text += f"ktdp.store %r, %yt : tensor<{r}>, <{to}>\n"
    head = "func.func @kernel(%x: index, %y: index) attributes {grid = [1]} {\n"
    return f"{head}{text}return\n}}\n"


def result(text: str, x: torch.Tensor) -> torch.Tensor:
    """What both levels leave in y, of the shape and type of x."""
    module, names = ir.Module.parse(text, ir.Context()).operation, argument_names(text)
    arguments = {"x": x, "y": torch.zeros_like(x)}
    one, other = (
        torch.as_tensor(left.arrays["y"])
        for left in (
            run(module, None, arguments, names=names),
            run(module, None, arguments, names=names, level="sdf", lower=lower),
        )
    )
    assert torch.equal(one.view(torch.uint8), other.view(torch.uint8))
    return one


Pack = tuple[tuple[int, int], list[int], list[int], float | None, list[int]]

PACKS: dict[str, Pack] = {
    "whole tiles": ((8, 12), [0, 1], [4, 3], None, [0, 1]),
    "one dimension": ((7, 12), [1], [4], None, [0, 1]),
    "tiles that are not filled": ((7, 10), [0, 1], [4, 3], 1.5, [0, 1]),
    "other orders": ((7, 10), [1, 0], [4, 3], 0.0, [1, 0]),
}


@pytest.mark.parametrize("name", PACKS)
def test_packs_and_unpacks(name: str) -> None:
    shape, dims, tiles, padding, order = PACKS[name]
    pad = {dim: -shape[dim] % size for dim, size in zip(dims, tiles, strict=True)}
    x = half(*shape).numpy()
    wide = np.pad(x, [(0, pad.get(d, 0)) for d in range(2)], constant_values=padding or 0)
    places: list[int] = []
    split: list[int] = []
    for dim, size in enumerate(wide.shape):
        places.append(len(split))
        split += [size // tiles[dims.index(dim)], tiles[dims.index(dim)]] if dim in dims else [size]
    axes = [places[dim] for dim in order] + [places[dim] + 1 for dim in dims]
    packed = wide.reshape(split).transpose(axes)
    how = f"outer_dims_perm = {order} inner_dims_pos = {dims} inner_tiles = {tiles}"
    value = "" if padding is None else "padding_value(%p : f16) "
    body = f"%p = arith.constant {padding or 0.0} : f16\n%e = tensor.empty() : R\n"
    body += f"%r = linalg.pack %a {value}{how} into %e : A -> R\n"
    left = assert_same_at_both_levels(
        moved(body, shape, packed.shape), {"x": half(*shape), "y": torch.zeros(packed.shape).half()}
    )
    assert np.array_equal(np.asarray(left["y"]), packed)
    body = f"%e = tensor.empty() : R\n%r = linalg.unpack %a {how} into %e : A -> R\n"
    left = assert_same_at_both_levels(
        moved(body, packed.shape, shape),
        {"x": torch.from_numpy(packed.copy()), "y": torch.zeros(shape).half()},
    )
    assert np.array_equal(np.asarray(left["y"]), x)


def test_a_product_of_tiles() -> None:
    body = (
        "%z = arith.constant dense<0.0> : tensor<3x2x4x4xf32>\n"
        "%e = tensor.empty() : tensor<3x2x4x8xf16>\n%f = tensor.empty() : tensor<2x2x4x8xf16>\n"
        "%l = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %e : "
        "A -> tensor<3x2x4x8xf16>\n"
        "%s = tensor.extract_slice %a[0, 0] [8, 16] [1, 1] : A to tensor<8x16xf16>\n"
        "%q = linalg.pack %s inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %f : "
        "tensor<8x16xf16> -> tensor<2x2x4x8xf16>\n"
        "%m = linalg.mmt4d ins(%l, %q : tensor<3x2x4x8xf16>, tensor<2x2x4x8xf16>) "
        "outs(%z : tensor<3x2x4x4xf32>) -> tensor<3x2x4x4xf32>\n"
        "%h = arith.truncf %m : tensor<3x2x4x4xf32> to tensor<3x2x4x4xf16>\n"
        "%g = tensor.empty() : R\n"
        "%r = linalg.unpack %h inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %g : "
        "tensor<3x2x4x4xf16> -> R\n"
    )
    arguments = {"x": half(12, 16), "y": torch.zeros(12, 8).half()}
    left = assert_same_at_both_levels(moved(body, (12, 16), (12, 8)), arguments)
    x = half(12, 16).float()
    assert np.allclose(np.asarray(left["y"]), (x @ x[:8].T).numpy(), rtol=2e-3, atol=5e-3)


@pytest.mark.parametrize("element", ["f16", "bf16", "i1", *EIGHT])
def test_constants_beside_the_text(element: str) -> None:
    dtype = {**EIGHT, "f16": torch.float16, "bf16": torch.bfloat16, "i1": torch.bool}[element]
    wanted = torch.tensor([[1, 0, 3], [0, 5, 6]]).to(dtype)
    data = bytes(wanted.reshape(-1).view(torch.uint8).tolist()).hex()
    body = "%r = arith.constant dense_resource<held> : R\n"
    text = moved(body, (2, 3), (2, 3), element)
    text += '{-# dialect_resources: { builtin: { held: "0x04000000' + data + '" } } #-}\n'
    assert torch.equal(result(text, torch.zeros_like(wanted)).float(), wanted.float())


BODIES: dict[str, tuple[str, Callable[[torch.Tensor], torch.Tensor]]] = {
    "sum": ("%r = arith.addf %a, %a : A\n", lambda x: x + x),
    "negative": ("%r = arith.negf %a : A\n", lambda x: -x),
    "greatest": (
        "%z = arith.constant dense<0.5> : A\n%r = arith.maximumf %a, %z : A\n",
        lambda x: torch.clamp(x, min=0.5),
    ),
    "choice": (
        "%z = arith.constant dense<[[1.0, 2.0, 3.0], [-4.0, 0.5, 0.0]]> : A\n"
        "%c = arith.cmpf olt, %a, %z : A\n"
        "%r = arith.select %c, %a, %z : tensor<2x3xi1>, A\n",
        lambda x: torch.minimum(x, torch.tensor([[1.0, 2.0, 3.0], [-4.0, 0.5, 0.0]])),
    ),
    "root of a wider float": (
        "%w = arith.extf %a : A to tensor<2x3xf32>\n%s = arith.mulf %w, %w : tensor<2x3xf32>\n"
        "%q = math.sqrt %s : tensor<2x3xf32>\n%r = arith.truncf %q : tensor<2x3xf32> to A\n",
        torch.abs,
    ),
}  # fmt: skip


@pytest.mark.parametrize("element", EIGHT)
@pytest.mark.parametrize("name", BODIES)
def test_floats_of_8_bits(name: str, element: str) -> None:
    """Computed with in f32 and rounded once."""
    body, means = BODIES[name]
    x = torch.tensor([[1.5, -2.0, 0.0625], [3.0, -0.5, 12.0]]).to(EIGHT[element])
    text = moved(body, (2, 3), (2, 3), element)
    wanted = means(x.float()).to(EIGHT[element])
    assert torch.equal(result(text, x).view(torch.uint8), wanted.view(torch.uint8))
