"""`tensor`: every op on every element type, with odd sizes and sizes 1 and 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from .case import DTYPES, Case, Data, data, kernel
from .samples import values_of

ELEMENTS = ("i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64")


def sample(element: str, *shape: int) -> Data:
    """A tensor of values at the edges of its type."""
    values = values_of(element)
    size = torch.Size(shape).numel()
    repeated = [values[(3 * i) % len(values)] for i in range(size)]
    return Data(torch.tensor(repeated, dtype=DTYPES[element]).view(shape), element)


def numbers(element: str, *shape: int) -> Data:
    """0, 1, 2 .. in row-major order."""
    values = torch.arange(torch.Size(shape).numel()).view(shape)
    return Data(values.to(DTYPES[element]), element)


@dataclass(frozen=True)
class Movement:
    """An op that moves elements: `%r = text` of `%a` (and `%b`), for every element type.

    `{e}` in the text stands for the element type. `function` is the same in torch.
    """

    op: str
    label: str
    text: str
    shapes: Sequence[tuple[int, ...]]
    function: Callable[..., Tensor]
    elements: Sequence[str] = ELEMENTS

    def cases(self) -> Iterator[Case]:
        """A kernel an element type."""
        for element in self.elements:
            inputs = [sample(element, *shape) for shape in self.shapes]
            result = self.function(*(d.values for d in inputs)).contiguous()
            yield kernel(
                self.op,
                self.text.replace("{e}", element),
                inputs,
                [Data(result, element)],
                f"{self.label} {element}",
            )


def _padded(x: Tensor, low: Sequence[int], high: Sequence[int], value: Tensor) -> Tensor:
    sizes = [b + n + a for b, n, a in zip(low, x.shape, high, strict=True)]
    result = value.expand(sizes).clone()
    result[tuple(slice(b, b + n) for b, n in zip(low, x.shape, strict=True))] = x
    return result


def _replaced(x: Tensor, part: Tensor, place: tuple[Any, ...]) -> Tensor:
    result = x.clone()
    result[place] = part
    return result


MOVEMENTS = (
    Movement(
        "tensor.extract_slice", "strided",
        "%r = tensor.extract_slice %a[1, 0] [3, 3] [2, 2] : tensor<7x5x{e}> to tensor<3x3x{e}>",
        [(7, 5)], lambda x: x[1:6:2, 0:5:2],
    ),
    Movement(
        "tensor.extract_slice", "of lower rank at values",
        "%r = tensor.extract_slice %a[%c2, %c1, 0] [1, 3, 1] [1, 1, 1]"
        " : tensor<3x5x4x{e}> to tensor<3x{e}>",
        [(3, 5, 4)], lambda x: x[2, 1:4, 0],
    ),
    Movement(
        "tensor.insert_slice", "strided",
        "%r = tensor.insert_slice %a into %b[1, %c1] [2, 3] [3, 1]"
        " : tensor<2x3x{e}> into tensor<7x5x{e}>",
        [(2, 3), (7, 5)],
        lambda part, x: _replaced(x, part, (slice(1, 5, 3), slice(1, 4))),
    ),
    Movement(
        "tensor.insert_slice", "of lower rank",
        "%r = tensor.insert_slice %a into %b[0, 2, 0] [3, 1, 1] [1, 1, 1]"
        " : tensor<3x{e}> into tensor<3x5x1x{e}>",
        [(3,), (3, 5, 1)],
        lambda part, x: _replaced(x, part, (slice(0, 3), 2, 0)),
    ),
    Movement(
        "tensor.insert_slice", "of no elements",
        """%no = tensor.extract_slice %a[0] [0] [1] : tensor<3x{e}> to tensor<0x{e}>
  %r = tensor.insert_slice %no into %a[1] [0] [1] : tensor<0x{e}> into tensor<3x{e}>""",
        [(3,)], lambda x: x, ("f16", "i1"),
    ),
    Movement(
        "tensor.concat", "rows",
        "%r = tensor.concat dim(0) %a, %b, %a"
        " : (tensor<1x5x{e}>, tensor<3x5x{e}>, tensor<1x5x{e}>) -> tensor<5x5x{e}>",
        [(1, 5), (3, 5)], lambda x, y: torch.cat([x, y, x]),
    ),
    Movement(
        "tensor.concat", "columns, one of no elements",
        """%no = tensor.extract_slice %a[0, 0] [3, 0] [1, 1] : tensor<3x5x{e}> to tensor<3x0x{e}>
  %r = tensor.concat dim(1) %a, %no, %b
    : (tensor<3x5x{e}>, tensor<3x0x{e}>, tensor<3x1x{e}>) -> tensor<3x6x{e}>""",
        [(3, 5), (3, 1)], lambda x, y: torch.cat([x, y], 1),
    ),
    Movement(
        "tensor.pad", "by a value",
        """%v = tensor.extract %a[%c1, %c1] : tensor<3x5x{e}>
  %r = tensor.pad %a low[0, 2] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : {e}
  } : tensor<3x5x{e}> to tensor<4x8x{e}>""",
        [(3, 5)], lambda x: _padded(x, [0, 2], [1, 1], x[1, 1]),
    ),
    Movement(
        "tensor.pad", "by nothing",
        """%v = tensor.extract %a[%c1] : tensor<3x{e}>
  %r = tensor.pad %a low[0] high[0] {
  ^bb0(%i: index):
    tensor.yield %v : {e}
  } : tensor<3x{e}> to tensor<3x{e}>""",
        [(3,)], lambda x: x, ("f16", "i8"),
    ),
    Movement(
        "tensor.collapse_shape", "",
        "%r = tensor.collapse_shape %a [[0, 1], [2, 3]]"
        " : tensor<3x1x2x5x{e}> into tensor<3x10x{e}>",
        [(3, 1, 2, 5)], lambda x: x.reshape(3, 10),
    ),
    Movement(
        "tensor.expand_shape", "",
        "%r = tensor.expand_shape %a [[0, 1, 2], [3, 4]] output_shape [1, 3, 2, 5, 1]"
        " : tensor<6x5x{e}> into tensor<1x3x2x5x1x{e}>",
        [(6, 5)], lambda x: x.reshape(1, 3, 2, 5, 1),
    ),
    Movement(
        "tensor.expand_shape", "to and from no dimensions",
        """%none = tensor.collapse_shape %a [] : tensor<1x1x{e}> into tensor<{e}>
  %r = tensor.expand_shape %none [] output_shape [1] : tensor<{e}> into tensor<1x{e}>""",
        [(1, 1)], lambda x: x.reshape(1), ("f16", "i32"),
    ),
    Movement(
        "tensor.reshape", "",
        """%shape = arith.constant dense<[5, 1, 3]> : tensor<3xindex>
  %r = tensor.reshape %a(%shape) : (tensor<3x5x{e}>, tensor<3xindex>) -> tensor<5x1x3x{e}>""",
        [(3, 5)], lambda x: x.reshape(5, 1, 3),
    ),
    Movement(
        "tensor.reshape", "to a shape of i64 and i32",
        """%shape = arith.constant dense<[15]> : tensor<1xi64>
  %flat = tensor.reshape %a(%shape) : (tensor<3x5x{e}>, tensor<1xi64>) -> tensor<15x{e}>
  %other = arith.constant dense<[5, 3]> : tensor<2xi32>
  %r = tensor.reshape %flat(%other) : (tensor<15x{e}>, tensor<2xi32>) -> tensor<5x3x{e}>""",
        [(3, 5)], lambda x: x.reshape(5, 3), ("f16",),
    ),
    Movement(
        "tensor.splat", "",
        """%v = tensor.extract %a[%c2] : tensor<5x{e}>
  %r = tensor.splat %v : tensor<3x1x5x{e}>""",
        [(5,)], lambda x: x[2].expand(3, 1, 5),
    ),
    Movement(
        "tensor.extract", "",
        """%v = tensor.extract %a[%c2, %c0] : tensor<3x5x{e}>
  %w = tensor.extract %a[%c1, %c2] : tensor<3x5x{e}>
  %r = tensor.from_elements %v, %w, %v : tensor<3x{e}>""",
        [(3, 5)], lambda x: torch.stack([x[2, 0], x[1, 2], x[2, 0]]),
    ),
    Movement(
        "tensor.from_elements", "of two dimensions",
        """%v = tensor.extract %a[%c2] : tensor<3x{e}>
  %w = tensor.extract %a[%c1] : tensor<3x{e}>
  %r = tensor.from_elements %v, %w, %w, %v, %v, %w : tensor<3x2x{e}>""",
        [(3,)], lambda x: x[torch.tensor([[2, 1], [1, 2], [2, 1]])],
    ),
    Movement(
        "tensor.insert", "",
        """%v = tensor.extract %b[%c2] : tensor<3x{e}>
  %s = tensor.insert %v into %a[%c1, %c2] : tensor<3x5x{e}>
  %r = tensor.insert %v into %s[%c0, %c0] : tensor<3x5x{e}>""",
        [(3, 5), (3,)],
        lambda x, y: _replaced(_replaced(x, y[2], (1, 2)), y[2], (0, 0)),
    ),
    Movement(
        "tensor.cast", "to an open size and back",
        """%open = tensor.cast %a : tensor<3x5x{e}> to tensor<?x5x{e}>
  %r = tensor.cast %open : tensor<?x5x{e}> to tensor<3x5x{e}>""",
        [(3, 5)], lambda x: x,
    ),
    Movement(
        "tensor.generate", "",
        """%r = tensor.generate {
  ^bb0(%i: index, %j: index):
    %v = tensor.extract %a[%j, %i] : tensor<3x5x{e}>
    tensor.yield %v : {e}
  } : tensor<5x3x{e}>""",
        [(3, 5)], lambda x: x.T,
    ),
    Movement(
        "tensor.empty", "filled",
        """%v = tensor.extract %a[%c1] : tensor<3x{e}>
  %e = tensor.empty() : tensor<3x{e}>
  %r = linalg.fill ins(%v : {e}) outs(%e : tensor<3x{e}>) -> tensor<3x{e}>""",
        [(3,)], lambda x: x[1].expand(3),
    ),
    Movement(
        "tensor.parallel_insert_slice", "",
        """%r = scf.forall (%i) in (3) shared_outs(%o = %b) -> (tensor<3x5x{e}>) {
    %row = tensor.extract_slice %a[%i, 0] [1, 5] [1, 1] : tensor<3x5x{e}> to tensor<5x{e}>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%i, 0] [1, 5] [1, 1]
        : tensor<5x{e}> into tensor<3x5x{e}>
    }
  }""",
        [(3, 5), (3, 5)], lambda x, y: x,
    ),
    Movement(
        "tensor.gather", "rows",
        """%places = arith.constant dense<[[2], [0], [2], [1]]> : tensor<4x1xindex>
  %r = tensor.gather %a[%places] gather_dims([0])
    : (tensor<3x5x{e}>, tensor<4x1xindex>) -> tensor<4x1x5x{e}>""",
        [(3, 5)], lambda x: x[torch.tensor([2, 0, 2, 1])].view(4, 1, 5),
    ),
    Movement(
        "tensor.gather", "elements",
        """%places = arith.constant dense<[[2, 4], [0, 0]]> : tensor<2x2xi32>
  %r = tensor.gather %a[%places] gather_dims([0, 1])
    : (tensor<3x5x{e}>, tensor<2x2xi32>) -> tensor<2x{e}>""",
        [(3, 5)], lambda x: torch.stack([x[2, 4], x[0, 0]]), ("f16", "i1", "i64"),
    ),
    Movement(
        "tensor.scatter", "columns",
        """%places = arith.constant dense<[[4], [1]]> : tensor<2x1xi64>
  %r = tensor.scatter %a into %b[%places] scatter_dims([1]) unique
    : (tensor<2x3x1x{e}>, tensor<3x5x{e}>, tensor<2x1xi64>) -> tensor<3x5x{e}>""",
        [(2, 3, 1), (3, 5)],
        lambda x, y: _replaced(y, x[:, :, 0].T, (slice(0, 3), [4, 1])),
    ),
)  # fmt: skip


def _bitcasts() -> Iterator[Case]:
    for source, result in (("f16", "i16"), ("i32", "f32"), ("bf16", "f16"), ("f64", "i64")):
        a = sample(source, 3, 5)
        finite = torch.where(a.values != a.values, 1, a.values)
        a = Data(finite.to(DTYPES[source]), source)
        text = f"%r = tensor.bitcast %a : tensor<3x5x{source}> to tensor<3x5x{result}>"
        wanted = Data(a.values.view(DTYPES[result]), result)
        yield kernel("tensor.bitcast", text, [a], [wanted], f"{source} to {result}")


def _sizes() -> Iterator[Case]:
    body = """%m = tensor.dim %a, %c0 : tensor<3x5xf16>
  %n = tensor.dim %a, %c1 : tensor<3x5xf16>
  %r = tensor.from_elements %m, %n : tensor<2xindex>"""
    sizes = Data(torch.tensor([3, 5]), "index")
    yield kernel("tensor.dim", body, [sample("f16", 3, 5)], [sizes])
    body = """%n = tensor.rank %a : tensor<3x5xf16>
  %r = tensor.from_elements %n : tensor<1xindex>"""
    rank = Data(torch.tensor([2]), "index")
    yield kernel("tensor.rank", body, [sample("f16", 3, 5)], [rank])


def _yields() -> Iterator[Case]:
    body = """%r = tensor.generate {
  ^bb0(%i: index, %j: index):
    %n = arith.muli %i, %j : index
    tensor.yield %n : index
  } : tensor<3x5xindex>"""
    wanted = torch.arange(3)[:, None] * torch.arange(5)
    yield kernel("tensor.yield", body, [], [Data(wanted, "index")])
    body = """%r = tensor.pad %a low[1, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    %n = arith.addi %i, %j : index
    %m = arith.index_cast %n : index to i32
    tensor.yield %m : i32
  } : tensor<2x3xi32> to tensor<3x5xi32>"""
    a = data(torch.full((2, 3), 100, dtype=torch.int32))
    padded = (torch.arange(3)[:, None] + torch.arange(5)).int()
    padded[1:, 1:4] = 100
    yield kernel("tensor.yield", body, [a], [data(padded)])


def _packed() -> Iterator[Case]:
    a = sample("f16", 4, 6)
    tiled = a.values.reshape(2, 2, 2, 3).permute(0, 2, 1, 3).contiguous()
    body = f"""%e = tensor.empty() : tensor<2x2x2x3xf16>
  %r = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %e
    : {a.type} -> tensor<2x2x2x3xf16>"""
    yield kernel("linalg.pack", body, [a], [data(tiled)])
    body = f"""%e = tensor.empty() : {a.type}
  %r = linalg.unpack %a inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %e
    : tensor<2x2x2x3xf16> -> {a.type}"""
    yield kernel("linalg.unpack", body, [data(tiled)], [a])


def cases() -> Iterator[Case]:
    """All kernels of this module."""
    for movement in MOVEMENTS:
        yield from movement.cases()
    yield from _bitcasts()
    yield from _sizes()
    yield from _yields()
    yield from _packed()
