"""Kernels of other producers run as they are: at both levels, in every spelling, with all checks
on, with the same bits everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor

import ktir.passes  # noqa: F401  (registers the passes)
from ktir.machine.kernel import run
from ktir.modules import new_context, parse_module
from ktir.options import CompileOptions
from ktir.pipeline import run_stage
from ktir.target import load_target
from test.producers import (  # noqa: F401  (they enter their launches)
    attention,
    control,
    integers,
    movement,
    normalizing,
    products,
)
from test.producers.launch import FOLDER, LAUNCHES, Launch
from test.producers.spelling import SPELLINGS, as_written


def arrays(text: str, launch: Launch, level: str) -> Mapping[str, Tensor]:
    """The arrays that are expected, as one level leaves them; arguments are given by position."""
    target = load_target()
    options = CompileOptions(target_file=target)

    def lower(module: Any) -> Any:
        return run_stage(module, "sdf", options, target)

    module = parse_module(text, "the kernel", new_context())
    given = list(launch.arguments.values())
    left = run(module, "k", given, level=level, check="full", target=target, lower=lower).arrays
    position = {name: f"arg{i}" for i, name in enumerate(launch.arguments)}
    return {name: torch.as_tensor(left[position[name]]) for name in launch.expected}


def test_every_kernel_has_a_launch() -> None:
    assert {path.stem for path in FOLDER.glob("*.mlir")} == set(LAUNCHES)


@pytest.mark.parametrize("name", LAUNCHES)
def test_a_kernel_is_right_at_both_levels(name: str) -> None:
    launch = LAUNCHES[name]()
    text = (FOLDER / f"{name}.mlir").read_text()
    first = arrays(text, launch, "ktir")
    for key, wanted in launch.expected.items():
        tolerance = launch.tolerance
        found = first[key].reshape(wanted.shape).double()
        assert torch.allclose(found, wanted.double(), tolerance, tolerance, equal_nan=True), key
    assert same_bits(first, arrays(text, launch, "sdf"))


@pytest.mark.parametrize("spelling", [s for s in SPELLINGS if s is not as_written])
@pytest.mark.parametrize("name", LAUNCHES)
def test_spelling_changes_no_bit(name: str, spelling: Callable[[str], str]) -> None:
    launch = LAUNCHES[name]()
    text = (FOLDER / f"{name}.mlir").read_text()
    other = spelling(text)
    expected = arrays(text, launch, "ktir")
    assert same_bits(expected, arrays(other, launch, "ktir"))
    assert same_bits(expected, arrays(other, launch, "sdf"))


def same_bits(one: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> bool:
    """Whether all arrays have the same bytes."""
    pairs = ((one[name].view(torch.uint8), other[name].view(torch.uint8)) for name in one)
    return all(torch.equal(x, y) for x, y in pairs)
