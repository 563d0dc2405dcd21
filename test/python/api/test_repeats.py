"""Launches of one prepared kernel: what later ones take over from earlier ones never shows in
values, profiles or faults.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ktir.api import PreparedKernel, launch_kernel
from ktir.errors import BoundsError, InputError, KtirError, MachineError

LEVELS = pytest.mark.parametrize("level", ["ktir", "sdf"])

ADD = """
#set = affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
#tile = affine_set<(d0) : (d0 >= 0, -d0 + 255 >= 0)>
#id = affine_map<(d0) -> (d0)>
module {
  func.func @add(%x: index, %y: index, %out: index, %n: index, %scale: f32)
      attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %xv = ktdp.construct_memory_view %x, sizes: [%n], strides: [1] {
      coordinate_set = #set, memory_space = #ktdp.memory_space<global> } : memref<?xf32>
    %yv = ktdp.construct_memory_view %y, sizes: [%n], strides: [1] {
      coordinate_set = #set, memory_space = #ktdp.memory_space<global> } : memref<?xf32>
    %ov = ktdp.construct_memory_view %out, sizes: [%n], strides: [1] {
      coordinate_set = #set, memory_space = #ktdp.memory_space<global> } : memref<?xf32>
    %xt = ktdp.construct_access_tile %xv[%c0] {
      access_tile_order = #id, access_tile_set = #tile } : memref<?xf32> -> <256xindex>
    %yt = ktdp.construct_access_tile %yv[%c0] {
      access_tile_order = #id, access_tile_set = #tile } : memref<?xf32> -> <256xindex>
    %ot = ktdp.construct_access_tile %ov[%c0] {
      access_tile_order = #id, access_tile_set = #tile } : memref<?xf32> -> <256xindex>
    %xs = ktdp.load %xt : <256xindex> -> tensor<256xf32>
    %ys = ktdp.load %yt : <256xindex> -> tensor<256xf32>
    %s = tensor.splat %scale : tensor<256xf32>
    %p = arith.mulf %ys, %s : tensor<256xf32>
    %r = arith.addf %xs, %p : tensor<256xf32>
    ktdp.store %r, %ot : tensor<256xf32>, <256xindex>
    return
  }
}
"""
"""out = x + y * scale for the first n elements."""

PART = ADD.replace(
    """%out, sizes: [%n], strides: [1] {
      coordinate_set = #set, memory_space = #ktdp.memory_space<global> } : memref<?xf32>""",
    """%out, sizes: [256], strides: [1] {
      coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>,
      memory_space = #ktdp.memory_space<global> } : memref<256xf32>""",
).replace(
    """%ov[%c0] {
      access_tile_order = #id, access_tile_set = #tile } : memref<?xf32>""",
    """%ov[%c0] {
      access_tile_order = #id, access_tile_set = #tile } : memref<256xf32>""",
)
"""The same for the first 8 elements of an output of 256."""

SWAP = """
#row = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @swap(%x: index, %y: index, %times: index) attributes {grid = [4]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %core = ktdp.get_compute_tile_id : index
    %xv = ktdp.construct_memory_view %x, sizes: [4, 64], strides: [64, 1] {
      coordinate_set = #rows, memory_space = #ktdp.memory_space<global> } : memref<4x64xf32>
    %yv = ktdp.construct_memory_view %y, sizes: [4, 64], strides: [64, 1] {
      coordinate_set = #rows, memory_space = #ktdp.memory_space<global> } : memref<4x64xf32>
    %xt = ktdp.construct_access_tile %xv[%core, %c0] {
      access_tile_order = #id, access_tile_set = #row } : memref<4x64xf32> -> <1x64xindex>
    %yt = ktdp.construct_access_tile %yv[%core, %c0] {
      access_tile_order = #id, access_tile_set = #row } : memref<4x64xf32> -> <1x64xindex>
    %a = ktdp.load %xt : <1x64xindex> -> tensor<1x64xf32>
    %zero = arith.constant dense<0.0> : tensor<1x64xf32>
    %r:3 = scf.for %i = %c0 to %times step %c1 iter_args(%p = %a, %q = %zero, %k = %core)
        -> (tensor<1x64xf32>, tensor<1x64xf32>, index) {
      %sum = arith.addf %p, %a : tensor<1x64xf32>
      %next = arith.addi %k, %c1 : index
      scf.yield %q, %sum, %next : tensor<1x64xf32>, tensor<1x64xf32>, index
    }
    %even = arith.remui %r#2, %c2 : index
    %is_even = arith.cmpi eq, %even, %c0 : index
    scf.if %is_even {
      %t = arith.addf %r#0, %a : tensor<1x64xf32>
      ktdp.store %t, %yt : tensor<1x64xf32>, <1x64xindex>
    } else {
      ktdp.store %r#1, %yt : tensor<1x64xf32>, <1x64xindex>
    }
    return
  }
}
"""
"""Tensors that change places from iteration to iteration; branches that differ by core."""

PICK = """
#set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#one = affine_set<(d0) : (d0 >= 0, -d0 >= 0)>
#id = affine_map<(d0) -> (d0)>
module {
  func.func @pick(%x: index, %at: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %xv = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
      coordinate_set = #set, memory_space = #ktdp.memory_space<global> } : memref<64xf32>
    %av = ktdp.construct_memory_view %at, sizes: [1], strides: [1] {
      coordinate_set = #one, memory_space = #ktdp.memory_space<global> } : memref<1xi64>
    %yv = ktdp.construct_memory_view %y, sizes: [1], strides: [1] {
      coordinate_set = #one, memory_space = #ktdp.memory_space<global> } : memref<1xf32>
    %i = memref.load %av[%c0] : memref<1xi64>
    %place = arith.index_cast %i : i64 to index
    PLACE
    %t = tensor.from_elements %v : tensor<1xf32>
    %yt = ktdp.construct_access_tile %yv[%c0] {
      access_tile_order = #id, access_tile_set = #one } : memref<1xf32> -> <1xindex>
    ktdp.store %t, %yt : tensor<1xf32>, <1xindex>
    return
  }
}
"""
"""y = x[at], where `at` is read from memory."""

FROM_MEMORY = "%v = memref.load %xv[%place] : memref<64xf32>"
FROM_TILE = """
    %xt = ktdp.construct_access_tile %xv[%c0] {
      access_tile_order = #id, access_tile_set = #set } : memref<64xf32> -> <64xindex>
    %xs = ktdp.load %xt : <64xindex> -> tensor<64xf32>
    %v = tensor.extract %xs[%place] : tensor<64xf32>
"""
BRANCH = """
    %first = arith.cmpi eq, %place, %c0 : index
    %c1 = arith.constant 1 : index
    %v = scf.if %first -> (f32) {
      %u = memref.load %xv[%c0] : memref<64xf32>
      scf.yield %u : f32
    } else {
      %u = memref.load %xv[%c1] : memref<64xf32>
      scf.yield %u : f32
    }
"""


class Twins:
    """A prepared kernel, each launch of which is compared with one of a kernel that was never
    launched."""

    def __init__(self, folder: Path, text: str, level: str) -> None:
        self.file, self.level = folder / "kernel.mlir", level
        self.file.write_text(text)
        self.kernel = PreparedKernel(self.file, level=level)

    def __call__(self, *, check: str = "bounds", **args: Any) -> dict[Any, Any]:
        """One launch; raises what both raise."""
        expected: KtirError | None = None
        try:
            alone = launch_kernel(self.file, args, check=check, level=self.level)
        except KtirError as error:
            expected = error
        if expected is not None:
            with pytest.raises(type(expected)) as raised:
                self.kernel.launch(args, check=check)
            assert str(raised.value) == str(expected)
            raise expected
        found = self.kernel.launch(args, check=check)
        assert found.profile == alone.profile
        assert list(found.arrays) == list(alone.arrays)
        for name, array in found.arrays.items():
            assert type(array) is type(alone.arrays[name])
            assert array.dtype == alone.arrays[name].dtype
            np.testing.assert_array_equal(as_bytes(array), as_bytes(alone.arrays[name]))
        return found.arrays

    @property
    def recordings(self) -> int:
        """How many launches can be repeated."""
        known = self.kernel._repeats._known.values()
        return sum(repeat is not None for repeat in known)


def as_bytes(array: Any) -> Any:
    """All bits of an array, with its shape."""
    if isinstance(array, torch.Tensor):
        array = array.numpy()
    return np.ascontiguousarray(array).view(np.uint8)


def numbers(seed: int, *shape: int) -> Any:
    """Random f32 numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@LEVELS
def test_other_elements_shapes_and_scalars_in_turn(tmp_path: Path, level: str) -> None:
    launch = Twins(tmp_path, ADD, level)
    for seed in range(4):
        for n, extent in ((200, 200), (200, 256), (17, 200), (0, 200)):
            x, y = numbers(seed, extent), numbers(seed + 10, extent)
            found = launch(x=x, y=y, out=np.zeros(extent, np.float32), n=n, scale=1.0)
            np.testing.assert_array_equal(found["out"][:n], (x + y)[:n])
            assert not found["out"][n:].any()
    assert launch.recordings == 4


@LEVELS
def test_scalars_that_compare_equal_are_told_apart(tmp_path: Path, level: str) -> None:
    launch = Twins(tmp_path, ADD, level)
    y, x = np.ones(4, np.float32), np.full(4, -0.0, np.float32)
    for _ in range(3):
        with pytest.raises(InputError, match="True"):
            launch(x=x, y=y, out=x, n=4, scale=True)
        for scale in (0.0, -0.0, math.nan, 1, 1.0, np.float16(1.0), np.float32(-0.0)):
            out = launch(x=x, y=y, out=x, n=4, scale=scale)["out"]
            expected = x + y * np.float32(scale)
            np.testing.assert_array_equal(np.signbit(out), np.signbit(expected))
            np.testing.assert_array_equal(out, expected)


@LEVELS
def test_other_checks_of_the_same_launch(tmp_path: Path, level: str) -> None:
    launch = Twins(tmp_path, ADD, level)
    x = numbers(1, 64)
    for _ in range(3):
        for check in ("bounds", "off", "full"):
            launch(check=check, x=x, y=x, out=x, n=64, scale=2.0)


@LEVELS
def test_kinds_and_layouts_of_arrays(tmp_path: Path, level: str) -> None:
    launch = Twins(tmp_path, ADD, level)
    plain = numbers(2, 128)
    kinds = (
        plain,
        plain[::-1],
        np.repeat(plain, 2)[::2],
        plain.astype(">f4"),
        torch.from_numpy(plain),
        torch.from_numpy(np.repeat(plain, 2))[::2],
        torch.from_numpy(plain).requires_grad_(),
    )
    for _ in range(3):
        for x in kinds:
            for y in (plain, torch.from_numpy(plain)):
                launch(x=x, y=y, out=y, n=128, scale=0.5)


@LEVELS
def test_arrays_that_are_read_where_they_are(
    tmp_path: Path, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large array is not copied if its elements lie in order; another one of its shape is."""
    monkeypatch.setattr("ktir.machine.placed.LENT_BYTES", 1024)
    launch = Twins(tmp_path, PART, level)
    plain = numbers(4, 256)
    spread = np.repeat(plain, 2)[::2]
    read_only = plain + 1
    read_only.flags.writeable = False
    for x in [spread, spread, spread, plain, plain[::-1], read_only, plain, spread]:
        found = launch(x=x, y=spread, n=256, scale=1.0)["out"]
        np.testing.assert_array_equal(found[:8], (x + plain)[:8])


@LEVELS
def test_one_array_for_several_arguments(tmp_path: Path, level: str) -> None:
    launch = Twins(tmp_path, ADD, level)
    for seed in range(4):
        x = numbers(seed, 32)
        before = x.copy()
        found = launch(x=x, y=x, out=x, n=32, scale=1.0)
        np.testing.assert_array_equal(found["out"], before + before)
        np.testing.assert_array_equal(found["x"], before)
        np.testing.assert_array_equal(x, before)


@LEVELS
def test_results_are_memory_of_their_own(tmp_path: Path, level: str) -> None:
    launch = Twins(tmp_path, ADD, level)
    args: dict[str, Any] = {"y": np.zeros(16, np.float32), "n": 16, "scale": 1.0}
    kept = []
    for seed in range(4):
        x = numbers(seed, 16)
        found = launch(x=x, out=x, **args)
        assert all(found[name].flags.writeable for name in found)
        kept.append((x.copy(), found["out"]))
        x[:] = 7
        found["x"][:] = 8
    for x, out in kept:
        np.testing.assert_array_equal(x, out)


@LEVELS
def test_outputs_that_are_left_out_are_fresh_each_time(tmp_path: Path, level: str) -> None:
    launch = Twins(tmp_path, PART, level)
    for seed in range(4):
        x = numbers(seed, 256)
        out = launch(x=x, y=x, n=256, scale=1.0)["out"]
        np.testing.assert_array_equal(out[:8], (x + x)[:8])
        assert (as_bytes(out[8:]) == 0xFF).all()


@LEVELS
def test_values_that_loops_carry_and_branches_by_core(tmp_path: Path, level: str) -> None:
    launch = Twins(tmp_path, SWAP, level)
    for seed in range(4):
        for times in (0, 1, 2, 3, 6):
            launch(x=numbers(seed, 4, 64), y=numbers(9, 4, 64), times=times)
    assert launch.recordings == 5


@LEVELS
@pytest.mark.parametrize("place", [FROM_MEMORY, BRANCH], ids=["place", "branch"])
def test_data_that_decides_is_looked_at_each_time(tmp_path: Path, level: str, place: str) -> None:
    launch = Twins(tmp_path, PICK.replace("PLACE", place), level)
    x = np.arange(64, dtype=np.float32)
    for at in (0, 1, 0, 0, 1, 1):
        found = launch(x=x, at=np.array([at]), y=np.zeros(1, np.float32))
        assert found["y"][0] == at
    assert launch.recordings == 0


@LEVELS
@pytest.mark.parametrize("place", [FROM_MEMORY, FROM_TILE], ids=["memory", "tile"])
def test_faults_between_launches(tmp_path: Path, level: str, place: str) -> None:
    launch = Twins(tmp_path, PICK.replace("PLACE", place), level)
    x = np.arange(64, dtype=np.float32)
    for at in (3, 64, 5, 7, -1, 63, 64, 0):
        args: dict[str, Any] = {"x": x, "at": np.array([at]), "y": np.zeros(1, np.float32)}
        if 0 <= at < 64:
            assert launch(**args)["y"][0] == at
        else:
            with pytest.raises((BoundsError, MachineError), match=r"kernel\.mlir"):
                launch(**args)


@LEVELS
def test_a_launch_that_never_succeeds(tmp_path: Path, level: str) -> None:
    """Views past the end of an array fault every time, also between launches that do not."""
    launch = Twins(tmp_path, ADD, level)
    x = numbers(1, 64)
    for n in (64, 65, 65, 64, 65, 64, 65):
        if n == 64:
            launch(x=x, y=x, out=x, n=n, scale=1.0)
        else:
            with pytest.raises(BoundsError):
                launch(x=x, y=x, out=x, n=n, scale=1.0)


@LEVELS
def test_arguments_that_do_not_fit_are_refused_each_time(tmp_path: Path, level: str) -> None:
    launch = Twins(tmp_path, ADD, level)
    x = numbers(1, 64)
    for _ in range(3):
        launch(x=x, y=x, out=x, n=64, scale=1.0)
        for wrong in (
            {"x": x.astype(np.float16)},
            {"n": 64.5},
            {"n": 1 << 70},
            {"z": x},
            {"scale": "1"},
            {"x": torch.zeros(64, device="meta")},
        ):
            with pytest.raises(InputError):
                launch(**{"x": x, "y": x, "out": x, "n": 64, "scale": 1.0} | wrong)


def test_few_recordings_are_kept(tmp_path: Path) -> None:
    launch = Twins(tmp_path, ADD, "ktir")
    x = numbers(1, 64)
    for n in (*range(40), *range(40)):
        for _ in range(2):
            launch(x=x, y=x, out=x, n=n, scale=1.0)
    assert 0 < launch.recordings <= launch.kernel._repeats.MOST
