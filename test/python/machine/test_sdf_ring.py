"""`sdf` between cores: tables by core, publications, scratchpads of other cores, constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from kernel_text import run

from ktir.errors import BoundsError, MachineError
from ktir.machine.functions import Library
from ktir.machine.launch import decode_kernel, kernels_of
from ktir.machine.memory import DeviceMemory
from ktir.machine.profile import KernelProfile
from ktir.mlir import ir
from ktir.target import load_target

HEAD = """
%id = sdf.core_id : index
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c4 = arith.constant 4 : index
%c64 = arith.constant 64 : index
%row = arith.muli %id, %c64 : index
%from = arith.addi %x, %row : index
%to = arith.addi %y, %row : index
sdf.read #sdf.buffer<0, 64xf16> from %from[0] bounds [64] strides [1]
"""
WRITE = "sdf.write #sdf.buffer<BYTE, 64xf16> to %to[0] bounds [64] strides [1]\n"


def program(body: str, byte: int = 128, grid: str = "[4]") -> str:
    write = WRITE.replace("BYTE", str(byte))
    return f"sdf.program @p(%x: index, %y: index) grid {grid} {{{HEAD}{body}{write}sdf.return\n}}"


def x_of(cores: int = 4) -> Any:
    return np.random.default_rng(0).standard_normal((cores, 64)).astype(np.float16)


def rows(text: str, cores: int = 4, **options: Any) -> Any:
    return run(text, args=[x_of(cores), np.zeros((cores, 64), np.float16)], **options).arrays["y"]


def count_only(text: str) -> KernelProfile:
    with ir.Context():
        module = ir.Module.parse(text)
        (op,) = kernels_of(module.operation).values()
        kernel = decode_kernel(op, Library(module.operation), load_target(), values=False)
    memory = DeviceMemory(1 << 20, values=False)
    memory.add_region("all", 0, 1 << 20)
    values = [torch.tensor([4096]), torch.tensor([8192])]
    return kernel.launch(values, memory, load_target(), values=False)


MIRROR = """
%source = sdf.by_core dense<[3, 2, 1, 0]> : tensor<4xi64> : index
%f = sdf.publish #sdf.buffer<0, 64xf16> producers [0, 1, 2, 3] : !sdf.future
sdf.receive #sdf.buffer<128, 64xf16> from core %source of %f
"""


@pytest.mark.parametrize("check", ["off", "bounds", "full"])
def test_each_core_receives_from_its_source(check: str) -> None:
    np.testing.assert_array_equal(rows(program(MIRROR), check=check), x_of()[::-1])


def test_bytes_on_the_ring_are_counted_apart() -> None:
    text = program(MIRROR)
    result = run(text, args=[x_of(), np.zeros((4, 64), np.float16)])
    assert result.profile.ring_bytes == 4 * 128
    assert result.profile.read_bytes == 4 * 128
    assert count_only(text).ring_bytes == 4 * 128
    own = program(MIRROR.replace("[3, 2, 1, 0]", "[0, 1, 1, 3]"))
    assert run(own, args=[x_of(), np.zeros((4, 64), np.float16)]).profile.ring_bytes == 128


def test_what_is_published_does_not_change() -> None:
    later = "sdf.constant #sdf.buffer<0, 64xf16>, dense<7.0> : tensor<64xf16>\n"
    body = MIRROR.replace("sdf.receive", later + "sdf.receive")
    np.testing.assert_array_equal(rows(program(body)), x_of()[::-1])
    np.testing.assert_array_equal(rows(program(body, byte=0)), np.full((4, 64), 7))


FOLD = """
sdf.constant #sdf.buffer<256, 64xf16>, dense<0.0> : tensor<64xf16>
%n = sdf.by_core dense<[1, 2, 3, 4]> : tensor<4xi64> : index
%f = sdf.publish #sdf.buffer<0, 64xf16> producers [0, 1, 2, 3] : !sdf.future
scf.for %k = %c0 to %n step %c1 {
  %p = sdf.by_core dense<[[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]]>
    : tensor<4x4xi64>[%k] : index
  sdf.receive #sdf.buffer<128, 64xf16> from core %p of %f
  sdf.compute vector ins(#sdf.buffer<128, 64xf16>) outs(#sdf.buffer<256, 64xf16>) {
    indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
    iterator_types = ["parallel"]} {
  ^bb0(%a: f16, %b: f16):
    %s = arith.addf %b, %a : f16
    sdf.yield %s : f16
  }
}
"""


def test_a_fold_over_sources_whose_number_differs() -> None:
    expected = x_of()[[0]].copy()
    for core in range(1, 4):
        expected = np.concatenate([expected, (expected[-1] + x_of()[core])[None]])
    np.testing.assert_array_equal(rows(program(FOLD, byte=256), check="full"), expected)


def test_some_cores_publish_and_others_receive() -> None:
    body = """
    %f = sdf.publish #sdf.buffer<0, 64xf16> producers [2] : !sdf.future
    sdf.constant #sdf.buffer<128, 64xf16>, dense<1.0> : tensor<64xf16>
    %mine = sdf.by_core dense<[1, 0, 0, 1]> : tensor<4xi64> : index
    %receives = arith.cmpi eq, %mine, %c1 : index
    scf.if %receives {
      %two = arith.constant 2 : index
      sdf.receive #sdf.buffer<128, 64xf16> from core %two of %f
    }
    """
    expected = np.ones((4, 64), np.float16)
    expected[[0, 3]] = x_of()[2]
    np.testing.assert_array_equal(rows(program(body), check="full"), expected)


@pytest.mark.parametrize("launch", [lambda text: rows(text), count_only])
def test_deadlock(launch: Callable[[str], Any]) -> None:
    text = program(MIRROR.replace("producers [0, 1, 2, 3]", "producers [0, 1]"))
    pattern = (
        r"'sdf.receive' at .*deadlock: core 0 in .* for core 3 to publish; core 1 in .* core 2"
    )
    with pytest.raises(MachineError, match=pattern):
        launch(text)


def test_sources_and_tables_are_checked() -> None:
    with pytest.raises(BoundsError, match="core 4 is named as a source; the grid has cores 0 to 3"):
        rows(program(MIRROR.replace("[3, 2, 1, 0]", "[3, 2, 1, 4]")))
    body = "%t = sdf.by_core dense<[[1], [2], [3], [4]]> : tensor<4x1xi64>[%id] : index\n"
    with pytest.raises(BoundsError, match=r"index 3 in dimension 1 of a table that has 0\.\.0"):
        rows(program(body, byte=0))
    with pytest.raises(MachineError, match="a table of 4 rows in a launch of 2 cores"):
        rows(program(MIRROR), grid=[2])


OTHERS = """
%other = sdf.by_core dense<[1, 0, 3, 2]> : tensor<4xi64> : index
sdf.OP
"""


def test_scratchpads_of_other_cores() -> None:
    at = "%at = arith.constant 2048 : index\n"
    write = "write #sdf.buffer<0, 64xf16> to %at[0] bounds [64] strides [1] in core %other"
    read = "sdf.read #sdf.buffer<128, 64xf16> from %at[0] bounds [64] strides [1] in core %id\n"
    body = at + OTHERS.replace("OP", write) + read
    np.testing.assert_array_equal(rows(program(body)), x_of()[[1, 0, 3, 2]])
    # Nothing orders the write of one core and the read of another.
    with pytest.raises(MachineError, match=r"core 0 reads .* which core 1 writes in this kernel"):
        rows(program(body), check="full")
    ordered = OTHERS.replace("OP", write) + MIRROR.replace("[3, 2, 1, 0]", "[1, 0, 3, 2]") + read
    found = rows(program(at + ordered), check="full")
    np.testing.assert_array_equal(found, x_of()[[1, 0, 3, 2]])


def test_a_scratchpad_that_the_grid_does_not_have() -> None:
    body = "%at = arith.constant 2048 : index\nsdf.read #sdf.buffer<128, 64xf16> from %at[0] "
    body += "bounds [64] strides [1] in core %c4\n"
    with pytest.raises(MachineError, match=r"scratchpad of core 4 .* cores 0 to 3"):
        rows(program(body))


def test_an_address_past_the_scratchpad() -> None:
    body = "%at = arith.constant 1048544 : index\nsdf.read #sdf.buffer<128, 64xf16> from %at[0] "
    body += "bounds [64] strides [1] in core %c1\n"
    with pytest.raises(BoundsError, match=r"bytes 2097088 to 2097215, .* bytes 0 to 2097151"):
        rows(program(body))


@pytest.mark.parametrize("op", ["read", "gather"])
def test_elements_out_of_bounds_are_kept(op: str) -> None:
    via = "via [_] " if op == "gather" else ""
    body = (
        "sdf.constant #sdf.buffer<128, 64xf16>, dense<5.0> : tensor<64xf16>\n"
        "%n = arith.addi %id, %c1 : index\n"
        f"sdf.{op} #sdf.buffer<128, 64xf16> from %from[0] {via}bounds [%n] strides [1] {{keep}}\n"
    )
    expected = np.where(np.arange(64) < np.arange(1, 5)[:, None], x_of(), 5)
    for check in ("bounds", "full"):
        np.testing.assert_array_equal(rows(program(body), check=check), expected)


def test_kept_elements_that_nobody_wrote() -> None:
    body = "sdf.read #sdf.buffer<128, 64xf16> from %from[0] bounds [63] strides [1] {keep}\n"
    with pytest.raises(MachineError, match=r"core 0 writes %y at .*\[63\], .* bytes 128 to 255 of"):
        rows(program(body), check="full")
    cut = program(body).replace(
        WRITE.replace("BYTE", "128"),
        WRITE.replace("BYTE", "128").replace("<128, 64", "<128, 63").replace("[64]", "[63]"),
    )
    np.testing.assert_array_equal(rows(cut, check="full")[:, :63], x_of()[:, :63])


def test_tables_of_coordinates() -> None:
    order = np.random.default_rng(1).permutation(64)
    body = (
        f"sdf.gather #sdf.buffer<128, 64xf16> from %from[0] via [dense<{order.tolist()}> : "
        "tensor<64xi64>] bounds [64] strides [1]\n"
    )
    np.testing.assert_array_equal(rows(program(body), check="full"), x_of()[:, order])
    shifted = body.replace("%from[0]", "%from[32]")
    expected = np.where(order < 32, x_of()[:, (order + 32) % 64], 0)
    np.testing.assert_array_equal(rows(program(shifted)), expected)


def test_constants() -> None:
    values = np.arange(64, dtype=np.float16) / 4
    body = f"sdf.constant #sdf.buffer<128, 64xf16>, dense<{values.tolist()}> : tensor<64xf16>\n"
    np.testing.assert_array_equal(rows(program(body)), np.tile(values, (4, 1)))
