"""Every op, type and attribute of the dialects can be built from Python, and the result is legal.

Each test builds in a context of its own and compares with the text, which the IR tests check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ktir.mlir import ir
from ktir.mlir.dialects import arith as _arith
from ktir.mlir.dialects import func as _func
from ktir.mlir.dialects import ktdp as _ktdp
from ktir.mlir.dialects import sdf as _sdf
from ktir.mlir.dialects import spyreop as _spyreop

# The generated builders carry no types.
arith: Any = _arith
func: Any = _func
ktdp: Any = _ktdp
sdf: Any = _sdf
spyreop: Any = _spyreop


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def attribute(text: str) -> ir.Attribute:
    """An attribute from its text."""
    return ir.Attribute.parse(text)


def type_of(text: str) -> ir.Type:
    """A type from its text."""
    return ir.Type.parse(text)


def function(types: list[str], build: Callable[..., None], grid: str = "[8]") -> str:
    """The text of a function of these arguments whose body `build` makes; it verifies."""
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        op = func.FuncOp("f", ([type_of(text) for text in types], []))
        op.attributes["grid"] = attribute(grid)
        with ir.InsertionPoint(op.add_entry_block()):
            build(*op.arguments)
            func.ReturnOp([])
    assert module.operation.verify()
    return str(module.operation.get_asm(use_local_scope=True))


FOUR = "affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>"
GROUPS = "affine_set<(g) : (g >= 0, -g + 1 >= 0)>"
TENSOR = "tensor<8x64xf16>"


def test_types() -> None:
    future = ktdp.TileFutureType.get([type_of(TENSOR)], attribute(GROUPS))
    assert [str(type_) for type_ in future.partial_types] == [TENSOR]
    assert future.groups == attribute(GROUPS)
    one = "affine_set<(g) : (g == 0)>"
    future = ktdp.TileFutureType.get([type_of(TENSOR)] * 2, attribute(one))
    assert future == type_of(f"!ktdp.tile_future<({TENSOR}, {TENSOR}), groups = {one}>")


def test_a_future_of_scalars_is_refused() -> None:
    with pytest.raises(ValueError, match="invalid future"):
        ktdp.TileFutureType.get([type_of("f16")], attribute(GROUPS))


def test_runtime_arguments() -> None:
    type_ = ktdp.RuntimeArgType.get(type_of("i32"), granularity=4)
    assert (type_.granularity, type_.upper_bound) == (4, None)
    with pytest.raises(ValueError, match="invalid type"):
        ktdp.RuntimeArgType.get(type_of("i32"), granularity=0)

    def build(value: ir.Value) -> None:
        ktdp.RuntimeArgExtractOp(ir.IndexType.get(), ktdp.RuntimeArgExtractKind.Granularity, value)

    assert "runtime_arg_extract granularity from" in function([str(type_)], build)


def test_views_and_tiles() -> None:
    box = attribute("affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>")
    order = attribute("affine_map<(d0, d1) -> (d0, d1)>")

    def build(address: ir.Value, rows: ir.Value) -> None:
        (core,) = ktdp.GetComputeTileIdOp([ir.IndexType.get()]).results
        view = ktdp.ConstructMemoryViewOp(
            type_of("memref<?x64xf16>"),
            address,
            [rows],
            [],
            [ir.ShapedType.get_dynamic_size(), 64],
            [64, 1],
            ktdp.SpyreMemorySpaceAttr.get("HBM"),
        )
        known = "affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>"
        assert ktdp.coordinate_set_of(view) == attribute(known)
        whole = ktdp.ConstructDistributedMemoryViewOp(type_of("memref<?x64xf16>"), [view])
        tile = ktdp.ConstructAccessTileOp(
            ktdp.AccessTileType.get([8, 64]),
            whole,
            attribute("affine_map<(d0) -> (d0, 0)>"),
            [core],
            [],
            box,
            order,
        )
        data = ktdp.LoadOp(type_of(TENSOR), tile)
        ktdp.StoreOp(data, tile)

    text = function(["index", "index"], build)
    assert "sizes: [%arg1, 64], strides: [64, 1] {memory_space" in text
    assert "ktdp.store" in text


def test_indirect_tiles() -> None:
    space = attribute("affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>")

    def build(base: ir.Value, indices: ir.Value) -> None:
        op = ktdp.ConstructIndirectAccessTileOp(
            ktdp.AccessTileType.get([8]),
            base,
            ir.ArrayAttr.get([ir.BoolAttr.get(True)]),
            ir.ArrayAttr.get([attribute("affine_map<(d0) -> (d0)>")]),
            [indices],
            [],
            [],
            space,
            attribute("affine_map<(d0) -> (d0)>"),
        )
        block = op.regions[0].blocks.append(ir.IndexType.get())
        with ir.InsertionPoint(block):
            ktdp.RegionTerminatorOp()

    text = function(["memref<64xf16>", "memref<8xi32>"], build)
    assert "intermediate_variables(%arg2) %arg0[ind(%arg1[%arg2])]" in text


def produced(tile: ir.Value) -> ir.Value:
    """A future of one role to which four cores a group contribute `tile`."""
    future = ktdp.TileFutureType.get([tile.type], attribute(GROUPS))
    op = ktdp.InterTileProduceOp(future, attribute(FOUR))
    with ir.InsertionPoint(op.body.blocks.append(ir.IndexType.get())):
        ktdp.YieldPartialOp([tile])
    future_value: ir.Value = op.future
    return future_value


def added(op: Any, type_: ir.Type) -> None:
    """Fills the region of a fold with a sum."""
    block = op.combiner.blocks.append(type_, type_)
    with ir.InsertionPoint(block):
        ktdp.YieldReducedOp([arith.AddFOp(*block.arguments).result])


def test_deliveries() -> None:
    def build(tile: ir.Value) -> None:
        own, four = attribute("affine_set<(p)[c] : (p - c == 0)>"), attribute(FOUR)
        ktdp.InterTileConsumeOp(
            [tile.type], produced(tile), four, producer_dependency_per_consumer=own
        )
        added(ktdp.InterTileReduceOp([tile.type], produced(tile), [tile], four), tile.type)
        rows, joined = type_of("tensor<2x64xf16>"), type_of("tensor<32x64xf16>")
        added(ktdp.InterTileReduceScatterOp([rows], produced(tile), [tile], four, [0]), tile.type)
        ktdp.InterTileGatherOp([joined], produced(tile), four, [0])
        ktdp.InterTileAllToAllOp([type_of("tensor<32x16xf16>")], produced(tile), four, [1], [0])

    text = function([TENSOR], build)
    for name in ("consume", "reduce", "reduce_scatter", "gather", "all_to_all"):
        assert f"ktdp.inter_tile_{name}(" in text


def test_scatter() -> None:
    def build(tile: ir.Value) -> None:
        future = ktdp.TileFutureType.get([tile.type], attribute(GROUPS))
        op = ktdp.InterTileProduceOp(future, attribute("affine_set<(i)[g] : (i - 4 * g == 0)>"))
        with ir.InsertionPoint(op.body.blocks.append(ir.IndexType.get())):
            ktdp.YieldPartialOp([tile])
        ktdp.InterTileScatterOp([type_of("tensor<2x64xf16>")], op.future, attribute(FOUR), [0])

    assert "scatter_dimensions = [0]" in function([TENSOR], build)


def program(build: Callable[[ir.Value], None]) -> str:
    """The text of a program on four cores with one argument, whose body `build` makes."""
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        type_ = ir.TypeAttr.get(ir.FunctionType.get([ir.IndexType.get()], []))
        op = sdf.ProgramOp("p", type_, [4])
        block = op.body.blocks.append(ir.IndexType.get())
        with ir.InsertionPoint(block):
            build(block.arguments[0])
            sdf.ReturnOp()
    assert module.operation.verify()
    return str(module)


def test_exchange_of_buffers() -> None:
    buffer = sdf.BufferAttr.get(0, [8], ir.F16Type.get())
    other = sdf.BufferAttr.get(128, [8], ir.F16Type.get())

    def build(address: ir.Value) -> None:
        source = sdf.ByCoreOp(
            ir.IndexType.get(), attribute("dense<[0, 0, 1, 1]> : tensor<4xi64>"), []
        )
        sdf.ConstantOp(buffer, attribute("dense<[0., 1., 2., 3., 4., 5., 6., 7.]> : tensor<8xf16>"))
        future = sdf.PublishOp(sdf.FutureType.get(), ir.ArrayAttr.get([buffer]), [0, 1])
        sdf.ReceiveOp(ir.ArrayAttr.get([other]), source, future)
        lists: list[Any] = [[], [], [], [], [0], [8], [1]]
        sdf.ReadOp(buffer, address, *lists, core=source, keep=True)
        sdf.WriteOp(buffer, address, *lists, core=source)

    text = program(build)
    assert "sdf.receive #sdf.buffer<128, 8xf16> from core %0 of %1" in text
    assert "strides [1] in core %0 {keep}" in text


def test_intrinsics() -> None:
    assert str(spyreop.DF16Type.get()) == "!spyreop.df16"
    pairs = [spyreop.DF16FusedType, spyreop.FP16FusedType, spyreop.FP32FusedType]
    assert [str(pair.get())[9:] for pair in pairs] == ["df16_fused", "fp16_fused", "fp32_fused"]
    assert spyreop.ComparePredicateAttr.get("equal").value == "equal"
    with pytest.raises(ValueError, match="invalid ReductionKindAttr"):
        spyreop.ReductionKindAttr.get("sum")

    def build(scalar: ir.Value, row: ir.Value) -> None:
        spyreop.SiluOp(scalar)
        spyreop.CompareOp(spyreop.ComparePredicate.Equal, scalar, scalar)
        assert str(spyreop.Exx2FusedOp(scalar).result.type) == "!spyreop.fp16_fused"
        spyreop.SliceReductionOp(row, "max", spyreop.ReductionScopeAttr.get("in_slice"))

    text = function(["f16", "tensor<64xf16>"], build)
    assert "spyreop.compare <equal> %arg0, %arg0 : f16" in text
    assert "#spyreop.reduction_kind<max>" in text


SPYREOP: dict[str, Callable[..., Any]] = {
    "addi32toi32": lambda h, i, j, row: spyreop.AddI32ToI32Op(i, i),
    "addi64toi64": lambda h, i, j, row: spyreop.AddI64ToI64Op(j, j),
    "muli32toi32": lambda h, i, j, row: spyreop.MulI32ToI32Op(i, i),
    "idx32toaddr": lambda h, i, j, row: spyreop.Idx32ToAddrOp(i, base=i, stride=i),
    "constant": lambda h, i, j, row: spyreop.ConstantOp(attribute("0.5 : f16")),
    "compare": lambda h, i, j, row: spyreop.CompareOp("equal", h, h),
    "select": lambda h, i, j, row: spyreop.SelectOp(h, h, h),
    "realdiv": lambda h, i, j, row: spyreop.RealDivOp(h, h),
    "exp": lambda h, i, j, row: spyreop.ExpOp(h),
    "gelu": lambda h, i, j, row: spyreop.GeluOp(h),
    "reciprocal": lambda h, i, j, row: spyreop.ReciprocalOp(h),
    "rsqrt": lambda h, i, j, row: spyreop.RsqrtOp(h),
    "sigmoid": lambda h, i, j, row: spyreop.SigmoidOp(h),
    "silu": lambda h, i, j, row: spyreop.SiluOp(h),
    "sqrt": lambda h, i, j, row: spyreop.SqrtOp(h),
    "softplus": lambda h, i, j, row: spyreop.SoftplusOp(h, 1.0, 20.0),
    "exx2": lambda h, i, j, row: spyreop.Exx2Op(h),
    "exx2_fused": lambda h, i, j, row: spyreop.Exx2FusedOp(h),
    "exx2_zeromean_fused": lambda h, i, j, row: spyreop.Exx2ZeromeanFusedOp(h),
    "layernormscale": lambda h, i, j, row: spyreop.LayerNormScaleOp(h, squares=h),
    "layernormscale_fused": lambda h, i, j, row: spyreop.LayerNormScaleFusedOp(
        spyreop.Exx2FusedOp(h).result
    ),
    "layernormnorm": lambda h, i, j, row: spyreop.LayerNormNormOp(h, h, h, h, h),
    "slice_reduction": lambda h, i, j, row: spyreop.SliceReductionOp(
        row, "max", spyreop.ReductionScopeAttr.get("in_slice")
    ),
}
"""A builder of each op, from values of types f16, i32, i64 and a row of f16."""


@pytest.mark.parametrize("name", SPYREOP)
def test_each_intrinsic(name: str) -> None:
    """Results have the types that follow; predicates, kinds and numbers are given as they are."""

    def build(*values: ir.Value) -> None:
        assert SPYREOP[name](*values).operation.name == f"spyreop.{name}"

    assert f"spyreop.{name} " in function(["f16", "i32", "i64", "tensor<64xf16>"], build)


def test_no_intrinsic_is_left_out() -> None:
    classes = (getattr(spyreop, name) for name in dir(spyreop))
    names = {getattr(entry, "OPERATION_NAME", "") for entry in classes} - {""}
    assert names == {f"spyreop.{name}" for name in SPYREOP}
