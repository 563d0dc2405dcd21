"""What `@main` takes and gives, the data of lifted constants, and the interface made from them."""

from __future__ import annotations

import pytest
import torch

from ktir import InputError, VerifyError
from ktir.interface import Interface
from ktir.mlir import ir
from ktir.modules import parse_module
from ktir.signature import signature_of, take_constants, tensor_of

from .models import KERNEL, RELU


def parse(text: str) -> ir.Operation:
    return parse_module(text, "the test", ir.Context())


def test_names_shapes_dtypes() -> None:
    text = """func.func @main(%a: tensor<2x3xf16> {ktir.name = "a"}, %b: tensor<4xi64>)
        -> (tensor<4xi64>, tensor<2x3xf16>) { return %b, %a : tensor<4xi64>, tensor<2x3xf16> }"""
    signature = signature_of(parse(text))
    assert signature is not None
    assert str(signature) == "a: float16[2, 3], arg1: int64[4]"
    assert [value.name for value in signature.results] == ["0", "1"]


def test_a_lone_result_is_output() -> None:
    signature = signature_of(parse(RELU))
    assert signature is not None
    assert [value.name for value in signature.results] == ["output"]


def test_kernels_have_no_signature() -> None:
    assert signature_of(parse(KERNEL)) is None
    assert signature_of(parse(KERNEL.replace("@double", "@main"))) is None


def test_repeated_names_are_refused() -> None:
    text = """func.func @main(%a: tensor<2xf16> {ktir.name = "a"},
        %b: tensor<2xf16> {ktir.name = "a"})
        -> tensor<2xf16> { return %b : tensor<2xf16> }"""
    with pytest.raises(VerifyError, match="share the name a"):
        signature_of(parse(text))


def test_constants_are_taken_off() -> None:
    text = """func.func @main(%a: tensor<2xf16> {ktir.name = "a"}, %b: tensor<2xi64>
        {ktir.name = "constant.0", ktir.value = dense<[1, 2]> : tensor<2xi64>})
        -> tensor<2xf16> { return %a : tensor<2xf16> }"""
    module = parse(text)
    taken = take_constants(module)
    assert list(taken) == ["constant.0"]
    assert torch.equal(taken["constant.0"], torch.tensor([1, 2]))
    assert "ktir.value" not in str(module)
    assert 'ktir.name = "constant.0"' in str(module)
    assert take_constants(module) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dense<[1.5, -0.0, 0x7E00]> : tensor<3xf16>", torch.tensor([1.5, -0.0, torch.nan]).half()),
        ("dense<[1.5, 3.0]> : tensor<2xbf16>", torch.tensor([1.5, 3.0]).bfloat16()),
        ("dense<[-1.0e-5, 0xFF80]> : tensor<2xbf16>", torch.tensor([-1e-5, -torch.inf]).bfloat16()),
        ("dense<1.5> : tensor<2x3xbf16>", torch.full((2, 3), 1.5).bfloat16()),
        ('dense<"0x803F0040"> : tensor<2xbf16>', torch.tensor([1.0, 2.0]).bfloat16()),
        ("dense<[[1.0], [2.0]]> : tensor<2x1xf32>", torch.tensor([[1.0], [2.0]])),
        ("dense<[1.0, 0.1]> : tensor<2xf64>", torch.tensor([1.0, 0.1], dtype=torch.float64)),
        ("dense<[true, false, true]> : tensor<3xi1>", torch.tensor([True, False, True])),
        ("dense<[-1, 127]> : tensor<2xi8>", torch.tensor([-1, 127], dtype=torch.int8)),
        ("dense<7> : tensor<2x2xi32>", torch.full((2, 2), 7, dtype=torch.int32)),
        ("dense<[-9223372036854775808, 1]> : tensor<2xi64>", torch.tensor([-(2**63), 1])),
    ],
)
def test_tensor_of(text: str, expected: torch.Tensor) -> None:
    with ir.Context():
        found = tensor_of(ir.Attribute.parse(text))
    assert found.dtype == expected.dtype
    assert torch.equal(found.nan_to_num(99.0), expected.nan_to_num(99.0))


def test_other_attributes_are_refused() -> None:
    with ir.Context(), pytest.raises(VerifyError, match="expected a dense constant, found"):
        tensor_of(ir.Attribute.parse("dense_resource<w> : tensor<2xf32>"))


def test_interface_of_a_signature() -> None:
    text = """func.func @main(%w: tensor<2xf16> {ktir.name = "w"},
        %x: tensor<2xf16> {ktir.name = "x"})
        -> (tensor<2xf16>, tensor<2xf16>) { return %w, %x : tensor<2xf16>, tensor<2xf16> }"""
    signature = signature_of(parse(text))
    assert signature is not None
    weights = {"w": torch.ones(2).half()}
    interface = Interface.of_signature(signature, weights)
    x = torch.zeros(2).half()
    assert list(interface.bind((x,), {})) == ["x"]
    assert list(interface.bind((), {"x": x})) == ["x"]
    assert interface.output_names == ("0", "1")
    assert interface.rebuild([weights["w"], x], {}) == (weights["w"], x)
    interface.check(signature, weights)
    with pytest.raises(InputError, match="'w' that is neither input nor weight"):
        interface.check(signature, {})
    with pytest.raises(InputError, match=r"'w' of @main is float16\[2\], but float16\[3\]"):
        interface.check(signature, {"w": torch.ones(3).half()})


def test_unsigned_integers_hold_the_same_bits() -> None:
    text = """func.func @main(%x: tensor<2xi8> {ktir.name = "x"}) -> tensor<2xi8>
        { return %x : tensor<2xi8> }"""
    signature = signature_of(parse(text))
    assert signature is not None
    plain = Interface.of_signature(signature, {})
    unsigned = Interface(plain.convention, (torch.uint8,))
    (result,) = unsigned.cast_results([torch.tensor([-1, 1], dtype=torch.int8)])
    assert torch.equal(result, torch.tensor([255, 1], dtype=torch.uint8))


def test_names_bind_one_by_one() -> None:
    signature = signature_of(parse(RELU))
    assert signature is not None
    interface = Interface.of_signature(signature, {})
    with pytest.raises(InputError, match=r"missing x; expected x: float16\[5, 65\]"):
        interface.bind_names({})
    with pytest.raises(InputError, match=r"input 'x': found float32\[5, 65\], expected float16"):
        interface.bind_names({"x": torch.zeros(5, 65)})


@pytest.mark.parametrize(
    "form",
    [{}, {"convention": {}, "dtypes": []}, {"convention": None, "dtypes": None}, {"dtypes": 3}],
)
def test_damaged_interface(form: dict[str, object]) -> None:
    with pytest.raises(InputError, match="damaged"):
        Interface.from_json(form)


def test_hostile_dtype() -> None:
    signature = signature_of(parse(RELU))
    assert signature is not None
    form = Interface.of_signature(signature, {}).to_json()
    with pytest.raises(InputError, match="unknown dtype"):
        Interface.from_json({**form, "dtypes": ["load"]})
