"""torch, torch-mlir and this package live in one process, whatever is imported first; `import ktir`
alone is light.

Owns what importing does. Each test is a process of its own.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from .support import python

IMPORTS = {
    "torch": "import torch",
    "torch_mlir": "from torch_mlir import fx",
    "ktir": "import ktir.mlir.ir",
}

USE_ALL = """
import torch, ktir
from torch_mlir import fx, ir as theirs
from ktir.mlir import ir as ours

with theirs.Context(), theirs.Location.unknown():
    assert "module" in str(theirs.Module.create())
with ours.Context(), ours.Location.unknown():
    assert "module" in str(ours.Module.create())
x = torch.randn(5, 65)
program = ktir.compile_module(torch.nn.ReLU(), (x,))
assert torch.equal(program(x), x.relu())
with theirs.Context(), theirs.Location.unknown():
    assert "module" in str(theirs.Module.create())
print("done")
"""


@pytest.mark.parametrize("order", list(permutations(IMPORTS)), ids=" ".join)
def test_any_order(order: tuple[str, ...]) -> None:
    """All three in one process, imported in this order, work: both MLIRs, and a compilation through
    both.
    """
    result = python("\n".join(IMPORTS[name] for name in order) + USE_ALL)
    assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr


@pytest.mark.parametrize(
    "statement", ["import ktir", "import ktir.mlir.ir", "from ktir import load, run_kernel"]
)
def test_import_loads_no_torch_mlir(statement: str) -> None:
    """Importing the package, its bindings or its functions does not import torch-mlir."""
    result = python(f"{statement}\nimport sys\nprint('torch_mlir' in sys.modules)")
    assert (result.returncode, result.stdout) == (0, "False\n"), result.stderr


def test_import_alone_loads_no_torch() -> None:
    """`import ktir` and its bindings do not even load torch."""
    result = python("import ktir, ktir.mlir.ir, sys\nprint('torch' in sys.modules)")
    assert (result.returncode, result.stdout) == (0, "False\n"), result.stderr
