"""The Python of README.md runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch

README = Path(__file__).parents[3] / "README.md"


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, in one namespace: those of models leave in `y` what the model gives for
    `x`, the one of a kernel in `z` the sum of both, the one of a prepared kernel its last sum."""
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)
    shown = ("compile_module", 'backend="ktir"', "run_kernel", "PreparedKernel")
    assert [name in block for name, block in zip(shown, blocks, strict=True)] == [True] * 4
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(README.parent / "examples")
    torch.compiler.reset()
    names: dict[str, Any] = {}
    for block in blocks[:2]:
        names.pop("y", None)
        exec(block, names)
        with torch.no_grad():
            expected = names["model"](names["x"])
        torch.testing.assert_close(names["y"], expected, rtol=1e-2, atol=4e-3)
    exec(blocks[2], names)
    assert torch.equal(torch.as_tensor(names["z"]), (names["x"] + names["y"]).flatten())
    exec(blocks[3], names)
    total = 3 * names["x"].flatten() + names["y"].flatten()
    assert torch.equal(torch.as_tensor(names["arrays"]["z_ptr"]), total)
    assert (tmp_path / "mlp.ktirpkg").is_file()
