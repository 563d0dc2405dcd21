"""Intrinsics of the device: against numpy in f64 and PyTorch, at both levels, bit for bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

import ktir
import ktir.machine.dialects
from ktir.errors import UnsupportedError
from ktir.machine import table
from ktir.mlir.dialects import spyreop

Array = npt.NDArray[Any]
NUMPY: dict[str, Any] = {"f16": np.float16, "f32": np.float32, "i32": np.int32, "i64": np.int64}
SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 65504.0, -65504.0, 6e-8, -6e-8]
SPECIAL += [11.1, -11.1, -17.0, 88.8, -88.8, 104.0, 3e38, -3e38, 1e-38, -1e-38]


def everything(element: str) -> Array:
    """All 65536 numbers of f16; of f32 special ones and some of every size."""
    if element == "f16":
        return np.arange(1 << 16, dtype=np.uint16).view(np.float16).reshape(128, 512)
    rng = np.random.default_rng(0)
    size = 128 * 64 - len(SPECIAL)
    numbers = rng.standard_normal(size) * 2.0 ** rng.integers(-40, 8, size)
    return np.array([*SPECIAL, *numbers], np.float32).reshape(128, 64)


def kernel(
    body: str,
    element: str,
    cols: int,
    arity: int = 1,
    result: str = "",
    scalars: str = "",
    returns: str = "%r",
) -> str:
    """A kernel on 4 cores of 32 rows each: `body` makes %r from the elements %a, %b, %c."""
    result = result or element
    names = "abc"[:arity]
    rank = f"32x{cols}x"

    def view(name: str, of: str) -> str:
        return f"""
    %{name}_view = ktdp.construct_memory_view %{name}_ptr,
      sizes: [128, {cols}], strides: [{cols}, 1]
      {{coordinate_set = affine_set<(i, j) : (i >= 0, 127 - i >= 0, j >= 0, {cols - 1} - j >= 0)>,
        memory_space = #ktdp.memory_space<global>}} : memref<128x{cols}x{of}>
    %{name}_tile = ktdp.construct_access_tile %{name}_view[%row, %zero]
      {{access_tile_set = affine_set<(i, j) : (i >= 0, 31 - i >= 0, j >= 0, {cols - 1} - j >= 0)>,
        access_tile_order = affine_map<(i, j) -> (i, j)>}}
      : memref<128x{cols}x{of}> -> !ktdp.access_tile<32x{cols}xindex>"""

    loads = "".join(
        f"""{view(name, element)}
    %{name}_in = ktdp.load %{name}_tile
      : !ktdp.access_tile<32x{cols}xindex> -> tensor<{rank}{element}>"""
        for name in names
    )
    maps = ", ".join(["#id"] * (arity + 1))
    arguments = ", ".join(f"%{name}: {element}" for name in names)
    tiles = ", ".join(f"%{name}_in" for name in names)
    types = ", ".join([f"tensor<{rank}{element}>"] * arity)
    pointers = ", ".join(f"%{name}_ptr: index" for name in names)
    return f"""
#id = affine_map<(i, j) -> (i, j)>
func.func @k({pointers}, %y_ptr: index) attributes {{grid = [4]}} {{
    %core = ktdp.get_compute_tile_id : index
    %zero = arith.constant 0 : index
    %size = arith.constant 32 : index
    %row = arith.muli %core, %size : index
    {scalars}{loads}
    %none = tensor.empty() : tensor<{rank}{result}>
    %y = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
        ins({tiles} : {types})
        outs(%none : tensor<{rank}{result}>) {{
    ^bb0({arguments}, %old: {result}):
      {body}
      linalg.yield {returns} : {result}
    }} -> tensor<{rank}{result}>{view("y", result)}
    ktdp.store %y, %y_tile : tensor<{rank}{result}>, !ktdp.access_tile<32x{cols}xindex>
    return
}}
"""


def run(tmp_path: Path, text: str, *arrays: Array, result: str = "") -> Array:
    """The result at both levels, which must have the same bits; any NaN equals any other."""
    path = tmp_path / "k.mlir"
    path.write_text(text)
    dtype = NUMPY[result] if result else arrays[0].dtype
    y = np.zeros(arrays[0].shape, dtype)
    given: dict[str, Any] = {
        f"{name}_ptr": array for name, array in zip("abc", arrays, strict=False)
    }
    one, other = (
        np.asarray(ktir.run_kernel(path, "k", y_ptr=y, level=level, **given)["y_ptr"])
        for level in ("ktir", "sdf")
    )
    assert same(one, other)
    return one


def same(one: Array, other: Array) -> bool:
    """Equal, the sign of zero included."""
    if one.dtype.kind != "f":
        return bool((one == other).all())
    both_nan = np.isnan(one) & np.isnan(other)
    return bool((both_nan | ((one == other) & (np.signbit(one) == np.signbit(other)))).all())


def check_near(found: Array, wanted: Array, ulps: int) -> None:
    """`found` is within `ulps` of `wanted`, f64 rounded to its type; special values are equal."""
    with np.errstate(over="ignore"):
        rounded = wanted.astype(found.dtype)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    edge = np.isinf(rounded) | np.isinf(found) | (rounded == 0)
    bits = np.int16 if found.dtype == np.float16 else np.int32
    number = ~np.isnan(found)
    distance = np.abs(found.view(bits).astype(np.int64) - rounded.view(bits).astype(np.int64))
    assert distance[number & ~edge].max(initial=0) <= ulps
    assert distance[number & edge].max(initial=0) <= min(ulps, 1)
    assert np.array_equal(np.signbit(found[number]), np.signbit(rounded[number]))


erfc = np.vectorize(math.erfc, otypes=[np.float64])


def softplus(beta: float, threshold: float) -> Callable[[Array], Array]:
    beta, threshold = float(np.float32(beta)), float(np.float32(threshold))
    return lambda x: np.where(
        x * beta > threshold, x, np.log1p(np.exp(x.astype(np.float32) * np.float32(beta))) / beta
    )


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: 0.5 * x * erfc(-x * math.sqrt(0.5)),
}
ULPS = {"exp": 1, "rsqrt": 1, "sigmoid": 1, "silu": 1, "gelu": 1}
CASES = [(name, element) for name in FUNCTIONS for element in ("f16", "f32")]
CASES.remove(("gelu", "f32"))


@pytest.mark.parametrize(("name", "element"), CASES)
def test_functions(tmp_path: Path, name: str, element: str) -> None:
    x = everything(element)
    found = run(tmp_path, kernel(f"%r = spyreop.{name} %a : {element}", element, x.shape[1]), x)
    with np.errstate(all="ignore"):
        check_near(found, FUNCTIONS[name](x.astype(np.float64)), ULPS.get(name, 0))


TORCH: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "exp": torch.exp,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "sigmoid": torch.sigmoid,
    "silu": torch.nn.functional.silu,
    "gelu": torch.nn.functional.gelu,
}


@pytest.mark.parametrize("name", sorted(TORCH))
def test_special_values_are_those_of_pytorch(tmp_path: Path, name: str) -> None:
    x = np.tile(np.array([*SPECIAL[:7], 65504, -65504, 1, -1], np.float16), (128, 6))[:, :64]
    found = run(tmp_path, kernel(f"%r = spyreop.{name} %a : f16", "f16", 64), x)
    wanted = TORCH[name](torch.from_numpy(x)).numpy()
    special = ~np.isfinite(wanted) | (wanted == 0)
    assert same(found[special], wanted[special])
    np.testing.assert_allclose(found[~special].astype(float), wanted[~special].astype(float), 2e-3)


@pytest.mark.parametrize(("beta", "threshold"), [(1.0, 20.0), (0.5, 2.0), (-2.0, 5.0), (3.0, 1e3)])
def test_softplus(tmp_path: Path, beta: float, threshold: float) -> None:
    x = everything("f16")
    body = f"%r = spyreop.softplus %a beta {beta:e} threshold {threshold:e} : f16"
    found = run(tmp_path, kernel(body, "f16", x.shape[1]), x)
    with np.errstate(all="ignore"):
        check_near(found, softplus(beta, threshold)(x.astype(np.float64)), 1)
    wanted = torch.nn.functional.softplus(torch.from_numpy(x), beta, threshold).numpy()
    special = ~np.isfinite(wanted)
    assert same(found[special], wanted[special])


def pairs(element: str) -> tuple[Array, Array]:
    """Every special value with every other one, and some numbers."""
    dtype = NUMPY[element]
    special = np.array([*SPECIAL, 2.0, 3.0, -0.3], np.float64)
    with np.errstate(over="ignore"):
        numbers = np.random.default_rng(1).standard_normal(128 * 64).astype(dtype)
        a, b = numbers.copy(), numbers[::-1].copy()
        a[: special.size**2] = np.repeat(special, special.size).astype(dtype)
        b[: special.size**2] = np.tile(special, special.size).astype(dtype)
    return a.reshape(128, 64), b.reshape(128, 64)


@pytest.mark.parametrize("element", ["f16", "f32"])
def test_quotient_is_rounded_once(tmp_path: Path, element: str) -> None:
    a, b = pairs(element)
    text = kernel(f"%r = spyreop.realdiv %a, %b : {element}", element, 64, arity=2)
    found = run(tmp_path, text, a, b)
    with np.errstate(all="ignore"):
        assert same(found, (a.astype(np.float64) / b.astype(np.float64)).astype(found.dtype))


@pytest.mark.parametrize("element", ["f16", "f32"])
@pytest.mark.parametrize(
    ("predicate", "holds"),
    [
        ("equal", np.equal),
        ("notequal", lambda a, b: (a < b) | (a > b)),
        ("greaterthan", np.greater),
        ("greaterequal", np.greater_equal),
        ("lesserthan", np.less),
        ("lesserequal", np.less_equal),
    ],
)
def test_comparisons(tmp_path: Path, element: str, predicate: str, holds: Any) -> None:
    a, b = pairs(element)
    text = kernel(f"%r = spyreop.compare <{predicate}> %a, %b : {element}", element, 64, arity=2)
    assert same(run(tmp_path, text, a, b), holds(a, b).astype(a.dtype))


def test_choice_and_constant(tmp_path: Path) -> None:
    a, b = pairs("f16")
    c = np.roll(a, 1, axis=1)
    body = """%k = spyreop.constant -0.0 : f16
      %s = spyreop.select %a, %b, %c : f16
      %r = spyreop.select %k, %a, %s : f16"""
    assert same(run(tmp_path, kernel(body, "f16", 64, arity=3), a, b, c), np.where(a != 0, b, c))


@pytest.mark.parametrize(
    ("body", "element", "wanted"),
    [
        ("%r = spyreop.addi32toi32 %a, %b", "i32", lambda a, b: a + b),
        ("%r = spyreop.addi64toi64 %a, %b", "i64", lambda a, b: a + b),
        ("%r = spyreop.muli32toi32 %a, %b", "i32", lambda a, b: a * b),
        ("%r = spyreop.idx32toaddr %a base %b stride %a", "i32", lambda a, b: b + a * a),
        (
            "%r = spyreop.idx32toaddr %a base 0xFFFFFFF0 stride -4",
            "i32",
            lambda a, b: a * np.int32(-4) - np.int32(16),
        ),
    ],
)
def test_integers_wrap(tmp_path: Path, body: str, element: str, wanted: Any) -> None:
    limits = np.iinfo(NUMPY[element])
    rng = np.random.default_rng(2)
    a, b = (
        rng.integers(limits.min, limits.max, (128, 32), NUMPY[element], endpoint=True)
        for _ in range(2)
    )
    with np.errstate(over="ignore"):
        assert same(run(tmp_path, kernel(body, element, 32, arity=2), a, b), wanted(a, b))


def test_scalar_code(tmp_path: Path) -> None:
    scalars = """%i = arith.index_cast %core : index to i32
    %one = arith.constant 1 : i32
    %next = spyreop.addi32toi32 %i, %one
    %at = spyreop.idx32toaddr %next base 0x00000005 stride 3
    %f = arith.sitofp %at : i32 to f32
    %k = spyreop.constant 2.0 : f32
    %q = spyreop.realdiv %f, %k : f32
    %pair = spyreop.exx2_zeromean_fused %q : f32 -> !spyreop.fp32_fused
    %inverse = spyreop.layernormscale_fused %pair : !spyreop.fp32_fused -> f32
    %d, %squares = spyreop.exx2 %q : f32"""
    body = """%p = arith.mulf %a, %squares : f32
      %r = arith.mulf %p, %inverse : f32"""
    a = np.random.default_rng(3).standard_normal((128, 32)).astype(np.float32)
    q = np.repeat((5 + 3 * (np.arange(4) + 1)) / 2, 32)[:, None]
    found = run(tmp_path, kernel(body, "f32", 32, scalars=scalars), a)
    np.testing.assert_allclose(found, a * q, rtol=1e-6)


def reduction(body: str, element: str, results: int) -> str:
    """`body` in a reduction of each row of a, whose results are spread over the row again."""
    text = kernel("%r = arith.negf %a : f32", element, 64, result=element)
    start, end = text.index("    %none ="), text.index("\n    %y_view")
    rows = ", ".join(["#row"] * results)
    types = ", ".join([f"tensor<32x{element}>"] * results)
    news = ", ".join(f"%o{i}: {element}" for i in range(results))
    outs = ", ".join(["%few"] * results)
    use = "arith.addf %s0, %s1" if results == 2 else "arith.addf %s0, %s0"
    spread = ", ".join(f"%s{i}: {element}" for i in range(results))
    values = ", ".join(f"%m#{i}" for i in range(results))
    return (
        "#row = affine_map<(i, j) -> (i)>\n"
        + text[:start]
        + f"""
    %init = arith.constant 7.0 : {element}
    %few = tensor.splat %init : tensor<32x{element}>
    %m:{results} = linalg.generic {{indexing_maps = [#id, {rows}],
        iterator_types = ["parallel", "reduction"]}}
        ins(%a_in : tensor<32x64x{element}>) outs({outs} : {types}) {{
    ^bb0(%a: {element}, {news}):
      {body}
    }} -> ({types})
    %none = tensor.empty() : tensor<32x64x{element}>
    %y = linalg.generic {{indexing_maps = [{rows}, #id], iterator_types = ["parallel", "parallel"]}}
        ins({values} : {types}) outs(%none : tensor<32x64x{element}>) {{
    ^bb0({spread}, %old: {element}):
      %r = {use} : {element}
      linalg.yield %r : {element}
    }} -> tensor<32x64x{element}>"""
        + text[end:]
    )


def rows(element: str) -> Array:
    x = np.random.default_rng(4).standard_normal((128, 64)) + np.arange(128)[:, None] / 32
    return x.astype(NUMPY[element])


def moments(x: Array) -> tuple[Array, Array]:
    """Mean and mean of squares of rows, f64 rounded to the type of x."""
    wide = x.astype(np.float64)
    mean, squares = wide.mean(1, keepdims=True), (wide * wide).mean(1, keepdims=True)
    return mean.astype(x.dtype), squares.astype(x.dtype)


@pytest.mark.parametrize("element", ["f16", "f32"])
def test_means_of_a_reduction(tmp_path: Path, element: str) -> None:
    x = rows(element)
    body = f"""%mean, %squares = spyreop.exx2 %a : {element}
      linalg.yield %mean, %squares : {element}, {element}"""
    mean, squares = moments(x)
    found = run(tmp_path, reduction(body, element, 2), x)
    check_near(found, np.broadcast_to(mean + squares, x.shape).astype(np.float64), 1)


@pytest.mark.parametrize("element", ["f16", "f32"])
@pytest.mark.parametrize("form", ["apart", "fused", "zeromean"])
def test_scale_of_layer_norm(tmp_path: Path, element: str, form: str) -> None:
    pair = {"f16": "fp16", "f32": "fp32"}[element] + "_fused"
    op = "exx2_fused" if form == "fused" else "exx2_zeromean_fused"
    scale = f"""%p = spyreop.{op} %a : {element} -> !spyreop.{pair}
      %s = spyreop.layernormscale_fused %p : !spyreop.{pair} -> {element}"""
    if form == "apart":
        scale = f"""%mean, %squares = spyreop.exx2 %a : {element}
      %s = spyreop.layernormscale %mean squares %squares : {element}"""
    x = rows(element)
    x[5] = 2.0
    found = run(tmp_path, reduction(f"{scale}\n      linalg.yield %s : {element}", element, 1), x)
    mean, squares = (part.astype(np.float64) for part in moments(x))
    with np.errstate(divide="ignore"):
        wanted = 1 / np.sqrt(squares - (0 if form == "zeromean" else mean * mean))
    assert np.isinf(found[5]).all() == (form != "zeromean")
    np.testing.assert_allclose(
        found, 2 * wanted * np.ones((1, 64)), 2e-3 if element == "f16" else 2e-6
    )


def test_means_beside_a_fold(tmp_path: Path) -> None:
    x = rows("f32")
    body = """%mean, %squares = spyreop.exx2 %a : f32
      %max = arith.maximumf %o1, %a : f32
      linalg.yield %mean, %max : f32, f32"""
    found = run(tmp_path, reduction(body, "f32", 2), x)
    wanted = x.mean(1, keepdims=True) + np.maximum(x.max(1, keepdims=True), 7)
    np.testing.assert_allclose(found, wanted * np.ones((1, 64)), 1e-6)


def test_elements_are_their_own_means(tmp_path: Path) -> None:
    x = everything("f16")
    found = run(tmp_path, kernel("%m, %r = spyreop.exx2 %a : f16", "f16", x.shape[1]), x)
    with np.errstate(over="ignore", invalid="ignore"):
        assert same(found, (x.astype(np.float32) ** 2).astype(np.float16))
    text = kernel("%r, %s = spyreop.exx2 %a : f16", "f16", x.shape[1])
    assert same(run(tmp_path, text, x), x)


def test_every_op_has_a_meaning_or_a_reason() -> None:
    classes = (getattr(spyreop, name) for name in dir(spyreop))
    names = {getattr(entry, "OPERATION_NAME", "") for entry in classes}
    ops = {name for name in names if name.startswith("spyreop.")}
    assert len(ops) == 23
    assert {name for name in ops if not table.known(name)} == {"spyreop.constant"}


REFUSED = {
    "one operand": "%r = spyreop.layernormscale %a : f16",
    "mean of squares": "%r = spyreop.layernormnorm %a squares %a scale %a weight %a bias %a : f16",
}


@pytest.mark.parametrize("level", ["ktir", "sdf"])
@pytest.mark.parametrize("reason", sorted(REFUSED))
def test_what_has_no_public_meaning_is_refused(tmp_path: Path, reason: str, level: str) -> None:
    text = kernel(REFUSED[reason], "f16", 64)
    line = 1 + text[: text.index("spyreop.")].count("\n")
    refused(tmp_path, text, rf"k\.mlir:{line}:.*{reason}", level)


@pytest.mark.parametrize("level", ["ktir", "sdf"])
def test_means_beside_an_argmax_are_refused(tmp_path: Path, level: str) -> None:
    body = """%mean, %squares = spyreop.exx2 %a : f32
      %d = arith.divf %a, %o1 : f32
      linalg.yield %mean, %d : f32, f32"""
    refused(tmp_path, reduction(body, "f32", 2), "spyreop.exx2.*in the order of the loops", level)


@pytest.mark.parametrize("level", ["ktir", "sdf"])
@pytest.mark.parametrize("element", ["!spyreop.df16", "!spyreop.fp16_fused"])
def test_memory_holds_no_numbers_of_the_device(tmp_path: Path, element: str, level: str) -> None:
    text = kernel("%r = arith.constant 0.0 : f16", element, 64, result="f16")
    refused(tmp_path, text, rf"k\.mlir:\d+.*{element}", level)


@pytest.mark.parametrize("level", ["ktir", "sdf"])
def test_tiles_hold_no_pairs(tmp_path: Path, level: str) -> None:
    pair = "!spyreop.fp16_fused"
    text = kernel(f"%r = spyreop.exx2_fused %a : f16 -> {pair}", "f16", 64, result=pair)
    start = text.index("\n    %y_view")
    text = text[:start] + "\n    return\n}\n"
    refused(tmp_path, text, rf"k\.mlir:\d+.*{pair}", level)


@pytest.mark.parametrize("level", ["ktir", "sdf"])
def test_reductions_of_slices_are_refused(tmp_path: Path, level: str) -> None:
    text = kernel("%r = arith.negf %a : f16", "f16", 64)
    op = """%red = spyreop.slice_reduction %a_in {
      reduction_kind = #spyreop.reduction_kind<max>,
      reduction_scope = #spyreop.reduction_scope<in_slice>
    } : tensor<32x64xf16> -> tensor<32x64xf16>
    %none ="""
    text = text.replace("%none =", op, 1)
    refused(tmp_path, text, r"slice_reduction.*k\.mlir:\d+.*not public", level)


def refused(tmp_path: Path, text: str, message: str, level: str) -> None:
    path = tmp_path / "k.mlir"
    path.write_text(text)
    x = np.ones((128, 64), np.float32 if "xf32" in text else np.float16)
    with pytest.raises(UnsupportedError, match=message):
        ktir.run_kernel(path, "k", a_ptr=x, y_ptr=x, level=level)
