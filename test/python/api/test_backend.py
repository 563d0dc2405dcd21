"""`torch.compile(model, backend="ktir")`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo.exc import BackendCompilerFailed

from .models import affine


@pytest.fixture(autouse=True)
def _forget_graphs() -> Iterator[None]:
    """Graphs that torch captured in one test do not reach the next."""
    torch.compiler.reset()
    yield
    torch.compiler.reset()


class Sorts(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x + 1
        return torch.sort(y).values


class Returns(nn.Module):
    """A structure with a new tensor, an input and a number, by way of a keyword."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(65, 96).half()

    def forward(self, x: Tensor, *, scale: float) -> dict[str, object]:
        return {"y": torch.relu(self.layer(x)) * scale, "x": x, "rows": x.shape[0]}


@torch.no_grad()
def test_a_model_matches_eager() -> None:
    module, inputs = affine()
    expected = module(*inputs)
    found = torch.compile(module, backend="ktir")(*inputs)
    assert list(found) == list(expected)
    torch.testing.assert_close(found["hidden"], expected["hidden"], rtol=2e-3, atol=2e-3)
    assert torch.equal(found["best"], found["hidden"].argmax(-1))


@torch.no_grad()
def test_structure_and_weights_as_they_are_at_the_call() -> None:
    model = Returns().eval()
    compiled = torch.compile(model, backend="ktir", dynamic=False)
    for rows in (5, 7):
        x = torch.randn(rows, 65).half()
        found = compiled(x, scale=2.0)
        assert found["x"] is x
        assert found["rows"] == rows
        before = found["y"]
        model.layer.weight.mul_(2)
        model.layer.bias.mul_(2)
        assert torch.equal(compiled(x, scale=2.0)["y"], before * 2)


@torch.no_grad()
def test_an_unsupported_op_names_the_models_line() -> None:
    message = r"UnsupportedError: aten\.sort.* at .*test_backend\.py:\d+: return torch\.sort\(y\)"
    with pytest.raises(BackendCompilerFailed, match=message):
        torch.compile(Sorts(), backend="ktir")(torch.randn(5, 65))


def test_gradients_are_refused() -> None:
    module, inputs = affine()
    with pytest.raises(BackendCompilerFailed, match=r"UnsupportedError: .* torch\.no_grad\(\)"):
        torch.compile(module, backend="ktir")(*inputs)


@torch.no_grad()
def test_dynamic_sizes_are_refused() -> None:
    compiled = torch.compile(nn.ReLU(), backend="ktir", dynamic=True)
    with pytest.raises(BackendCompilerFailed, match=r"UnsupportedError: .* dynamic=False"):
        compiled(torch.randn(5, 65))
