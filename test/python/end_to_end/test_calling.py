"""Inputs and outputs keep their structure, dtypes and names, as the model has them.

Owns how a call looks from outside. What may go wrong in one is in `test_bad_input.py`.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch
from torch import Tensor, nn

import ktir

from .support import LEVELS, assert_same_bits

Pair = namedtuple("Pair", ["first", "second"])


class ManyOutputs(nn.Module):
    """Outputs in nested containers, an int64 and a bool among them, an input passed through, a
    value given twice.
    """

    def forward(self, x: Tensor, *, bias: Tensor) -> dict[str, Any]:
        total = x + bias
        return {
            "sum": total,
            "nested": (total.argmax(-1), [total > 0, x]),
            "nothing": None,
            "again": total,
        }


class NamedPair(nn.Module):
    def forward(self, x: Tensor) -> Any:
        return Pair(x * 2, x.sum(-1))


class Container(nn.Module):
    """Takes a dict and a tuple."""

    def forward(self, tensors: dict[str, Tensor], pair: tuple[Tensor, Tensor]) -> Tensor:
        return tensors["a"] * pair[0] + tensors["b"] * pair[1]


class Optional(nn.Module):
    """An optional tensor and a Python number with defaults."""

    def forward(self, x: Tensor, mask: Tensor | None = None, scale: float = 2.0) -> Tensor:
        y = x * scale
        return y if mask is None else torch.where(mask, y, torch.zeros_like(y))


@dataclass
class Data:
    x: Tensor
    bias: Tensor


@pytest.fixture(scope="module")
def data() -> Data:
    torch.manual_seed(0)
    return Data(torch.randn(5, 65).half(), torch.randn(65).half())


def test_nested_outputs_and_keywords(data: Data) -> None:
    """A dict stays a dict with its keys in order, tuples tuples, lists lists, None None; dtypes are
    the model's.
    """
    module = ManyOutputs()
    program = ktir.compile_module(module, {"x": data.x, "bias": data.bias})
    got, expected = program(x=data.x, bias=data.bias), module(data.x, bias=data.bias)
    assert list(got) == list(expected)
    assert got["nothing"] is None
    assert isinstance(got["nested"], tuple)
    assert isinstance(got["nested"][1], list)
    assert got["nested"][0].dtype == torch.int64
    assert got["nested"][1][0].dtype == torch.bool
    assert_same_bits(got, expected, "outputs")
    assert_same_bits(program(data.x, bias=data.bias), expected, "by position")
    for level in LEVELS:
        assert_same_bits(program.run_level(level, x=data.x, bias=data.bias), expected, level)
    assert {"sum", "nested.0", "nested.1.0", "nested.1.1", "again"} <= set(program.output_names)


def test_named_tuple(data: Data) -> None:
    """A named tuple comes back as one."""
    program = ktir.compile_module(NamedPair(), (data.x,))
    got = program(data.x)
    assert type(got) is Pair
    assert_same_bits(got.first, data.x * 2, "first")
    assert got.second.shape == (5,)


def test_containers_as_inputs(data: Data) -> None:
    """Inputs in containers are found by structure."""
    inputs = ({"a": data.x, "b": data.x + 1}, (data.x, data.x - 1))
    program = ktir.compile_module(Container(), inputs)
    torch.testing.assert_close(program(*inputs), Container()(*inputs), rtol=1e-3, atol=1e-3)


def test_optional_inputs(data: Data) -> None:
    """With and without an optional tensor are two programs; a number is part of the program."""
    mask = torch.rand(5, 65) < 0.5
    without = ktir.compile_module(Optional(), (data.x,))
    assert_same_bits(without(data.x), data.x * 2, "without mask")
    with_mask = ktir.compile_module(Optional(), {"x": data.x, "mask": mask, "scale": 3.0})
    expected = Optional()(data.x, mask, 3.0)
    assert_same_bits(with_mask(data.x, mask=mask, scale=3.0), expected, "with mask")
    with pytest.raises(ktir.InputError, match="scale"):
        with_mask(data.x, mask=mask, scale=4.0)


def test_model_output() -> None:
    """A Hugging Face model's own output class comes back, with its attributes, also from a file."""
    from transformers import BertConfig, BertModel
    from transformers.modeling_outputs import BaseModelOutputWithPoolingAndCrossAttentions

    config = BertConfig(
        vocab_size=50,
        hidden_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=96,
        max_position_embeddings=16,
    )
    torch.manual_seed(0)
    model: nn.Module = BertModel(config)
    model.eval()
    ids = torch.arange(14).reshape(2, 7)
    program = ktir.compile_module(model, {"input_ids": ids, "attention_mask": torch.ones_like(ids)})
    got = program(input_ids=ids, attention_mask=torch.ones_like(ids))
    with torch.no_grad():
        expected = model(input_ids=ids, attention_mask=torch.ones_like(ids))
    assert isinstance(got, BaseModelOutputWithPoolingAndCrossAttentions)
    assert list(got.keys()) == list(expected.keys())
    torch.testing.assert_close(
        got.last_hidden_state, expected.last_hidden_state, rtol=1e-4, atol=1e-4
    )
    torch.testing.assert_close(got.pooler_output, expected.pooler_output, rtol=1e-4, atol=1e-4)


def test_structure_survives_saving(data: Data, tmp_path: Path) -> None:
    """A loaded program takes and gives the same structure."""
    program = ktir.compile_module(ManyOutputs(), {"x": data.x, "bias": data.bias})
    program.save(tmp_path / "many.ktirpkg")
    loaded = ktir.load(tmp_path / "many.ktirpkg")
    got = loaded(data.x, bias=data.bias)
    assert list(got) == ["sum", "nested", "nothing", "again"]
    assert_same_bits(got, program(data.x, bias=data.bias), "loaded")
    assert loaded.output_names == program.output_names


def test_state_is_taken_when_compiled(data: Data) -> None:
    """Outputs do not share memory with inputs or weights, and later changes of the model change
    nothing.
    """
    module = nn.Linear(65, 65).half()
    program = ktir.compile_module(module, (data.x,))
    first = program(data.x)
    with torch.no_grad():
        module.weight.zero_()
    assert_same_bits(program(data.x), first, "after the model changed")
    passing = ktir.compile_module(ManyOutputs(), {"x": data.x, "bias": data.bias})
    x = data.x.clone()
    passing(x, bias=data.bias)["nested"][1][1].zero_()
    passing(x, bias=data.bias)["sum"].zero_()
    assert_same_bits(x, data.x, "the input")


def test_example_values_do_not_matter(data: Data) -> None:
    """What is compiled depends on shapes and dtypes only."""
    one = ktir.compile_module(nn.Softmax(-1), (data.x,))
    other = ktir.compile_module(nn.Softmax(-1), (torch.zeros_like(data.x),))
    for level in LEVELS:
        assert one.ir(level) == other.ir(level)


def test_tensor_alone_and_batch_of_one() -> None:
    """A lone tensor is one positional input; rank 0 and rank 1 work."""
    x = torch.randn(65)
    program = ktir.compile_module(nn.ReLU(), x)
    assert_same_bits(program(x), x.relu(), "rank 1")
    scalar = torch.tensor(-2.0)
    program = ktir.compile_module(nn.ReLU(), (scalar,))
    assert_same_bits(program(scalar), scalar.relu(), "rank 0")


def test_stopped_program_does_not_run(data: Data) -> None:
    """After `stop_after`, higher levels have text, and calling raises with what to do."""
    program = ktir.compile_module(nn.ReLU(), (data.x,), stop_after="plan")
    assert program.level == "plan"
    assert "plan.kernel" in program.ir("plan")
    with pytest.raises(ktir.KtirError, match="plan"):
        program(data.x)
    with pytest.raises(ktir.InputError, match="sdf"):
        program.ir("sdf")
    assert_same_bits(program.run_level("plan", data.x), data.x.relu(), "run at plan")


def test_run_kernel_keeps_names(tmp_path: Path) -> None:
    """The emitted KTIR of a program runs as a file of kernels, on numpy arrays by argument name."""
    x = numpy.random.default_rng(0).standard_normal((5, 64)).astype(numpy.float32)
    program = ktir.compile_module(nn.ReLU(), (torch.from_numpy(x),))
    path = tmp_path / "relu.mlir"
    path.write_text(program.ir("ktir"))
    out = numpy.zeros_like(x)
    for level in ("ktir", "sdf"):
        result = ktir.run_kernel(path, arg0=x, arg1=out, level=level)
        arrays = list(result.values())
        assert len(arrays) == 2
        numpy.testing.assert_array_equal(arrays[1], numpy.maximum(x, 0))
        assert not out.any(), "what was given stays untouched"
