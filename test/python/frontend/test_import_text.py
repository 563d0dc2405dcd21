"""What the imported text and the lists beside it say: names, locations, state, products."""

from __future__ import annotations

import re
from typing import NamedTuple

import torch
from module_table import MODULES, Call, Perceptron, Sizes
from torch import Tensor, nn

from ktir.frontend.calling import ArgumentOutput, FixedOutput, ResultOutput
from ktir.frontend.export import ArgumentKind, export_model
from ktir.frontend.importer import import_exported, import_model

ENTRIES = {entry.name: entry for entry in MODULES}


def imported_text(name: str, dtype: torch.dtype = torch.float16) -> str:
    module, args = ENTRIES[name].build(dtype, Sizes())
    return import_model(module, args).text


def test_arguments_carry_their_names() -> None:
    imported = import_model(Perceptron(7, 8), (torch.randn(2, 7),))
    names = [argument.name for argument in imported.arguments]
    assert names[:2] == ["first.weight", "first.bias"]
    assert names[-1] == "x"
    assert re.findall(r'ktir\.name = "([^"]+)"', imported.text) == names
    assert [argument.kind for argument in imported.arguments[-2:]] == ["parameter", "user"]
    assert imported.arguments[0].shape == (8, 7)
    assert imported.arguments[0].tensor is not None
    assert imported.arguments[-1].tensor is None


def test_locations_name_node_module_and_line() -> None:
    text = import_model(Perceptron(7, 8), (torch.randn(2, 7),)).text
    places = dict(re.findall(r"^(#loc\d*) = loc\((.*)\)$", text, re.MULTILINE))
    node = re.fullmatch(
        r'"linear_1"\((#loc\d+)\)', next(p for p in places.values() if "linear_1" in p)
    )
    assert node
    module = re.fullmatch(r'"second"\((#loc\d+)\)', places[node[1]])
    assert module
    call = re.fullmatch(r"callsite\((#loc\d+) at (#loc\d+)\)", places[module[1]])
    assert call
    assert "nn/modules/linear.py" in places[call[1]]
    assert re.search(r'module_table\.py":\d+:0', places[call[2]])


def test_products_of_narrow_operands_are_mixed() -> None:
    """f16 in, f32 out, and nothing widened before."""
    text = imported_text("linear")
    assert re.search(
        r"linalg\.matmul.*\n(.*\n)+?.*\(tensor<5x65xf16>, tensor<65x96xf16>, ten\S+xf32>\)", text
    )
    assert "tensor<5x65xf32>" not in text
    text = imported_text("attention")
    assert "(tensor<6x5x65xf16>, tensor<6x65x5xf16>, tensor<6x5x5xf32>)" in text
    assert "tensor<2x3x5x65xf32>) -> tensor<2x3x65x5xf32>" not in text


def test_a_widened_product_is_the_same_product() -> None:
    """A model that multiplies f32 copies itself gets the mixed product, through views too."""
    x, y = torch.randn(2, 3, 5).half(), torch.randn(2, 7, 5).half()
    text = import_model(Call(lambda x, y: x.float() @ y.float().transpose(1, 2)), (x, y)).text
    assert "(tensor<2x3x5xf16>, tensor<2x5x7xf16>, tensor<2x3x7xf32>)" in text


def test_grouped_attention_repeats_no_keys() -> None:
    text = imported_text("attention_grouped")
    assert "tensor<2x4x6x65xf16>" not in text
    assert "tensor<4x10x65xf16>, tensor<4x65x6xf16>" in text


class Stateful(nn.Module):
    """State of every kind: tied, unused, non-persistent, constants of one and several elements."""

    mask: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 4)
        self.head = nn.Linear(4, 11, bias=False)
        self.head.weight = self.embedding.weight
        self.unused = nn.Linear(4, 4)
        self.register_buffer("mask", torch.arange(4.0), persistent=False)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids) * self.mask * torch.tensor([1.0, 2.0, 3.0, 4.0])
        y: Tensor = self.head(x + torch.tensor(0.25))
        return y


def test_state_becomes_arguments_once() -> None:
    imported = import_model(Stateful(), (torch.tensor([[1, 2]]),))
    found = {(argument.name, argument.kind) for argument in imported.arguments}
    assert found == {
        ("head.weight", ArgumentKind.PARAMETER),  # torch's choice of the two names
        ("mask", ArgumentKind.BUFFER),
        ("lifted_tensor_0", ArgumentKind.CONSTANT),
        ("ids", ArgumentKind.USER),
    }
    assert "2.500000e-01" in imported.text


class Pair(NamedTuple):
    """An output with names."""

    doubled: Tensor
    again: Tensor


class Outputs(nn.Module):
    """Computed once and given twice, passed through, constant and None outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x: Tensor) -> dict[str, object]:
        y = x * 2
        return {"pair": Pair(y, y), "x": x, "scale": self.scale, "none": None, "three": 3}


def test_outputs_that_are_not_computed_stay_out() -> None:
    module, x = Outputs(), torch.randn(2, 3)
    imported = import_model(module, (x,))
    assert [result.name for result in imported.results] == ["pair.doubled"]
    assert imported.convention.outputs == (
        ResultOutput(0),
        ResultOutput(0),
        ArgumentOutput("x"),
        ArgumentOutput("scale"),
        FixedOutput(None),
        FixedOutput(3),
    )
    output = imported.convention.rebuild([x * 2], {"x": x, "scale": module.scale})
    assert type(output["pair"]) is Pair
    assert output["x"] is x
    assert (output["none"], output["three"]) == (None, 3)


def test_a_model_that_computes_nothing() -> None:
    imported = import_model(Call(lambda x: x), (torch.randn(3),))
    assert imported.results == ()
    assert '"func.return"()' in imported.text


def test_dtype_casts_a_copy() -> None:
    module = nn.Linear(3, 4)
    imported = import_model(module, (torch.randn(2, 3),), dtype=torch.float16)
    assert module.weight.dtype == torch.float32
    assert {argument.dtype for argument in imported.arguments} == {torch.float16}


def test_shapes_alone_suffice() -> None:
    """Weights and inputs without data, as for an estimate of a model too large to load."""
    with torch.device("meta"):
        module, args = Perceptron(4096, 8192), (torch.randn(8, 4096),)
    imported = import_model(module, args)
    assert "tensor<8192x4096xf32>" in imported.text


def test_the_torch_level_runs() -> None:
    module, args = ENTRIES["attention_bool_mask"].build(torch.float16, Sizes())
    exported = export_model(module, args)
    result = exported.program.module()(*args)
    torch.testing.assert_close(result, module(*args), rtol=5e-3, atol=2e-3)
    assert import_exported(exported).program is exported.program
