"""`memref` ops of kernels: views of views, elements, constants, allocated memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernel_text import run
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.errors import BoundsError, MachineError, UnsupportedError

ID = "%id = ktdp.get_compute_tile_id : index\n"
NUMBERS = "".join(f"%c{n} = arith.constant {n} : index\n" for n in (1, 2, 3, 4))
SUB = "memref<4x6xf16, strided<[32, 1], offset: ?>>"
LX = "#ktdp.spyre_memory_space<LX>"


def x_of() -> Any:
    return np.arange(256, dtype=np.float16).reshape(16, 16)


def part(offsets: str = "%id, 2", size: str = "4, 6", strides: str = "2, 1") -> str:
    """%part: rows id, id + 2, .. and columns 2..7 of the 16 x 16 matrix %x."""
    return view("v", "%x", "16, 16", "16, 1", box(16, 16), "16x16xf16") + (
        f"%part = memref.subview %v[{offsets}] [{size}] [{strides}] : memref<16x16xf16> to {SUB}\n"
    )


def out(size: int) -> str:
    """%to: row id of the result, of `size` numbers."""
    whole = f"4x{size}xf16"
    return view("yv", "%y", f"4, {size}", f"{size}, 1", box(4, size), whole) + tile(
        "to", "%yv[%id, %c0]", whole, box(1, size), identity(2), f"1x{size}"
    )


def rows(body: str, size: int, *, module: str = "", check: str = "full") -> Any:
    text = kernel(ID + NUMBERS + body, grid="[4]")
    if module:
        text = f"module {{\n{module}\n{text}\n}}"
    args = [x_of(), np.zeros((4, size), np.float16)]
    return run(text, args=args, check=check).arrays["y"]


def parts() -> list[Any]:
    return [x_of()[core : core + 8 : 2, 2:8] for core in range(4)]


def test_tiles_of_parts() -> None:
    body = (
        part()
        + f"%t = ktdp.construct_access_tile %part[%c1, %c0] {{ access_tile_set = {box(1, 6)}, "
        + f"access_tile_order = {identity(2)} }} : {SUB} -> !ktdp.access_tile<1x6xindex>\n"
        + load("d", "t", "1x6")
        + out(6)
        + store("d", "to", "1x6")
    )
    np.testing.assert_array_equal(rows(body, 6), np.stack([part[1] for part in parts()]))
    with pytest.raises(
        BoundsError, match=r"core 0 reads a part of .* \[4, 0\], .* \[0\.\.3, 0\.\.5\]"
    ):
        rows(body.replace("%part[%c1", "%part[%c4"), 6, check="bounds")


def test_parts_of_parts_without_a_dimension() -> None:
    body = (
        part()
        + f"%row = memref.subview %part[1, 1] [1, 4] [1, 1] : {SUB} to "
        + "memref<4xf16, strided<[1], offset: ?>>\n"
        + f"%t = ktdp.construct_access_tile %row[%c0] {{ access_tile_set = {box(4)}, "
        + f"access_tile_order = {identity(1)} }} : memref<4xf16, strided<[1], offset: ?>> -> "
        + "!ktdp.access_tile<4xindex>\n"
        + load("d1", "t", "4")
        + "%d = tensor.expand_shape %d1 [[0, 1]] output_shape [1, 4] : tensor<4xf16> into "
        + "tensor<1x4xf16>\n"
        + out(4)
        + store("d", "to", "1x4")
    )
    np.testing.assert_array_equal(rows(body, 4), np.stack([part[1, 1:5] for part in parts()]))


def test_parts_lie_inside() -> None:
    with pytest.raises(
        BoundsError, match=r"a part of the view of %x .* dimension 0 of size \[16\]"
    ):
        rows("%at = arith.constant 10 : index\n" + part(offsets="%at, 2"), 1)
    rows("%at = arith.constant 9 : index\n" + part(offsets="%at, 2"), 1)


def test_parts_keep_the_valid_coordinates() -> None:
    valid = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>"
    body = (
        "%n = arith.addi %id, %c3 : index\n"
        + view("v", "%x", "%n", "1", valid, "?xf16")
        + "%part = memref.subview %v[1] [4] [2] : memref<?xf16> to "
        + "memref<4xf16, strided<[2], offset: 1>>\n"
        + f"%t = ktdp.construct_access_tile %part[%c0] {{ access_tile_set = {box(4)}, "
        + f"access_tile_order = {identity(1)} }} : memref<4xf16, strided<[2], offset: 1>> -> "
        + "!ktdp.access_tile<4xindex>\n"
        + load("d1", "t", "4")
        + "%d = tensor.expand_shape %d1 [[0, 1]] output_shape [1, 4] : tensor<4xf16> into "
        + "tensor<1x4xf16>\n"
        + out(4)
        + store("d", "to", "1x4")
    )
    places = np.arange(1, 9, 2)
    expected = np.where(places < np.arange(3, 7)[:, None], x_of()[0, places], 0)
    np.testing.assert_array_equal(rows(body, 4), expected)


def test_elements() -> None:
    body = (
        part()
        + f"%e = memref.load %part[%c2, %id] : {SUB}\n"
        + view("yv", "%y", "4, 2", "2, 1", box(4, 2), "4x2xf16")
        + "memref.store %e, %yv[%id, %c1] : memref<4x2xf16>\n"
    )
    expected = np.zeros((4, 2))
    expected[:, 1] = [part[2, core] for core, part in enumerate(parts())]
    np.testing.assert_array_equal(rows(body, 2), expected)
    with pytest.raises(BoundsError, match=r"core 2 writes .* coordinates \[4, 1\]"):
        rows(
            body.replace("%yv[%id, %c1]", "%yv[%j, %c1]").replace(
                "memref.store", "%j = arith.addi %id, %c2 : index\nmemref.store"
            ),
            2,
        )


def test_sizes() -> None:
    body = (
        part()
        + f"%n = memref.dim %part, %c1 : {SUB}\n%r = memref.rank %part : {SUB}\n"
        + "%s = arith.addi %n, %r : index\n%i = arith.index_cast %s : index to i32\n"
        + "%f = arith.sitofp %i : i32 to f16\n%d = tensor.splat %f : tensor<1x1xf16>\n"
        + out(1)
        + store("d", "to", "1x1")
    )
    np.testing.assert_array_equal(rows(body, 1), np.full((4, 1), 8))


def test_other_shapes_of_memory() -> None:
    body = (
        view("v", "%x", "16, 16", "16, 1", box(16, 16), "16x16xf16")
        + "%w = memref.reinterpret_cast %v to offset: [3], sizes: [4, 5], strides: [20, 2] : "
        + "memref<16x16xf16> to memref<4x5xf16, strided<[20, 2], offset: 3>>\n"
        + "%u = memref.cast %w : memref<4x5xf16, strided<[20, 2], offset: 3>> to "
        + "memref<?x?xf16, strided<[20, ?], offset: ?>>\n"
        + f"%t = ktdp.construct_access_tile %u[%id, %c0] {{ access_tile_set = {box(1, 5)}, "
        + f"access_tile_order = {identity(2)} }} : memref<?x?xf16, strided<[20, ?], offset: ?>> "
        + "-> !ktdp.access_tile<1x5xindex>\n"
        + load("d", "t", "1x5")
        + out(5)
        + store("d", "to", "1x5")
    )
    expected = [[3 + 20 * i + 2 * j for j in range(5)] for i in range(4)]
    np.testing.assert_array_equal(rows(body, 5), x_of().reshape(-1)[expected])


WEIGHTS = np.arange(8, dtype=np.float16).reshape(2, 4) * np.float16(0.5)
GLOBAL = f'memref.global "private" constant @w : memref<2x4xf16> = dense<{WEIGHTS.tolist()}>\n'
TABLE = (
    "%g = memref.get_global @w : memref<2x4xf16>\n%half = arith.divui %id, %c2 : index\n"
    f"%t = ktdp.construct_access_tile %g[%half, %c0] {{ access_tile_set = {box(1, 4)}, "
    f"access_tile_order = {identity(2)} }} : memref<2x4xf16> -> !ktdp.access_tile<1x4xindex>\n"
)


def test_constants_of_the_module() -> None:
    body = (
        TABLE
        + load("d", "t", "1x4")
        + "%e = memref.load %g[%c1, %id] : memref<2x4xf16>\n"
        + "%s = tensor.splat %e : tensor<1x4xf16>\n"
        + "%r = arith.addf %d, %s : tensor<1x4xf16>\n"
        + out(4)
        + store("r", "to", "1x4")
    )
    expected = WEIGHTS[[0, 0, 1, 1]] + WEIGHTS[1][:, None]
    np.testing.assert_array_equal(rows(body, 4, module=GLOBAL), expected)


def test_constants_stay() -> None:
    body = TABLE + "%d = arith.constant dense<1.0> : tensor<1x4xf16>\n" + store("d", "t", "1x4")
    with pytest.raises(BoundsError, match="constants are only read"):
        rows(body, 1, module=GLOBAL, check="bounds")
    with pytest.raises(UnsupportedError, match="@w is no constant"):
        rows(TABLE, 1, module=GLOBAL.replace("constant ", ""))


def allocated(count: int) -> str:
    """Writes `count` of 6 elements of allocated memory and reads all."""
    space = f"memref<2x6xf16, {LX}>"
    return (
        f"%m = memref.alloc() : {space}\n"
        + f"%all = ktdp.construct_access_tile %m[%c1, %c0] {{ access_tile_set = {box(1, 6)}, "
        + f"access_tile_order = {identity(2)} }} : {space} -> !ktdp.access_tile<1x6xindex>\n"
        + f"%some = ktdp.construct_access_tile %m[%c1, %c0] {{ access_tile_set = {box(1, count)}, "
        + f"access_tile_order = {identity(2)} }} : {space} -> !ktdp.access_tile<1x{count}xindex>\n"
        + view("v", "%x", "16, 16", "16, 1", box(16, 16), "16x16xf16")
        + tile("from", "%v[%id, %c0]", "16x16xf16", box(1, count), identity(2), f"1x{count}")
        + load("d", "from", f"1x{count}")
        + store("d", "some", f"1x{count}")
        + load("e", "all", "1x6")
        + out(6)
        + store("e", "to", "1x6")
        + f"memref.dealloc %m : {space}\n"
    )


def test_allocated_memory_is_each_cores_own() -> None:
    np.testing.assert_array_equal(rows(allocated(6), 6), x_of()[:4, :6])
    with pytest.raises(
        MachineError, match=r"reads allocated memory at coordinates \[1, 5\], .* nobody"
    ):
        rows(allocated(5), 6)


def test_allocated_memory_fits() -> None:
    fits = f"%m = memref.alloca() : memref<16384x64xf16, {LX}>\n"
    rows(fits, 1)
    with pytest.raises(MachineError, match="allocates 2097280 bytes; a scratchpad has 2097152"):
        rows(fits + f"%n = memref.alloc() : memref<1xf16, {LX}>\n", 1)


def test_copies() -> None:
    body = (
        part()
        + view("yv", "%y", "4, 6", "6, 1", box(4, 6), "4x6xf16")
        + f"memref.copy %part, %yv : {SUB} to memref<4x6xf16>\n"
    )
    text = kernel(ID + NUMBERS + body, grid="[1]")
    found = run(text, args=[x_of(), np.zeros((4, 6), np.float16)], check="full").arrays["y"]
    np.testing.assert_array_equal(found, parts()[0])
