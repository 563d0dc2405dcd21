"""Which values of a kernel depend on data, and which kernels let data decide."""

from __future__ import annotations

import pytest

from ktir.machine.fixed import data_values
from ktir.machine.launch import kernels_of
from ktir.mlir import ir
from ktir.modules import new_context, parse_module

KERNEL = """
#set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
module {
  func.func @k(%x: index, %n: index) attributes {grid = [2]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %core = ktdp.get_compute_tile_id : index
    %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
      coordinate_set = #set, memory_space = #ktdp.memory_space<global> } : memref<64xf32>
    %zero = arith.constant 0.0 : f32
    %e = memref.load %v[%core] : memref<64xf32>
    %i = arith.fptosi %e : f32 to i32
    %at = arith.index_cast %i : i32 to index
    %is = arith.cmpi eq, %at, %c0 : index
    BODY
    return
  }
}
"""


def data_of(body: str) -> set[str] | None:
    """The names of the values that depend on data, arguments of regions as `arg`."""
    module = parse_module(KERNEL.replace("BODY", body), "a test", new_context())
    found = data_values(kernels_of(module)["k"])
    if found is None:
        return None
    return {f"%{_name(value)}" for value in found}


def _name(value: ir.Value) -> str:
    if isinstance(value, ir.BlockArgument):
        return "arg"
    return str(value.owner.name)


def test_what_is_computed_of_data() -> None:
    ops = {"%memref.load", "%arith.fptosi", "%arith.index_cast", "%arith.cmpi"}
    assert data_of("") == ops
    assert data_of("%s = arith.addi %core, %n : index") == ops
    assert data_of("%s = arith.select %is, %c0, %c1 : index") == {*ops, "%arith.select"}


def test_what_loops_and_branches_pass_on() -> None:
    loop = """%r = scf.for %k = %c0 to %n step %c1 iter_args(%s = START) -> f32 {
      %t = arith.addf %s, STEP : f32
      scf.yield %t : f32
    }"""
    for start, step in (("%e", "%zero"), ("%zero", "%e")):
        found = data_of(loop.replace("START", start).replace("STEP", step))
        assert found is not None
        assert found >= {"%arg", "%arith.addf", "%scf.for"}
    found = data_of(loop.replace("START", "%zero").replace("STEP", "%zero"))
    assert found is not None
    assert found.isdisjoint({"%arg", "%arith.addf", "%scf.for"})


@pytest.mark.parametrize(
    "body",
    [
        "%w = memref.load %v[%at] : memref<64xf32>",
        "memref.store %zero, %v[%at] : memref<64xf32>",
        "scf.if %is { }",
        "scf.for %k = %c0 to %at step %c1 { }",
        "scf.while : () -> () { scf.condition(%is) } do { scf.yield }",
        """%w = ktdp.construct_memory_view %at, sizes: [64], strides: [1] {
      coordinate_set = #set, memory_space = #ktdp.memory_space<global> } : memref<64xf32>""",
    ],
    ids=["load", "store", "branch", "loop", "condition", "view"],
)
def test_data_that_decides(body: str) -> None:
    assert data_of(body) is None


@pytest.mark.parametrize(
    "body",
    [
        "linalg.fill ins(%zero : f32) outs(%v : memref<64xf32>)",
        "%w = affine.load %v[0] : memref<64xf32>",
        "%t = bufferization.to_tensor %v : memref<64xf32> to tensor<64xf32>",
        "vector.print %zero : f32",
    ],
    ids=["fill", "affine", "tensor", "other"],
)
def test_ops_of_which_it_is_not_known(body: str) -> None:
    assert data_of(body) is None


def test_a_value_that_is_stored_decides_nothing() -> None:
    assert data_of("memref.store %e, %v[%core] : memref<64xf32>") is not None
