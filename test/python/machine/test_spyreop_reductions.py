"""Intrinsics that reduce, and what is refused because its meaning is not public."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from spyreop_text import NUMPY, Array, check_near, everything, kernel, refused, run, same

from ktir.machine import table
from ktir.mlir.dialects import spyreop


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
