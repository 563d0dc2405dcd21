"""`ktir-lower-to-sdf` keeps what a kernel computes.

Every kernel here runs at level `ktir` and at level `sdf` on the machine, and both leave the same
bytes in device memory.

Scratchpads are fresh 0xFF bytes, so a value that is overwritten while it is needed, or read before
it is there, shows.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from ktdp_text import box, identity
from random_sdf_kernels import programs
from sdf_bodies import BODIES
from sdf_control_bodies import CONTROL_BODIES
from sdf_kernels import (
    Arguments,
    T,
    half,
    square_arguments,
    square_kernel,
    view,
)

import ktir.passes  # noqa: F401  (registers the passes)
from ktir.machine.kernel import run
from ktir.machine.source_names import argument_names
from ktir.mlir import ir
from ktir.mlir._mlir_libs import _ktir


def lower(module: ir.Operation) -> ir.Operation:
    """The module at level `sdf`."""
    copy = module.clone().operation
    succeeded, diagnostics = _ktir.run_pipeline(copy, "builtin.module(ktir-lower-to-sdf)")
    assert succeeded, diagnostics
    return copy


def lowered(text: str) -> str:
    with ir.Context():
        return str(lower(ir.Module.parse(text).operation))


def assert_same_at_both_levels(text: str, arguments: Arguments) -> dict[Any, Any]:
    """Runs a kernel at both levels and compares all arrays bit for bit; returns them."""
    module, names = ir.Module.parse(text, ir.Context()).operation, argument_names(text)
    one = run(module, None, arguments, names=names).arrays
    other = run(module, None, arguments, names=names, level="sdf", lower=lower).arrays
    assert one.keys() == other.keys()
    for name in one:
        a, b = (np.ascontiguousarray(arrays[name]) for arrays in (one, other))
        assert a.tobytes() == b.tobytes(), f"{name} differs:\n{a}\n{b}"
    return one


ALL_BODIES = BODIES | CONTROL_BODIES


@pytest.mark.parametrize("body", ALL_BODIES.values(), ids=ALL_BODIES.keys())
def test_kernels_leave_the_same_bytes(body: str) -> None:
    left = assert_same_at_both_levels(square_kernel(body), square_arguments())
    assert not np.array_equal(np.asarray(left["z"]), np.asarray(square_arguments()["z"]))


def test_gathered_and_scattered_rows_are_the_same() -> None:
    table, ids, out = (40, 64), (4, 8), (40, 64)
    space = f"variables_space_set = {box(8, 64)}, variables_space_order = {identity(2)}"
    types = "memref<40x64xf16>, memref<4x8xi32> -> !ktdp.access_tile<8x64xindex>"
    text = (
        "func.func @kernel(%x: index, %i: index, %y: index) attributes {grid = [4]} {\n"
        "%core = ktdp.get_compute_tile_id : index\n"
        + view("xv", "x", table, "f16")
        + view("iv", "i", ids, "i32")
        + view("yv", "y", out, "f16")
        + "%from = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k)\n"
        f"  %xv[ind(%iv[%core, %m]), (%k)] {{{space}}} : {types}\n"
        "%to = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k)\n"
        f"  %yv[ind(%iv[%core, 7 - %m]), (%k)] {{{space}}} : {types}\n"
        f"%a = ktdp.load %from : <8x64xindex> -> {T}\n"
        f"ktdp.store %a, %to : {T}, <8x64xindex>\nreturn\n}}\n"
    )
    indices = torch.randperm(40, generator=torch.Generator().manual_seed(3))[:32].int().view(4, 8)
    left = assert_same_at_both_levels(text, {"x": half(40, 64), "i": indices, "y": half(40, 64)})
    expected = half(40, 64)
    expected[indices.flip(1).long()] = half(40, 64)[indices.long()]
    assert np.array_equal(np.asarray(left["y"]), expected.numpy())


@pytest.mark.parametrize("rows", [1, 5, 8])
def test_tails_beyond_a_dynamic_bound_are_masked(rows: int) -> None:
    valid = "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>"
    views = "".join(
        f"%{n}v = ktdp.construct_memory_view %{n}, sizes: [%n, 64], strides: [64, 1] "
        f"{{coordinate_set = {valid}, memory_space = #ktdp.spyre_memory_space<HBM>}} : "
        "memref<?x64xf16>\n"
        f"%{n}t = ktdp.construct_access_tile %{n}v[0, 0] {{access_tile_set = {box(8, 64)}, "
        f"access_tile_order = {identity(2)}}} : memref<?x64xf16> -> !ktdp.access_tile<8x64xindex>\n"
        for n in "xy"
    )
    text = (
        f"func.func @kernel(%x: index, %y: index, %n: index) attributes {{grid = [1]}} {{\n{views}"
        f"%a = ktdp.load %xt : <8x64xindex> -> {T}\n"
        "%zero = arith.constant 0.0 : f16\n%i = tensor.splat %zero : tensor<64xf16>\n"
        f"%s = linalg.reduce {{arith.addf}} ins(%a : {T}) outs(%i : tensor<64xf16>) "
        "dimensions = [0]\n"
        f"%e = tensor.empty() : {T}\n"
        f"%b = linalg.broadcast ins(%s : tensor<64xf16>) outs(%e : {T}) dimensions = [0]\n"
        f"ktdp.store %b, %yt : {T}, <8x64xindex>\nreturn\n}}\n"
    )
    arguments = {"x": half(rows, 64), "y": torch.zeros(rows, 64).half(), "n": rows}
    left = assert_same_at_both_levels(text, arguments)
    sums = half(rows, 64).float().sum(0).expand(rows, 64)
    torch.testing.assert_close(torch.as_tensor(left["y"]).float(), sums, rtol=0.01, atol=0.02)


@settings(max_examples=40, deadline=None)
@given(st.permutations(range(5)), st.integers(0, 4))
def test_any_permutation_of_carried_values_is_right(order: list[int], turns: int) -> None:
    starts = "".join(
        f"%k{i} = arith.constant dense<{i}.0> : {T}\n%s{i} = arith.addf %a, %k{i} : {T}\n"
        for i in range(5)
    )
    inits = ", ".join(f"%p{i} = %s{i}" for i in range(5))
    types = ", ".join([T] * 5)
    yields = ", ".join(f"%p{i}" for i in order)
    powers = "".join(
        f"%h{i} = arith.constant dense<{2.0**-i}> : {T}\n%m{i} = arith.mulf %q#{i}, %h{i} : {T}\n"
        for i in range(5)
    )
    sums = "".join(f"%r{i} = arith.addf %r{i - 1}, %m{i} : {T}\n" for i in range(1, 5))
    body = (
        f"%n = arith.constant {turns} : index\n{starts}"
        f"%q:5 = scf.for %i = %c0 to %n step %c1 iter_args({inits}) -> ({types}) {{\n"
        f"scf.yield {yields} : {types}\n}}\n{powers}{sums.replace('%r0', '%m0')}"
    ).replace("%r4", "%r")
    assert_same_at_both_levels(square_kernel(body, cores=1), square_arguments(cores=1))


@settings(max_examples=60, deadline=None)
@given(programs())
def test_random_programs_leave_the_same_bytes(body: str) -> None:
    assert_same_at_both_levels(square_kernel(body, cores=2), square_arguments(cores=2))


@settings(max_examples=10, deadline=None)
@given(programs())
def test_lowering_is_deterministic(body: str) -> None:
    text = square_kernel(body)
    assert lowered(text) == lowered(text)


def test_results_take_the_places_of_operands_that_die() -> None:
    """Two loaded tiles and three results; both tiles are needed beside the first result."""
    text = lowered(square_kernel(BODIES["elementwise"]))
    assert set(re.findall(r"#sdf.buffer<(\d+),", text)) == {"0", "1024", "2048"}
