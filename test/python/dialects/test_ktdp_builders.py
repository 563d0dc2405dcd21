"""Builders of `ktdp` that infer types: whole kernels made from Python run with the right values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from ktir.machine.kernel import run
from ktir.mlir import ir
from ktir.mlir.dialects import arith as _arith
from ktir.mlir.dialects import func as _func
from ktir.mlir.dialects import ktdp
from ktir.modules import new_context

# The generated builders carry no types.
arith: Any = _arith
func: Any = _func

GROUPS = "affine_set<(g) : (g >= 0, -g + 1 >= 0)>"
FOUR = "affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>"
FIRST = "affine_set<(i)[g] : (i - 4 * g == 0)>"


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with new_context(), ir.Location.unknown():
        yield


def kernel(
    names: Sequence[str], build: Callable[..., None], grid: Sequence[int] = (1,)
) -> ir.Operation:
    """A module with a kernel @k of index arguments, whose body `build` makes; it verifies."""
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        op = func.FuncOp("k", ([ir.IndexType.get()] * len(names), []))
        op.attributes["grid"] = ir.DenseI64ArrayAttr.get(list(grid))
        with ir.InsertionPoint(op.add_entry_block()):
            build(*op.arguments)
            func.ReturnOp([])
    assert module.operation.verify()
    return module.operation


def index(number: int) -> ir.Value:
    value: ir.Value = arith.ConstantOp(ir.IndexType.get(), number).result
    return value


def test_views_tiles_loads_and_stores() -> None:
    def build(x: ir.Value, y: ir.Value, rows: ir.Value) -> None:
        f16, zero = ir.F16Type.get(), index(0)
        (core,) = ktdp.compute_tile_id()
        source = ktdp.memory_view(x, [rows, 64], [64, 1], f16)
        target = ktdp.memory_view(y, [rows, 64], [64, 1], f16)
        row = ktdp.load_tile(ktdp.access_tile(source, [core, zero], [1, 64]), f16)
        doubled = arith.AddFOp(row, row).result
        ktdp.store_tile(doubled, ktdp.access_tile(target, [core, zero], [1, 64]))

    x = np.arange(256, dtype=np.float16).reshape(4, 64)
    given = {"x": x, "y": np.zeros_like(x), "rows": 4}
    found = run(kernel(list(given), build, [4]), "k", given, names={"k": list(given)}).arrays
    np.testing.assert_array_equal(found["y"], x + x)


def test_parts_of_a_view_and_indirect_tiles() -> None:
    def build(a: ir.Value, b: ir.Value, places: ir.Value, y: ir.Value) -> None:
        f16, i32 = ir.F16Type.get(), ir.IntegerType.get_signless(32)
        upper = "affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>"
        lower = "affine_set<(d0, d1) : (d0 - 4 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>"
        parts = [
            ktdp.memory_view(a, [4, 64], [64, 1], f16, points=upper),
            ktdp.memory_view(b, [4, 64], [64, 1], f16, points=lower),
        ]
        whole = ktdp.distributed_view(parts, [8, 64])
        indices = ktdp.memory_view(places, [5], [1], i32)
        subscripts = [
            ("affine_map<(d0, d1) -> (d0)>", indices),
            ("affine_map<(d0, d1) -> (d1)>", None),
        ]
        tile = ktdp.indirect_access_tile(whole, subscripts, [5, 64])
        target = ktdp.access_tile(
            ktdp.memory_view(y, [5, 64], [64, 1], f16), [index(0), index(0)], [5, 64]
        )
        ktdp.store_tile(ktdp.load_tile(tile, f16), target)

    x = np.arange(512, dtype=np.float16).reshape(8, 64)
    places = np.array([7, 0, 3, 4, 4], np.int32)
    given = {"a": x[:4], "b": x[4:], "places": places, "y": np.zeros((5, 64), np.float16)}
    found = run(kernel(list(given), build), "k", given, names={"k": list(given)}).arrays
    np.testing.assert_array_equal(found["y"], x[places])


DELIVERIES: dict[str, Callable[[ir.Value, ir.Value], Sequence[ir.Value]]] = {
    "consume": lambda future, zero: ktdp.consume(future, FOUR, "affine_set<(p)[c] : (p - c == 0)>"),
    "reduce": lambda future, zero: ktdp.reduce(future, [zero], FOUR, added),
    "reduce_scatter": lambda future, zero: ktdp.reduce_scatter(
        future, [zero], [tensor(2, 64)], FOUR, [0], added
    ),
    "gather": lambda future, zero: ktdp.gather(future, [tensor(32, 64)], FOUR, [0]),
    "all_to_all": lambda future, zero: ktdp.all_to_all(future, [tensor(32, 16)], FOUR, [1], [0]),
    "scatter": lambda future, zero: ktdp.scatter(future, [tensor(2, 64)], FOUR, [0]),
}


def tensor(*shape: int) -> ir.Type:
    return ir.RankedTensorType.get(list(shape), ir.F16Type.get())


def added(left: Sequence[ir.Value], right: Sequence[ir.Value]) -> list[ir.Value]:
    return [arith.AddFOp(a, b).result for a, b in zip(left, right, strict=True)]


@pytest.mark.parametrize("name", DELIVERIES)
def test_deliveries(name: str) -> None:
    """They verify, and the text says what was asked."""

    def build() -> None:
        half = ir.FloatAttr.get(ir.F16Type.get(), 0.0)
        splat = ir.DenseElementsAttr.get_splat(tensor(8, 64), half)
        zero = arith.ConstantOp(tensor(8, 64), splat).result
        producers = FIRST if name == "scatter" else FOUR
        future = ktdp.produce([zero.type], GROUPS, producers, lambda group: [zero])
        (found,) = DELIVERIES[name](future, zero)
        assert isinstance(found.type, ir.RankedTensorType)

    text = str(kernel([], build, [8]))
    assert f"ktdp.inter_tile_{name}(" in text
    assert "ktdp.yield_partial" in text


def test_every_op_has_one() -> None:
    """Or ends a region that a builder fills, or is built by its class alone."""
    classes = (getattr(ktdp, name) for name in dir(ktdp))
    names = {getattr(entry, "OPERATION_NAME", "") for entry in classes} - {""}
    built = {f"ktdp.inter_tile_{name}" for name in (*DELIVERIES, "produce")}
    ends = {"ktdp.region_terminator", "ktdp.yield_partial", "ktdp.yield_reduced"}
    rest = {"load", "store", "get_compute_tile_id", "runtime_arg_extract"}
    views = {"memory_view", "distributed_memory_view", "access_tile", "indirect_access_tile"}
    rest |= {f"construct_{name}" for name in views}
    assert names == built | ends | {f"ktdp.{name}" for name in rest}
