"""`linalg`: named ops on elements, ops that move elements, reductions, and ops with bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from .case import DTYPES, Case, Data, data, kernel, near, within
from .samples import floats, whole, wide

_UNARY: dict[str, Callable[[Tensor], Tensor]] = {
    "abs": torch.abs, "ceil": torch.ceil, "floor": torch.floor, "negf": torch.neg,
    "exp": torch.exp, "log": torch.log, "erf": torch.erf, "tanh": torch.tanh,
    "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "square": torch.square,
    "reciprocal": torch.reciprocal,
    "round": lambda x: torch.trunc(x) + torch.sign(x) * ((x - x.trunc()).abs() >= 0.5),
}  # fmt: skip

_BINARY: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div,
    "max": torch.maximum, "min": torch.minimum, "powf": torch.pow,
}  # fmt: skip


def _named() -> Iterator[Case]:
    for element in ("f16", "bf16", "f32", "f64"):
        positive = ("log", "sqrt", "rsqrt", "reciprocal", "powf")
        for name, unary in _UNARY.items():
            a = floats(element, [3, 5], 1)
            a = data(a.values.abs() + 1) if name in positive else a
            body = _onto(f"linalg.{name}", [a], a)
            wanted = near(unary(a.values.double()).to(DTYPES[element]), 2)
            yield kernel(f"linalg.{name}", body, [a], [wanted], element)
        for name, binary in _BINARY.items():
            a, b = floats(element, [3, 5], 1), floats(element, [3, 5], 2)
            a = data(a.values.abs() + 1) if name in positive else a
            body = _onto(f"linalg.{name}", [a, b], a)
            wanted = near(binary(a.values.double(), b.values.double()).to(DTYPES[element]), 2)
            yield kernel(f"linalg.{name}", body, [a, b], [wanted], element)
    integers: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
        "add": torch.add, "sub": torch.sub, "mul": torch.mul, "max": torch.maximum,
        "min": torch.minimum, "div": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
        "div_unsigned": lambda x, y: ((x.long() % 2**32) // (y.long() % 2**32)).int(),
    }  # fmt: skip
    for name, binary in integers.items():
        a, b = whole("i32", [3, 5], 1), whole("i32", [3, 5], 2)
        b = data(torch.where(b.values == 0, 7, b.values).int())
        body = _onto(f"linalg.{name}", [a, b], a)
        yield kernel(f"linalg.{name}", body, [a, b], [data(binary(a.values, b.values))], "i32")


def _onto(op: str, inputs: Sequence[Data], result: Data) -> str:
    """An op whose result is new."""
    names = ", ".join(f"%{chr(ord('a') + i)}" for i in range(len(inputs)))
    types = ", ".join(d.type for d in inputs)
    return f"""%e = tensor.empty() : {result.type}
  %r = {op} ins({names} : {types}) outs(%e : {result.type}) -> {result.type}"""


def _bodies() -> Iterator[Case]:
    a, b = floats("f16", [3, 5], 1), floats("f16", [3, 5], 2)
    condition = data(a.values > b.values)
    text = _onto("linalg.select", [condition, a, b], a)
    wanted = data(torch.where(condition.values, a.values, b.values))
    yield kernel("linalg.select", text, [condition, a, b], [wanted])
    row = floats("f16", [5], 3)
    body = f"""%e = tensor.empty() : {a.type}
  %r = linalg.elementwise kind=#linalg.elementwise_kind<mul>
    indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>,
                     affine_map<(d0, d1) -> (d0, d1)>]
    ins(%a, %b : {a.type}, {row.type}) outs(%e : {a.type}) -> {a.type}"""
    yield kernel("linalg.elementwise", body, [a, row], [data(a.values * row.values)])
    body = f"""%e = tensor.empty() : {a.type}
  %r = linalg.map {{arith.addf}} ins(%a, %b : {a.type}, {a.type}) outs(%e : {a.type})"""
    yield kernel("linalg.map", body, [a, b], [data(a.values + b.values)], "short")
    body = f"""%e = tensor.empty() : {a.type}
  %r = linalg.map ins(%a, %b : {a.type}, {a.type}) outs(%e : {a.type})
  (%x: f16, %y: f16, %o: f16) {{
    %s = arith.subf %x, %y : f16
    %t = arith.mulf %s, %y : f16
    linalg.yield %t : f16
  }}"""
    yield kernel("linalg.map", body, [a, b], [data((a.values - b.values) * b.values)], "body")
    body = f"""%e = tensor.empty() : {a.type}
  %r = linalg.copy ins(%a : {a.type}) outs(%e : {a.type}) -> {a.type}"""
    yield kernel("linalg.copy", body, [a], [a])
    body = f"""%e = tensor.empty() : tensor<3x5xf32>
  %r = linalg.copy ins(%a : {a.type}) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>"""
    yield kernel("linalg.copy", body, [a], [data(a.values.float())], "with a cast")
    for element in ("i1", "i8", "i32", "index", "f16", "bf16", "f32", "f64"):
        yield from _moving(element)
    yield from _indices()
    yield from _mixed()


def _random() -> Iterator[Case]:
    """Two steps of a linear congruence from the position, as the op's definition has them."""
    body = """%e = tensor.empty() : tensor<3x5xf32>
  %low = arith.constant -2.0 : f64
  %high = arith.constant 6.0 : f64
  %seed = arith.constant 41 : i32
  %r = linalg.fill_rng_2d ins(%low, %high, %seed : f64, f64, i32) outs(%e : tensor<3x5xf32>)
    -> tensor<3x5xf32>"""

    def step(x: np.ndarray) -> np.ndarray:
        return (x * 1103515245 + 12345 + 2**31) % 2**32 - 2**31

    rows, columns = np.indices((3, 5))
    drawn = step(columns + step(rows + 41)).astype(np.float64)
    wanted = ((drawn + 2147483647.0) * (8.0 * 2.3283064e-10) - 2.0).astype(np.float32)
    yield kernel("linalg.fill_rng_2d", body, [], [near(torch.from_numpy(wanted), 1)])


def _moving(element: str) -> Iterator[Case]:
    a = whole(element, [3, 1, 5], 1)
    body = f"""%v = tensor.extract %a[%c1, %c0, %c2] : {a.type}
  %e = tensor.empty() : tensor<3x5x{element}>
  %r = linalg.fill ins(%v : {element}) outs(%e : tensor<3x5x{element}>) -> tensor<3x5x{element}>"""
    filled = Data(a.values[1, 0, 2].expand(3, 5).contiguous(), element)
    yield kernel("linalg.fill", body, [a], [filled], element)
    body = f"""%e = tensor.empty() : tensor<5x3x1x{element}>
  %r = linalg.transpose ins(%a : {a.type}) outs(%e : tensor<5x3x1x{element}>)
    permutation = [2, 0, 1]"""
    turned = Data(a.values.permute(2, 0, 1).contiguous(), element)
    yield kernel("linalg.transpose", body, [a], [turned], element)
    body = f"""%e = tensor.empty() : tensor<2x3x1x4x5x{element}>
  %r = linalg.broadcast ins(%a : {a.type}) outs(%e : tensor<2x3x1x4x5x{element}>)
    dimensions = [0, 3]"""
    spread = a.values[None, :, :, None].expand(2, 3, 1, 4, 5).contiguous()
    yield kernel("linalg.broadcast", body, [a], [Data(spread, element)], element)


def _indices() -> Iterator[Case]:
    body = """%e = tensor.empty() : tensor<3x5xindex>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} outs(%e : tensor<3x5xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %n = arith.subi %i, %j : index
    linalg.yield %n : index
  } -> tensor<3x5xindex>"""
    wanted = Data(torch.arange(3)[:, None] - torch.arange(5), "index")
    for op in ("linalg.index", "linalg.generic", "linalg.yield"):
        yield kernel(op, body, [], [wanted])


def _mixed() -> Iterator[Case]:
    """Outputs of different loops: one stored at every point, one reduced."""
    a, row = whole("f16", [3, 5], 1), whole("f16", [5], 2)
    least = Data(torch.full((3,), -100.0), "f32")
    body = f"""%e = tensor.empty() : {a.type}
  %r, %s = linalg.generic {{indexing_maps = [
      affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]}}
      ins(%a, %b : {a.type}, {row.type}) outs(%c, %e : {least.type}, {a.type}) {{
  ^bb0(%x: f16, %y: f16, %most: f32, %o: f16):
    %sum = arith.addf %x, %y : f16
    %wide = arith.extf %sum : f16 to f32
    %more = arith.maximumf %most, %wide : f32
    linalg.yield %more, %sum : f32, f16
  }} -> ({least.type}, {a.type})"""
    total = a.values + row.values
    outputs = [data(total.float().amax(1)), data(total)]
    yield kernel("linalg.generic", body, [a, row, least], outputs, "outputs of other loops")
    body = f"""%e = tensor.empty() : {a.type}
  %r = linalg.generic {{iterator_types = ["reduction", "reduction"],
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>]}}
      ins(%a : {a.type}) outs(%e : {a.type}) {{
  ^bb0(%x: f16, %o: f16):
    %y = arith.negf %x : f16
    linalg.yield %y : f16
  }} -> {a.type}"""
    yield kernel("linalg.generic", body, [a], [data(-a.values)], "loops that reduce nothing")


_FOLDS: dict[str, tuple[Sequence[str], Callable[[np.ndarray, int], np.ndarray]]] = {
    "arith.addf": (("f16", "bf16", "f32", "f64"), np.sum),
    "arith.mulf": (("f16", "f32"), np.prod),
    "arith.maximumf": (("f16", "bf16", "f32"), np.max),
    "arith.minimumf": (("f16", "f64"), np.min),
    "arith.maxnumf": (("f32",), np.max),
    "arith.addi": (("i8", "i32", "i64", "index"), np.sum),
    "arith.muli": (("i16", "i32"), np.prod),
    "arith.maxsi": (("i8", "i32", "i64"), np.max),
    "arith.minsi": (("i8", "i32"), np.min),
    "arith.maxui": (("i32",), lambda x, axis: np.max(x % 2**32, axis)),
    "arith.minui": (("i32",), lambda x, axis: np.min(x % 2**32, axis)),
    "arith.andi": (("i1", "i32"), np.bitwise_and.reduce),
    "arith.ori": (("i1", "i8"), np.bitwise_or.reduce),
    "arith.xori": (("i1", "i64"), np.bitwise_xor.reduce),
}


def _reductions() -> Iterator[Case]:
    for op, (elements, fold) in _FOLDS.items():
        for element in elements:
            for axis, shape in ((0, [3, 5]), (1, [3, 5]), (1, [5, 1])):
                a = whole(element, shape, 1)
                start = Data(a.values.select(axis, 0).contiguous(), element)
                kept = start.type
                body = f"""%r = linalg.reduce {{ {op} }} ins(%a : {a.type}) outs(%b : {kept})
    dimensions = [{axis}]"""
                together = torch.cat([start.values.unsqueeze(axis), a.values], axis)
                exact = together.numpy() if element in ("i1",) else wide(together)
                folded = torch.from_numpy(np.asarray(fold(exact, axis))).to(DTYPES[element])
                label = f"{op} {element} {axis}"
                yield kernel("linalg.reduce", body, [a, start], [Data(folded, element)], label)
    a = data(torch.tensor([[3, 1, 2], [0, 9, 9]], dtype=torch.int32))
    body = """%least = arith.constant dense<-100> : tensor<2xi32>
  %none = arith.constant dense<-1> : tensor<2xindex>
  %numbers = tensor.generate {
  ^bb0(%i: index, %j: index):
    tensor.yield %j : index
  } : tensor<2x3xindex>
  %r, %s = linalg.reduce ins(%a, %numbers : tensor<2x3xi32>, tensor<2x3xindex>)
    outs(%least, %none : tensor<2xi32>, tensor<2xindex>) dimensions = [1]
    (%x: i32, %n: index, %best: i32, %at: index) {
      %more = arith.cmpi sgt, %x, %best : i32
      %v = arith.select %more, %x, %best : i32
      %w = arith.select %more, %n, %at : index
      linalg.yield %v, %w : i32, index
    }"""
    values, places = (
        data(torch.tensor([3, 9], dtype=torch.int32)),
        Data(torch.tensor([0, 1]), "index"),
    )
    yield kernel("linalg.reduce", body, [a], [values, places], "argmax")


def _softmax() -> Iterator[Case]:
    for element, error in (("f16", 2e-3), ("bf16", 2e-2), ("f32", 1e-6), ("f64", 1e-6)):
        for axis, shape in ((0, [3, 5]), (1, [3, 5]), (2, [2, 3, 7]), (1, [4, 1])):
            a = floats(element, shape, axis)
            body = f"""%e = tensor.empty() : {a.type}
  %r = linalg.softmax dimension({axis}) ins(%a : {a.type}) outs(%e : {a.type}) -> {a.type}"""
            wanted = torch.softmax(a.values.double(), axis).to(DTYPES[element])
            yield kernel("linalg.softmax", body, [a], [within(wanted, error)], f"{element} {axis}")


def cases() -> Iterator[Case]:
    """All kernels of this module."""
    yield from _named()
    yield from _bodies()
    yield from _reductions()
    yield from _softmax()
    yield from _random()
