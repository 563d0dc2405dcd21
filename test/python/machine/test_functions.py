"""Whole functions at the `linalg` and `plan` level, and every named op."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch
from torch import Tensor

from ktir.errors import BoundsError, InputError, UnsupportedError, VerifyError
from ktir.machine.functions import Library, run_function
from ktir.mlir import ir


def evaluate(text: str, *args: Tensor, name: str | None = None) -> list[Tensor]:
    with ir.Context(), ir.Location.unknown():
        return run_function(ir.Module.parse(text), args, name)


def named(op: str, inputs: list[str], output: str, *args: Tensor, attributes: str = "") -> Tensor:
    """The result of a named op on these input types and an output filled with zero."""
    values = ", ".join(f"%a{i}" for i in range(len(inputs)))
    types = ", ".join(inputs)
    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(inputs))
    element = output.rpartition("x")[2].rstrip(">").removeprefix("tensor<")
    zero = "0.0" if element.startswith(("f", "b")) else "0"
    text = f"""func.func @f({arguments}) -> {output} {{
      %zero = arith.constant {zero} : {element}
      %e = tensor.empty() : {output}
      %o = linalg.fill ins(%zero : {element}) outs(%e : {output}) -> {output}
      %r = linalg.{op} {attributes} ins({values} : {types}) outs(%o : {output}) -> {output}
      return %r : {output}
    }}"""
    return evaluate(text, *args)[0]


def random(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


T = "tensor<3x5xf32>"


@pytest.mark.parametrize(
    ("op", "reference"),
    [
        ("add", torch.add),
        ("sub", torch.sub),
        ("mul", torch.mul),
        ("div", torch.div),
        ("max", torch.maximum),
        ("min", torch.minimum),
        ("powf", torch.pow),
    ],
)
def test_named_binary(op: str, reference: object) -> None:
    x, y = random(3, 5).abs() + 0.1, random(3, 5, seed=1)
    assert callable(reference)
    torch.testing.assert_close(named(op, [T, T], T, x, y), reference(x, y))


@pytest.mark.parametrize(
    ("op", "reference"),
    [
        ("exp", torch.exp),
        ("log", torch.log),
        ("abs", torch.abs),
        ("negf", torch.neg),
        ("floor", torch.floor),
        ("ceil", torch.ceil),
        ("round", torch.round),
        ("sqrt", torch.sqrt),
        ("rsqrt", torch.rsqrt),
        ("reciprocal", torch.reciprocal),
        ("square", torch.square),
        ("tanh", torch.tanh),
        ("erf", torch.erf),
        ("copy", torch.clone),
    ],
)
def test_named_unary(op: str, reference: object) -> None:
    x = random(3, 5).abs() + 0.1
    assert callable(reference)
    torch.testing.assert_close(named(op, [T], T, x), reference(x))


def test_named_select_and_elementwise() -> None:
    x, y, c = random(3, 5), random(3, 5, seed=1), random(3, 5, seed=2) > 0
    assert torch.equal(named("select", ["tensor<3x5xi1>", T, T], T, c, x, y), torch.where(c, x, y))
    kind = "kind=#linalg.elementwise_kind<exp>"
    torch.testing.assert_close(named("elementwise", [T], T, x, attributes=kind), x.exp())


@pytest.mark.parametrize("half", [False, True])
def test_named_products(half: bool) -> None:
    e, dtype = ("f16", torch.float16) if half else ("f32", torch.float32)

    def t(*shape: int) -> str:
        return "tensor<" + "".join(f"{d}x" for d in shape) + e + ">"

    def out(*shape: int) -> str:
        return "tensor<" + "".join(f"{d}x" for d in shape) + "f32>"

    def r(*shape: int) -> Tensor:
        return random(*shape, dtype=dtype, seed=len(shape))

    cases = [
        ("matmul", [t(4, 6), t(6, 5)], out(4, 5), "ij,jk->ik"),
        ("batch_matmul", [t(2, 4, 6), t(2, 6, 5)], out(2, 4, 5), "bij,bjk->bik"),
        ("matvec", [t(4, 6), t(6)], out(4), "ij,j->i"),
        ("vecmat", [t(6), t(6, 5)], out(5), "j,jk->k"),
        ("batch_matvec", [t(2, 4, 6), t(2, 6)], out(2, 4), "bij,bj->bi"),
        ("dot", [t(6), t(6)], out(), "i,i->"),
    ]
    for op, inputs, output, equation in cases:
        shapes = [[int(d) for d in i.removeprefix("tensor<").split("x")[:-1]] for i in inputs]
        a, b = (r(*shape) for shape in shapes)
        expected = torch.einsum(equation, a.float(), b.float())
        torch.testing.assert_close(named(op, inputs, output, a, b), expected, rtol=1e-5, atol=1e-5)
    transposed = """indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n,
    k)>,
        affine_map<(m, n, k) -> (m, n)>]"""
    a, b = r(4, 6), random(5, 6, dtype=dtype)
    got = named("matmul", [t(4, 6), t(5, 6)], out(4, 5), a, b, attributes=transposed)
    torch.testing.assert_close(got, a.float() @ b.float().t(), rtol=1e-5, atol=1e-5)


def test_f16_matmul_accumulates_in_f32() -> None:
    a, b = random(9, 300, dtype=torch.float16), random(300, 7, dtype=torch.float16, seed=1)
    got = named("matmul", ["tensor<9x300xf16>", "tensor<300x7xf16>"], "tensor<9x7xf16>", a, b)
    assert torch.equal(got, (a.float() @ b.float()).half())


def test_convolution_and_pooling() -> None:
    image, kernel = random(1, 8, 8, 3), random(3, 3, 3, 4, seed=1)
    strides = "{dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}"
    got = named(
        "conv_2d_nhwc_hwcf",
        ["tensor<1x8x8x3xf32>", "tensor<3x3x3x4xf32>"],
        "tensor<1x3x3x4xf32>",
        image,
        kernel,
        attributes=strides,
    )
    expected = torch.conv2d(image.permute(0, 3, 1, 2), kernel.permute(3, 2, 0, 1), stride=2)
    torch.testing.assert_close(got, expected.permute(0, 2, 3, 1), rtol=1e-5, atol=1e-5)
    got = named(
        "pooling_nhwc_max", ["tensor<1x8x8x3xf32>", "tensor<2x2xf32>"], "tensor<1x4x4x3xf32>",
        image, random(2, 2), attributes=strides,
    )  # fmt: skip
    pooled = torch.nn.functional.max_pool2d(image.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)
    assert torch.equal(got, pooled.clamp(min=0))


def test_reduce_broadcast_transpose_map() -> None:
    text = """func.func @f(%x: tensor<3x5xf32>, %v: tensor<3xf32>)
        -> (tensor<3xf32>, tensor<3x5xf32>, tensor<5x3xf32>, tensor<3x5xf32>) {
      %r = linalg.reduce ins(%x : tensor<3x5xf32>) outs(%v : tensor<3xf32>) dimensions = [1]
        (%in: f32, %out: f32) {
          %a = arith.addf %in, %out : f32
          linalg.yield %a : f32
        }
      %e = tensor.empty() : tensor<3x5xf32>
      %b = linalg.broadcast ins(%v : tensor<3xf32>) outs(%e : tensor<3x5xf32>) dimensions = [1]
      %te = tensor.empty() : tensor<5x3xf32>
      %t = linalg.transpose ins(%x : tensor<3x5xf32>) outs(%te : tensor<5x3xf32>) permutation = [1,
      0] %m = linalg.map { arith.mulf } ins(%x, %b : tensor<3x5xf32>, tensor<3x5xf32>)
        outs(%e : tensor<3x5xf32>)
      return %r, %b, %t, %m : tensor<3xf32>, tensor<3x5xf32>, tensor<5x3xf32>, tensor<3x5xf32>
    }"""
    x, v = random(3, 5), random(3, seed=1)
    reduced, repeated, turned, product = evaluate(text, x, v)
    torch.testing.assert_close(reduced, v + x.sum(1))
    assert torch.equal(repeated, v[:, None].expand(3, 5))
    assert torch.equal(turned, x.t())
    assert torch.equal(product, x * v[:, None])
    assert all(value.is_contiguous() for value in (reduced, repeated, turned, product))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_softmax(dtype: torch.dtype) -> None:
    e = "f16" if dtype == torch.float16 else "f32"
    x = random(4, 33, 2, dtype=dtype)
    text = f"""func.func @f(%x: tensor<4x33x2x{e}>) -> tensor<4x33x2x{e}> {{
      %e = tensor.empty() : tensor<4x33x2x{e}>
      %s = linalg.softmax dimension(1) ins(%x : tensor<4x33x2x{e}>) outs(%e : tensor<4x33x2x{e}>)
        -> tensor<4x33x2x{e}>
      return %s : tensor<4x33x2x{e}>
    }}"""
    tolerance = 2e-3 if dtype == torch.float16 else 1e-6
    torch.testing.assert_close(evaluate(text, x)[0], x.softmax(1), rtol=tolerance, atol=tolerance)


GATHER = """
func.func @main(%table: tensor<7x4xf16>, %ids: tensor<2x3xi64>) -> tensor<2x3x4xf16> {
  %e = tensor.empty() : tensor<2x3x4xf16>
  %r = linalg.generic {
      indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%ids : tensor<2x3xi64>) outs(%e : tensor<2x3x4xf16>) {
  ^bb0(%id: i64, %out: f16):
    %row = arith.index_cast %id : i64 to index
    %column = linalg.index 2 : index
    %v = tensor.extract %table[%row, %column] : tensor<7x4xf16> loc("wte"("model.py":5:1))
    linalg.yield %v : f16
  } -> tensor<2x3x4xf16> loc("embed"("model.py":4:1))
  return %r : tensor<2x3x4xf16>
}
"""


def test_gather_and_its_bounds() -> None:
    table = random(7, 4, dtype=torch.float16)
    ids = torch.tensor([[0, 6, 2], [5, 5, 1]])
    assert torch.equal(evaluate(GATHER, table, ids)[0], table[ids])
    with pytest.raises(BoundsError, match=r"'linalg.generic' at model.py:4:1 \(embed\): index 7 "):
        evaluate(GATHER, table, ids + 1)


PLAN = """
func.func @main(%x: tensor<8x64xf16>, %w: tensor<32x64xf16>) -> tensor<8x32xf16> {
  %k = plan.keep %x : tensor<8x64xf16>
  %r = plan.kernel "linear_relu" split = [2, 1] tile = [4, 32]
      ins(%a = %k : tensor<8x64xf16>, %b = %w : tensor<32x64xf16>) -> (tensor<8x32xf16>) {
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0.0 : f16
    %e = tensor.empty() : tensor<8x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
    %m = linalg.generic {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                         affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<8x64xf16>, tensor<32x64xf16>) outs(%f : tensor<8x32xf32>) {
    ^bb0(%p: f16, %q: f16, %o: f32):
      %pw = arith.extf %p : f16 to f32
      %qw = arith.extf %q : f16 to f32
      %t = arith.mulf %pw, %qw : f32
      %s = arith.addf %o, %t : f32
      linalg.yield %s : f32
    } -> tensor<8x32xf32>
    %e2 = tensor.empty() : tensor<8x32xf16>
    %n = linalg.generic {
        indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%m : tensor<8x32xf32>) outs(%e2 : tensor<8x32xf16>) {
    ^bb0(%p: f32, %o: f16):
      %h = arith.truncf %p : f32 to f16
      %y = arith.maximumf %h, %none : f16
      linalg.yield %y : f16
    } -> tensor<8x32xf16>
    plan.yield %n : tensor<8x32xf16>
  }
  %l = plan.restickify %r dim = 0 : tensor<8x32xf16>
  return %l : tensor<8x32xf16>
}
"""


def test_plan_level() -> None:
    x, w = random(8, 64, dtype=torch.float16), random(32, 64, dtype=torch.float16, seed=1)
    assert torch.equal(evaluate(PLAN, x, w)[0], (x.float() @ w.float().t()).half().relu())


def test_decoded_functions_outlive_the_ir() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(PLAN)
    function = Library(module).find("main")
    gone = weakref.ref(module)
    del module
    gc.collect()
    assert gone() is None
    assert [a.shape for a in function.arguments] == [(8, 64), (32, 64)]


def test_inputs_are_checked() -> None:
    x, w = random(8, 64, dtype=torch.float16), random(32, 64, dtype=torch.float16)
    with pytest.raises(InputError, match="takes 2 arguments, 1 are given"):
        evaluate(PLAN, x)
    with pytest.raises(
        InputError, match=r"argument arg1 of @main: expected torch.float16 of shape \[32, 64\]"
    ):
        evaluate(PLAN, x, w.t())
    with pytest.raises(InputError, match=r"got torch.float32"):
        evaluate(PLAN, x.float(), w)
    with pytest.raises(VerifyError, match="@other has no body"):
        evaluate(PLAN, x, w, name="other")


def test_arguments_keep_their_names_and_gradients_are_ignored() -> None:
    text = """func.func @main(%x: tensor<2xf32> {ktir.name = "encoder.bias"}, %n: i32) ->
    tensor<2xf32> {
      %y = arith.addf %x, %x : tensor<2xf32>
      return %y : tensor<2xf32>
    }"""
    x = torch.ones(2, requires_grad=True)
    (got,) = evaluate(text, x, torch.tensor(3, dtype=torch.int32))
    assert not got.requires_grad
    with pytest.raises(InputError, match=r"argument encoder\.bias"):
        evaluate(text, torch.ones(3), torch.tensor(3, dtype=torch.int32))


def test_ops_that_are_not_scalar_in_a_body_are_refused() -> None:
    text = GATHER.replace(
        "tensor.extract %table[%row, %column] : tensor<7x4xf16>", "func.call @g() : () -> f16"
    )
    text = text.replace("func.func @main", "func.func private @g() -> f16\nfunc.func @main")
    with pytest.raises(UnsupportedError, match=r"'func.call' at model.py:5:1 .*hold scalar ops"):
        evaluate(text, random(7, 4, dtype=torch.float16), torch.zeros(2, 3, dtype=torch.int64))
