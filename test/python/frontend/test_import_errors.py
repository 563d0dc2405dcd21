"""What cannot be imported is refused with the operator, the reason and the user's line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from module_table import Call
from torch import Tensor, nn
from torch.nn import functional as F

from ktir.errors import ImportFailure, UnsupportedError
from ktir.frontend.importer import import_model

X = torch.randn(4, 3)


class Branches(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x if x.sum() > 0 else -x  # the line of the failure


class WritesBuffer(nn.Module):
    count: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x: Tensor) -> Tensor:
        self.count.add_(1)
        return x + self.count


class Nested(nn.Module):
    """A module whose part uses an operator that is not supported."""

    def __init__(self) -> None:
        super().__init__()
        self.part = Sorts()

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.part(x)
        return y * 2


class Sorts(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sort(-1).values  # the line of the failure


def test_control_flow_on_values(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ImportFailure, match="cannot export Branches") as raised:
        import_model(Branches(), (X,))
    message = str(raised.value)
    assert "GuardOnDataDependentSymNode" in message
    assert "return x if x.sum() > 0 else -x" in message
    assert "\n" not in message
    assert capfd.readouterr() == ("", "")


def test_a_model_that_does_not_run() -> None:
    with pytest.raises(ImportFailure, match=r"RuntimeError: .*\[4, 3\] X \[7, 7\], at .*\.py:\d+"):
        import_model(Call(lambda x: x @ torch.ones(7, 7)), (X,))


def test_an_operator_without_a_form() -> None:
    with pytest.raises(UnsupportedError) as raised:
        import_model(Nested(), (X,))
    message = str(raised.value)
    assert "aten.sort.default(float32[4, 3])" in message
    assert "in module part" in message
    assert "the line of the failure" in message
    assert __file__ in message


@pytest.mark.parametrize(
    ("function", "pattern"),
    [
        (lambda x: torch.fft.rfft(x), r"aten\.fft_rfft.*float32\[4, 3\].*complex"),
        (lambda x: torch.linalg.inv(x[:3]), r"linalg_check_errors.*only calls of operators"),
        (lambda x: x[x > 0], r"aten\.index\.Tensor.*shape depends on data"),
        (lambda x: F.dropout(x, 0.5), r"aten\.dropout.*random"),
        (lambda x: x + torch.rand_like(x), r"aten\.rand_like.*random"),
        (
            lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None], dropout_p=0.5),
            r"aten\.scaled_dot_product_attention.*random",
        ),
        (
            lambda x: torch.zeros(4, 3).scatter_add(-1, torch.zeros(4, 3, dtype=torch.int64), x),
            r"aten\.scatter_add",
        ),
        (lambda x: x.add_(1) * 2, r"writes to its input 'inputs_0'"),
    ],
)
def test_refusals(function: Callable[..., Any], pattern: str) -> None:
    with pytest.raises(UnsupportedError, match=pattern) as raised:
        import_model(Call(function), (X.clone(),))
    assert "\n" not in str(raised.value)


def test_written_buffers_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match="writes to its buffer 'count'"):
        import_model(WritesBuffer(), (X,))


def test_missing_torch_mlir_says_how_to_install_it() -> None:
    code = (
        "import sys; sys.modules['torch_mlir'] = None\n"
        "import torch\n"
        "from ktir.errors import KtirError\n"
        "from ktir.frontend.importer import import_model\n"
        "try:\n"
        "    import_model(torch.nn.ReLU(), (torch.ones(3),))\n"
        "except KtirError as error:\n"
        "    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "torch-mlir is not installed" in run.stdout
    assert "pip install" in run.stdout
