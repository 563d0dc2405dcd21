"""Check "full": memory that nobody wrote, and accesses that nothing orders."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from checked_text import ID, LX, NUMBERS, apart, both, numbers, row, scatter, scratchpad, stores
from kernel_text import run
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.errors import MachineError
from ktir.machine.host import Program
from ktir.mlir import ir

# Memory that nobody wrote


def test_reads_of_memory_that_nobody_wrote() -> None:
    args = [numbers(8), numbers(8)]
    both(scratchpad(8), args, None)
    pattern = (
        r"'(ktdp.load|sdf.read)' at .*: core 0 reads .*address 64 at coordinates \[7\], byte 142, "
        r"which nobody has written; a load may read"
    )
    both(scratchpad(7), args, pattern)
    # Without the check, what is read is visibly no number.
    assert np.isnan(run(scratchpad(7), args=args).arrays["y"][7])


def test_a_scratchpad_is_each_cores_own() -> None:
    """Core 0 writes its own scratchpad; then all read theirs, or all read that of core 0."""
    body = (
        ID
        + NUMBERS
        + row("in", "%x", 8)
        + load("d", "in", "8")
        + row("own", "%c64", 8, space=LX)
        + "%first = arith.cmpi eq, %id, %c0 : index\nscf.if %first {\n"
        + store("d", "own", "8")
        + "}\n"
        + load("r", "own", "8")
    )
    both(kernel(body, "%x: index", "[2]"), [numbers(8)], r"core 1 reads .* nobody has written")
    both(kernel(body, "%x: index", "[1]"), [numbers(8)], None)


HOST = """
module { module @kernels {
  func.func @copy(%x: index, %y: index) {
    %c0 = arith.constant 0 : index
    BODY
    return
  }
}
module @host {
  func.func private @copy(index, index)
  func.func @main(%x: memref<8xf16> {ktir.name = "x"}) -> (memref<8xf16> {ktir.name = "y"}) {
    %c2 = arith.constant 2 : index
    %b0 = memref.alloc() {address = 0 : i64, name = "in"} : memref<8xf16>
    %b1 = memref.alloc() {address = 128 : i64, name = "t"} : memref<8xf16>
    %b2 = memref.alloc() {address = 256 : i64, name = "out"} : memref<8xf16>
    memref.copy %x, %b0 : memref<8xf16> to memref<8xf16>
    %p0 = memref.extract_aligned_pointer_as_index %b0 : memref<8xf16> -> index
    %p1 = memref.extract_aligned_pointer_as_index %b1 : memref<8xf16> -> index
    %p2 = memref.extract_aligned_pointer_as_index %b2 : memref<8xf16> -> index
    %e0 = arith.divui %p0, %c2 : index
    %e1 = arith.divui %p1, %c2 : index
    %e2 = arith.divui %p2, %c2 : index
    func.call @copy(%e0, %e1) : (index, index) -> ()
    func.call @copy(%e1, %e2) : (index, index) -> ()
    %out = memref.alloc() : memref<8xf16>
    memref.copy %b2, %out : memref<8xf16> to memref<8xf16>
    return %out : memref<8xf16>
  }
} }
"""


def copying(count: int) -> str:
    """A program of two kernels that copy `count` elements each."""
    shape = str(count)
    return HOST.replace(
        "BODY",
        view("a", "%x", "8", "1", box(8), "8xf16")
        + view("b", "%y", "8", "1", box(8), "8xf16")
        + tile("from", "%a[%c0]", "8xf16", box(count), identity(1), shape)
        + tile("to", "%b[%c0]", "8xf16", box(count), identity(1), shape)
        + load("d", "from", shape)
        + store("d", "to", shape),
    )


def program(text: str) -> Program:
    with ir.Context():
        return Program(ir.Module.parse(text), check="full")


def test_whole_programs() -> None:
    x = torch.arange(8).half()
    legal = program(copying(8))
    for _ in range(2):
        assert torch.equal(legal(x)[0], x)
    with pytest.raises(
        MachineError, match=r"host reads element 7 of 'out' of shape \[8\], which nobo"
    ):
        program(copying(7))(x)
    swapped = copying(8).replace("@copy(%e0, %e1)", "@copy(%e2, %e1)")
    with pytest.raises(
        MachineError, match=r"'ktdp.load' .* core 0 reads the view of %arg0 .* nobody"
    ):
        program(swapped)(x)
    # A second run begins with fresh memory again.
    with pytest.raises(MachineError, match="nobody"):
        program(swapped)(x)


# Races between cores


def test_cores_that_store_to_one_place() -> None:
    args = [numbers(32), numbers(32)]
    both(stores("%at", "%at"), args, None)
    # The same values: every core stores the same rows redundantly.
    both(stores("%c0", "%c0"), args, None)
    both(
        stores("%at", "%c0"),
        args,
        r"core 0 writes .* \[0\], .* the same store on core 3 writes ano",
    )
    # Halves of neighbouring rows overlap.
    both(stores("%at", "%half"), args, r"core 0 .* \[4\], .* on core 1 writes another value")


@pytest.mark.parametrize(
    ("first", "second", "fault"),
    [
        ("read", "read", None),
        ("keep", "keep", None),
        ("write", "write", None),
        ("write", "keep", r"core 1 writes .* \[0\], byte .*, where core 0 writes another value"),
        ("write", "read", r"core 1 reads .* \[0\], byte .*, which core 0 writes in this kernel"),
        ("read", "write", r"core 1 writes .* \[0\], byte .*, which core 0 reads in this kernel"),
    ],
)
def test_accesses_that_nothing_orders(first: str, second: str, fault: str | None) -> None:
    args = [numbers(32), numbers(32)]
    both(apart(first, second), args, fault)
    both(apart(first, second, 0, 8), args, None)
    if fault is not None:
        both(apart(first, second, 8, 1), args, fault.replace(r"\[0\]", r"\[8\]"))


def test_kernels_are_ordered() -> None:
    """What one kernel wrote the next one may read, on other cores."""
    x = torch.arange(8).half()
    assert torch.equal(program(copying(8))(x)[0], x)


# Points of one transfer that coincide


def test_points_of_one_store_that_coincide() -> None:
    both(*scatter([1, 2, 3, 4], [5, 0, 7, 2]), None)
    both(*scatter([1, 2, 1, 4], [5, 0, 5, 2]), None)
    pattern = (
        r"core 0 writes .* at coordinates \[5\], .* another point of the same store writes ano"
    )
    both(*scatter([1, 2, 3, 4], [5, 0, 5, 2]), pattern)
