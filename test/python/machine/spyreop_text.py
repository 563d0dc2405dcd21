"""Kernels with one op of `spyreop`, their runs, and comparisons of what they leave."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import ktir
import ktir.machine.dialects
from ktir.errors import UnsupportedError

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


def refused(tmp_path: Path, text: str, message: str, level: str) -> None:
    path = tmp_path / "k.mlir"
    path.write_text(text)
    x = np.ones((128, 64), np.float32 if "xf32" in text else np.float16)
    with pytest.raises(UnsupportedError, match=message):
        ktir.run_kernel(path, "k", a_ptr=x, y_ptr=x, level=level)
