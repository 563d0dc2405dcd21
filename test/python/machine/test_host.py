"""Whole programs: buffers in device memory, launches, constants that stay, and estimates."""

from __future__ import annotations

import pytest
import torch

from ktir.errors import BoundsError, InputError, UnsupportedError, VerifyError
from ktir.machine.host import Program, estimate
from ktir.mlir import ir
from ktir.target import load_target

# y = (x + w) + w, then w is overwritten with y where the flag says so. Rows of 50 are padded to 64.
HOST = """
module { module @kernels {
  sdf.program @add(%x: index, %w: index, %y: index) grid [4] {
    %core = sdf.core_id : index
    %row = affine.apply affine_map<(d0) -> (2 * d0)>(%core)
    sdf.read #sdf.buffer<0, 2x50xf16> from %x[%row, 0] bounds [8, 50] strides [64, 1]
    sdf.read #sdf.buffer<256, 2x50xf16> from %w[%row, 0] bounds [8, 50] strides [64, 1]
    sdf.compute vector ins(#sdf.buffer<0, 2x50xf16>, #sdf.buffer<256, 2x50xf16>)
        outs(#sdf.buffer<512, 2x50xf16>)
        {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>,
                          affine_map<(d0, d1) -> (d0, d1)>],
         iterator_types = ["parallel", "parallel"]} {
    ^bb0(%a: f16, %b: f16, %out: f16):
      %r = arith.addf %a, %b : f16
      sdf.yield %r : f16
    }
    sdf.write #sdf.buffer<512, 2x50xf16> to %y[%row, 0] bounds [8, 50] strides [64, 1]
    sdf.return
  }
}
module @host {
  func.func private @add(index, index, index)
  func.func @main(%x: memref<8x50xf16> {ktir.name = "x"}, %w: memref<8x50xf16> {ktir.name = "w"})
      -> (memref<8x50xf16> {ktir.name = "y"}, memref<4x10xf16>) {
    %c2 = arith.constant 2 : index
    %b0 = memref.alloc() {address = 0 : i64, name = "x"} : memref<8x50xf16, strided<[64, 1]>>
    %b1 = memref.alloc() {address = 1024 : i64, bytes = 1024 : i64, name = "w"}
        : memref<8x50xf16, strided<[64, 1]>>
    %b2 = memref.alloc() {address = 2048 : i64, name = "t"} : memref<8x50xf16, strided<[64, 1]>>
    %b3 = memref.alloc() {address = 4096 : i64, name = "y"} : memref<8x50xf16, strided<[64, 1]>>
    memref.copy %x, %b0 : memref<8x50xf16> to memref<8x50xf16, strided<[64, 1]>>
    memref.copy %w, %b1 : memref<8x50xf16> to memref<8x50xf16, strided<[64, 1]>>
    %p0 = memref.extract_aligned_pointer_as_index %b0
        : memref<8x50xf16, strided<[64, 1]>> -> index
    %p1 = memref.extract_aligned_pointer_as_index %b1
        : memref<8x50xf16, strided<[64, 1]>> -> index
    %p2 = memref.extract_aligned_pointer_as_index %b2
        : memref<8x50xf16, strided<[64, 1]>> -> index
    %p3 = memref.extract_aligned_pointer_as_index %b3
        : memref<8x50xf16, strided<[64, 1]>> -> index
    %e0 = arith.divui %p0, %c2 : index
    %e1 = arith.divui %p1, %c2 : index
    %e2 = arith.divui %p2, %c2 : index
    %e3 = arith.divui %p3, %c2 : index
    func.call @add(%e0, %e1, %e2) : (index, index, index) -> ()
    func.call @add(%e2, %e1, %e3) : (index, index, index) -> ()
    %out = memref.alloc() : memref<8x50xf16>
    memref.copy %b3, %out : memref<8x50xf16, strided<[64, 1]>> to memref<8x50xf16>
    %part = memref.reinterpret_cast %b3 to offset: [131], sizes: [4, 10], strides: [64, 2]
        : memref<8x50xf16, strided<[64, 1]>> to memref<4x10xf16, strided<[64, 2], offset: 131>>
    %small = memref.alloc() : memref<4x10xf16>
    memref.copy %part, %small : memref<4x10xf16, strided<[64, 2], offset: 131>> to memref<4x10xf16>
    return %out, %small : memref<8x50xf16>, memref<4x10xf16>
  }
} }
"""
IN_PLACE = HOST.replace("@add(%e2, %e1, %e3)", "@add(%e0, %e1, %e1)")


def parse(text: str = HOST) -> ir.Module:
    with ir.Context():
        return ir.Module.parse(text)


def tensors(seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    random = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(8, 50, generator=random).half() for _ in range(2))  # type: ignore[return-value]


def test_results_and_views_of_buffers() -> None:
    program = Program(parse())
    assert [operand.name for operand in program.inputs] == ["x", "w"]
    assert [operand.name for operand in program.results] == ["y", "result1"]
    x, w = tensors()
    for _ in range(2):
        whole, part = program(x, w)
        assert torch.equal(whole, (x + w) + w)
        assert whole.is_contiguous()
        assert torch.equal(part, ((x + w) + w)[2:6, 3:23:2])
    assert torch.equal(program.run({"w": w, "x": x})[0][0], whole)


def test_inputs_need_not_be_contiguous_and_stay() -> None:
    x, w = tensors()
    program = Program(parse(), {"w": w})
    wide = torch.zeros(50, 8, dtype=torch.float16).T.copy_(x)
    whole, _ = program(wide)
    assert torch.equal(whole, (x + w) + w)
    assert torch.equal(wide, x)


def test_profile_has_a_record_a_launch() -> None:
    profile = Program(parse()).run(tensors())[1]
    assert [kernel.name for kernel in profile.kernels] == ["add", "add"]
    first = profile.kernels[0]
    assert (first.level, first.grid, first.cores) == ("sdf", (4,), 4)
    assert (first.read_bytes, first.written_bytes) == (2048, 1024)
    assert first.scratchpad_peak == 768
    assert first.memory_ns == load_target().memory.time(2048, 1024, 4)
    assert (first.bound, first.time_ns) == ("memory", first.memory_ns)
    assert not profile.extrapolated
    assert profile.time_ns == 2 * first.time_ns
    assert profile.as_dict()["kernels"][1]["bound"] == "memory"


def test_estimate_counts_the_same_without_data() -> None:
    module = parse()
    assert estimate(module) == Program(module).run(tensors())[1]
    # So large that it could not run here.
    large = HOST.replace("4096 : i64", f"{100 << 30} : i64")
    assert estimate(parse(large)).time_ns == estimate(module).time_ns


def test_temporaries_are_fresh_in_every_call() -> None:
    """Reads what the first kernel wrote only if it runs: without it, the buffer holds NaN."""
    text = HOST.replace("func.call @add(%e0, %e1, %e2) : (index, index, index) -> ()", "")
    program = Program(parse(text))
    for _ in range(2):
        assert program(*tensors())[0].isnan().all()


def test_constants_are_copied_once() -> None:
    x, w = tensors()
    program = Program(parse(), {"w": w})
    assert [operand.name for operand in program.inputs] == ["x"]
    expected = program(x)[0]
    w.zero_()
    assert torch.equal(program(x)[0], expected), "the device has its own copy"


def test_constants_that_a_kernel_overwrites_are_copied_again() -> None:
    x, w = tensors()
    program = Program(parse(IN_PLACE), {"w": w})
    first = program.run([x])
    second = program.run([x])
    assert first[1] == second[1]
    check = Program(parse(IN_PLACE.replace("%b3, %out", "%b1, %out")), {"w": w})
    for _ in range(2):
        assert torch.equal(check(x)[0], x + w)


READ_OF_W = (
    "    sdf.read #sdf.buffer<256, 2x50xf16> from %w[%row, 0] bounds [8, 50] strides [64, 1]\n"
)


def test_a_kernel_never_sees_what_another_left_in_the_scratchpad() -> None:
    late = HOST.replace(READ_OF_W, "").replace("    sdf.write", f"{READ_OF_W}    sdf.write")
    program = Program(parse(late))
    for _ in range(2):
        assert program(*tensors())[0].isnan().all()


def test_a_buffer_that_is_read_before_it_is_written_is_fresh_in_every_run() -> None:
    first, second = "@add(%e0, %e1, %e2)", "@add(%e2, %e1, %e3)"
    text = HOST.replace(first, "@add(-)").replace(second, first).replace("@add(-)", second)
    program = Program(parse(text))
    for _ in range(2):
        assert program(*tensors())[0].isnan().all()


def test_a_buffer_beyond_device_memory() -> None:
    """The message names the buffer, its place in the program, its bytes and the capacity."""
    capacity = load_target().memory.capacity_bytes
    text = HOST.replace("address = 4096", f"address = {1 << 40}")
    bytes_ = f"{1 << 40} to {(1 << 40) + 1023}"
    message = rf"^'memref.alloc' at -:\d+:\d+: buffer 'y' at bytes {bytes_} .* of {capacity} bytes"
    with pytest.raises(BoundsError, match=message):
        Program(parse(text))
    with pytest.raises(BoundsError, match=message):
        estimate(parse(text))


def test_equal_kernels_are_decoded_once_for_an_estimate() -> None:
    """Their launches keep their names and places, in messages too."""
    start, end = HOST.index("  sdf.program"), HOST.index("}\nmodule @host")
    first = HOST[start:end]
    second = first.replace("@add", "@more").replace("1]\n", '1] loc("more.py":7:0)\n')
    assert second.count("more.py") == 3
    text = HOST[:end] + second + HOST[end:]
    text = text.replace("private @add", "private @more(index, index, index) func.func private @add")
    text = text.replace("func.call @add(%e2, %e1, %e3)", "func.call @more(%e2, %e1, %e3)")
    module = parse(text)
    assert [kernel.name for kernel in estimate(module).kernels] == ["add", "more"]
    assert estimate(module) == Program(module).run(tensors())[1]
    short = text.replace("address = 4096", "bytes = 512, address = 4096")
    with pytest.raises(BoundsError, match=r"^'sdf.write' at more.py:7: core 2 writes"):
        estimate(parse(short))


def test_a_level_without_times_has_no_estimate() -> None:
    kernel = "func.func @k() attributes {grid = [1]} { return }"
    text = (
        f"module {{ module @kernels {{ {kernel} }} module @host {{ func.func private @k() "
        "func.func @main() { func.call @k() : () -> () return } } }"
    )
    program = Program(parse(text))
    results, profile = program.run([])
    assert results == []
    assert [kernel.level for kernel in profile.kernels] == ["ktir"]
    with pytest.raises(UnsupportedError, match="needs level sdf"):
        estimate(parse(text))


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (HOST.replace("4096 : i64", "3000 : i64"), BoundsError, r"is at byte 3000, no multiple of"),
        (
            HOST.replace("4096 : i64", "2944 : i64"),
            BoundsError,
            r"'y' at bytes 2944 to 3967 overlaps 't' at bytes 2048 to 3071",
        ),
        (HOST.replace("sdf.program @add(", "sdf.program @sub("), VerifyError, "no kernel @add"),
        ("module {}", VerifyError, "expected a module @host"),
    ],
)
def test_programs_that_cannot_run(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Program(parse(text))


def test_a_kernel_may_not_leave_its_buffers() -> None:
    program = Program(parse(HOST.replace("bounds [8, 50]", "bounds [9, 50]").replace("[4]", "[5]")))
    with pytest.raises(BoundsError, match=r"core 4 writes %arg2 at bytes 3072 to 3171"):
        program(*tensors())


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([torch.zeros(8, 50).half()], r"expected 2 inputs: x \[8, 50\], w \[8, 50\]; found 1"),
        ([torch.zeros(8, 50)] * 2, "'x': expected torch.float16 .* found torch.float32"),
        ([torch.zeros(8, 51).half()] * 2, r"found torch.float16 of shape \[8, 51\]"),
        ({"x": torch.zeros(8, 50).half()}, "expected the inputs"),
    ],
)
def test_inputs_that_do_not_fit(inputs: list[torch.Tensor], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Program(parse()).run(inputs)


def test_constants_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="there is no argument 'v'"):
        Program(parse(), {"v": torch.zeros(1)})
    with pytest.raises(InputError, match=r"'w': expected torch.float16"):
        Program(parse(), {"w": torch.zeros(8, 50)})
