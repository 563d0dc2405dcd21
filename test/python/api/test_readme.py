"""The Python of README.md runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch

README = Path(__file__).parents[3] / "README.md"


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, in one namespace; each leaves in `y` what the model gives for `x`."""
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)
    assert ["compile_module" in blocks[0], 'backend="ktir"' in blocks[1]] == [True, True]
    monkeypatch.chdir(tmp_path)
    torch.compiler.reset()
    names: dict[str, Any] = {}
    for block in blocks:
        names.pop("y", None)
        exec(block, names)
        with torch.no_grad():
            expected = names["model"](names["x"])
        torch.testing.assert_close(names["y"], expected, rtol=1e-2, atol=4e-3)
    assert (tmp_path / "mlp.ktirpkg").is_file()
