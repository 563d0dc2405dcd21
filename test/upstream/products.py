"""`linalg`: products and windows.

What a product or a window must give is an einsum over letters, see `Product`; the accumulator that
`outs` brings is never zero.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .case import DTYPES, Case, Data, kernel
from .samples import whole, wide

_SIZES = {letter: 2 + i % 3 for i, letter in enumerate(string.ascii_lowercase)} | {
    "n": 1, "m": 3, "k": 5, "y": 3, "x": 2, "z": 2, "h": 2, "w": 3, "d": 1, "c": 3, "f": 2, "g": 2,
}  # fmt: skip
"""The extent of the loop that a letter stands for."""

_WINDOWS = {"Y": ("y", "h"), "X": ("x", "w"), "Z": ("z", "d")}
"""Capital letters: a coordinate of the input, position * stride + offset * dilation."""


@dataclass(frozen=True)
class Product:
    """A product or window: `spec` has the letters of both inputs and of the output.

    `combine` joins the two inputs at a point, `fold` the points of an output element and what was
    there before; `weighted` is false for pooling, whose second input has a shape only. `offsets`:
    zero points that are taken from the inputs, of the `_q` ops. `attributes` stand after the name.
    """

    op: str
    spec: str
    windowed: int = 0
    types: Sequence[tuple[str, str, str]] = (
        ("f16", "f16", "f32"), ("f32", "f32", "f32"), ("bf16", "bf16", "bf16"),
        ("i8", "i8", "i32"),
    )  # fmt: skip
    fold: Callable[..., np.ndarray] = np.add
    weighted: bool = True
    unsigned: bool = False
    offsets: Sequence[int] = ()
    attributes: str = ""

    def cases(self) -> Iterator[Case]:
        """A kernel for each combination of types, and of strides and dilations."""
        steps = [(1, 1), (2, 3)] if self.windowed else [(1, 1)]
        for types in self.types:
            for stride, dilation in steps:
                yield self._case(types, stride, dilation)

    def _case(self, types: tuple[str, str, str], stride: int, dilation: int) -> Case:
        left, right, out = self.spec.replace("->", ",").replace(" ", "").split(",")
        shapes = [_shape(letters, stride, dilation) for letters in (left, right, out)]
        inputs = [whole(t, s, i) for i, (t, s) in enumerate(zip(types, shapes, strict=True))]
        wanted = self._expected([d.values for d in inputs], (left, right, out), stride, dilation)
        text = f"{self.op} {self._attributes(stride, dilation)}"
        extra = "".join(f", %zero{i}" for i in range(len(self.offsets)))
        extra_types = ", i32" * len(self.offsets)
        zeros = "".join(
            f"%zero{i} = arith.constant {v} : i32\n  " for i, v in enumerate(self.offsets)
        )
        a, b, c = (d.type for d in inputs)
        body = f"""{zeros}%r = {text}
    ins(%a, %b{extra} : {a}, {b}{extra_types}) outs(%c : {c}) -> {c}"""
        result = torch.from_numpy(wanted).to(DTYPES[types[2]])
        label = f"{' '.join(types)} {stride} {dilation}"
        return kernel(self.op, body, inputs, [Data(result, types[2])], label)

    def _attributes(self, stride: int, dilation: int) -> str:
        if not self.windowed:
            return self.attributes
        kind = f"tensor<{self.windowed}xi64>"
        return f"{{strides = dense<{stride}> : {kind}, dilations = dense<{dilation}> : {kind}}}"

    def _expected(
        self, values: Sequence[Tensor], letters: Sequence[str], stride: int, dilation: int
    ) -> np.ndarray:
        """Every point of the loops at once, then the reduction loops folded."""
        loops = list(dict.fromkeys(x for x in "".join(letters) if x.islower()))
        loops = [*letters[2], *(x for x in loops if x not in letters[2])]
        at = dict(zip(loops, np.indices([_SIZES[x] for x in loops]), strict=True))

        def window(letter: str) -> np.ndarray:
            position, offset = _WINDOWS[letter]
            return np.asarray(at[position] * stride + at[offset] * dilation)

        def read(x: Tensor, subscripts: str, offset: int) -> np.ndarray:
            places = tuple(at[s] if s.islower() else window(s) for s in subscripts)
            return np.asarray(wide(x)[places] - offset)

        offsets = self.offsets or (0, 0)
        points = read(values[0], letters[0], offsets[0])
        if self.weighted:
            points = points * read(values[1], letters[1], offsets[1])
        total = values[2].double().numpy()
        if self.unsigned:
            points, total = points % 256, total % 256
        points = points.reshape(*total.shape, -1)
        for i in range(points.shape[-1]):
            total = self.fold(total, points[..., i])
        return np.asarray(total)


def _shape(letters: str, stride: int, dilation: int) -> list[int]:
    def size(letter: str) -> int:
        if letter.islower():
            return _SIZES[letter]
        position, offset = _WINDOWS[letter]
        return (_SIZES[position] - 1) * stride + (_SIZES[offset] - 1) * dilation + 1

    return [size(letter) for letter in letters]


_QUANTIZED = [("i8", "i8", "i32")]
_BYTES = [("i8", "i8", "i8")]


def _maps(*results: str, loops: str = "d0, d1, d2") -> str:
    maps = ", ".join(f"affine_map<({loops}) -> ({r})>" for r in results)
    return f"indexing_maps = [{maps}]"


PRODUCTS = (
    Product("linalg.matmul", "mk, kn -> mn"),
    Product("linalg.matmul", "km, kn -> mn", attributes=_maps("d2, d0", "d2, d1", "d0, d1")),
    Product("linalg.matmul", "mk, nk -> mn", attributes=_maps("d0, d2", "d1, d2", "d0, d1")),
    Product("linalg.matmul", "k, kn -> mn", attributes=_maps("d2", "d2, d1", "d0, d1")),
    Product("linalg.batch_matmul", "bmk, bkn -> bmn"),
    Product(
        "linalg.batch_matmul", "bkm, bnk -> bmn",
        attributes=_maps("d0, d3, d1", "d0, d2, d3", "d0, d1, d2", loops="d0, d1, d2, d3"),
    ),
    Product("linalg.batch_reduce_matmul", "bmk, bkn -> mn"),
    Product("linalg.matvec", "mk, k -> m"),
    Product("linalg.vecmat", "k, kn -> n"),
    Product("linalg.batch_matvec", "bmk, bk -> bm"),
    Product("linalg.batch_vecmat", "bk, bkn -> bn"),
    Product("linalg.mmt4d", "mkij, nklj -> mnil"),
    Product("linalg.batch_mmt4d", "bmkij, bnklj -> bmnil"),
    Product("linalg.quantized_matmul", "mk, kn -> mn", types=_QUANTIZED, offsets=(3, -2)),
    Product("linalg.quantized_batch_matmul", "bmk, bkn -> bmn", types=_QUANTIZED, offsets=(3, -2)),
    Product(
        "linalg.contract", "mkb, bkn -> nmb",
        attributes=_maps("d0, d2, d3", "d3, d2, d1", "d1, d0, d3", loops="d0, d1, d2, d3"),
    ),
    Product("linalg.conv_1d", "X, w -> x"),
    Product("linalg.conv_2d", "YX, hw -> yx"),
    Product("linalg.conv_3d", "YXZ, hwd -> yxz"),
    Product("linalg.conv_1d_nwc_wcf", "nXc, wcf -> nxf", 1),
    Product("linalg.conv_1d_ncw_fcw", "ncX, fcw -> nfx", 1),
    Product("linalg.conv_2d_nhwc_hwcf", "nYXc, hwcf -> nyxf", 2),
    Product("linalg.conv_2d_nhwc_fhwc", "nYXc, fhwc -> nyxf", 2),
    Product("linalg.conv_2d_nchw_fchw", "ncYX, fchw -> nfyx", 2),
    Product("linalg.conv_2d_ngchw_fgchw", "ngcYX, fgchw -> ngfyx", 2),
    Product("linalg.conv_2d_ngchw_gfchw", "ngcYX, gfchw -> ngfyx", 2),
    Product("linalg.conv_2d_nhwgc_gfhwc", "nYXgc, gfhwc -> nyxgf", 2),
    Product("linalg.conv_3d_ndhwc_dhwcf", "nYXZc, hwdcf -> nyxzf", 3),
    Product("linalg.conv_3d_ncdhw_fcdhw", "ncYXZ, fchwd -> nfyxz", 3),
    *(
        Product(f"linalg.{name}", spec, windowed, types=_QUANTIZED, offsets=(3, -2))
        for name, spec, windowed in (
            ("conv_2d_nhwc_hwcf_q", "nYXc, hwcf -> nyxf", 2),
            ("conv_2d_nhwc_fhwc_q", "nYXc, fhwc -> nyxf", 2),
            ("conv_2d_nchw_fchw_q", "ncYX, fchw -> nfyx", 2),
            ("conv_2d_ngchw_gfchw_q", "ngcYX, gfchw -> ngfyx", 2),
            ("conv_2d_nhwgc_gfhwc_q", "nYXgc, gfhwc -> nyxgf", 2),
            ("conv_3d_ndhwc_dhwcf_q", "nYXZc, hwdcf -> nyxzf", 3),
            ("depthwise_conv_2d_nhwc_hwc_q", "nYXc, hwc -> nyxc", 2),
            ("depthwise_conv_2d_nhwc_hwcm_q", "nYXc, hwcm -> nyxcm", 2),
        )
    ),
    Product("linalg.depthwise_conv_1d_nwc_wc", "nXc, wc -> nxc", 1),
    Product("linalg.depthwise_conv_1d_nwc_wcm", "nXc, wcm -> nxcm", 1),
    Product("linalg.depthwise_conv_1d_ncw_cw", "ncX, cw -> ncx", 1),
    Product("linalg.depthwise_conv_2d_nhwc_hwc", "nYXc, hwc -> nyxc", 2),
    Product("linalg.depthwise_conv_2d_nhwc_hwcm", "nYXc, hwcm -> nyxcm", 2),
    Product("linalg.depthwise_conv_2d_nchw_chw", "ncYX, chw -> ncyx", 2),
    Product("linalg.depthwise_conv_3d_ndhwc_dhwc", "nYXZc, hwdc -> nyxzc", 3),
    Product("linalg.depthwise_conv_3d_ndhwc_dhwcm", "nYXZc, hwdcm -> nyxzcm", 3),
    Product("linalg.depthwise_conv_3d_ncdhw_cdhw", "ncYXZ, chwd -> ncyxz", 3),
    *(
        Product(
            f"linalg.pooling_{layout}_{fold}", f"{left}, {right} -> {out}", windowed,
            types=_BYTES if "unsigned" in fold else Product.types,
            fold={"s": np.add, "max": np.maximum, "min": np.minimum}[
                "s" if fold == "sum" else fold.removesuffix("_unsigned")
            ],
            weighted=False, unsigned="unsigned" in fold,
        )
        for layout, left, right, out, windowed, folds in (
            ("nhwc", "nYXc", "hw", "nyxc", 2, "sum max min max_unsigned min_unsigned"),
            ("nwc", "nXc", "w", "nxc", 1, "sum max min max_unsigned min_unsigned"),
            ("nchw", "ncYX", "hw", "ncyx", 2, "sum max"),
            ("ncw", "ncX", "w", "ncx", 1, "sum max"),
            ("ndhwc", "nYXZc", "hwd", "nyxzc", 3, "sum max min"),
        )
        for fold in folds.split()
    ),
)  # fmt: skip


def _dot() -> Iterator[Case]:
    for left, out in (("f16", "f32"), ("i8", "i32"), ("f32", "f32")):
        a, b, c = whole(left, [7], 0), whole(left, [7], 1), whole(out, [1], 2)
        total = (a.values.double() * b.values.double()).sum() + c.values[0].double()
        body = f"""%start = tensor.collapse_shape %c [] : {c.type} into tensor<{out}>
  %dot = linalg.dot ins(%a, %b : {a.type}, {b.type}) outs(%start : tensor<{out}>) -> tensor<{out}>
  %r = tensor.expand_shape %dot [] output_shape [1] : tensor<{out}> into tensor<1x{out}>"""
        wanted = [Data(total.reshape(1).to(DTYPES[out]), out)]
        yield kernel("linalg.dot", body, [a, b, c], wanted, f"{left} {out}")


def cases() -> Iterator[Case]:
    """All kernels of this module."""
    for product in PRODUCTS:
        yield from product.cases()
    yield from _dot()
