"""Calls are checked against what was compiled, and outputs keep the model's structure."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from ktir.errors import InputError
from ktir.frontend.calling import CallingConvention, FixedOutput
from ktir.frontend.export import export_model
from ktir.frontend.structure import from_json, to_json


class Pair(NamedTuple):
    """An output with names."""

    left: Tensor
    right: Tensor


class Attends(nn.Module):
    """Inputs by position and name, a nested input, a Python value; a nested output."""

    def forward(
        self, x: Tensor, cache: dict[str, Tensor], mask: Tensor | None = None, times: int = 2
    ) -> dict[str, Any]:
        y = x * times + cache["key"] - cache["value"]
        return {"pair": Pair(y, y + 1), "masked": y if mask is None else y * mask, "list": [y]}


X, MASK = torch.ones(2, 3), torch.ones(3)
CACHE = {"key": torch.full((2, 3), 2.0), "value": torch.full((2, 3), 3.0)}


@pytest.fixture(scope="module")
def convention() -> CallingConvention:
    return export_model(Attends(), (X, CACHE), {"mask": MASK, "times": 3}).convention


def call(convention: CallingConvention, *args: Any, **kwargs: Any) -> Mapping[str, Tensor]:
    return convention.flatten(args, kwargs)


def test_arguments_by_position_and_by_name(convention: CallingConvention) -> None:
    expected = {"x": X, "cache_key": CACHE["key"], "cache_value": CACHE["value"], "mask": MASK}
    for tensors in (
        call(convention, X, CACHE, mask=MASK, times=3),
        call(convention, X, CACHE, MASK, 3),
        call(convention, X, times=3, mask=MASK, cache=CACHE),
        call(convention, X, dict(reversed(CACHE.items())), mask=MASK, times=3),
    ):
        assert list(tensors) == list(expected)
        assert all(tensors[name] is expected[name] for name in expected)


@pytest.mark.parametrize(
    ("args", "kwargs", "pattern"),
    [
        ((X,), {"mask": MASK, "times": 3}, r"missing \['cache'\].*2 by position \(x, cache\)"),
        ((X, CACHE, MASK, 3, X), {}, "found 5 positional inputs, expected 2 by position"),
        ((X, CACHE), {"mask": MASK, "times": 3, "bias": X}, r"not expected \['bias'\]"),
        ((X, CACHE), {"x": X, "mask": MASK, "times": 3}, "'x' is given twice"),
        ((X, CACHE), {"mask": MASK, "times": 4}, "input 'times': found 4, expected 3.*same value"),
        ((X, CACHE), {"mask": None, "times": 3}, "input 'mask': found None, expected a tensor"),
        (
            (X.half(), CACHE),
            {"mask": MASK, "times": 3},
            r"input 'x': found float16\[2, 3\], expected float32\[2, 3\]; .*\.to\(torch.float32\)",
        ),
        (
            (X[:1], CACHE),
            {"mask": MASK, "times": 3},
            r"input 'x': found float32\[1, 3\], expected float32\[2, 3\]; .*shape",
        ),
        (
            (X.numpy(), CACHE),
            {"mask": MASK, "times": 3},
            r"input 'x': found a ndarray, expected a tensor float32\[2, 3\]; .*from_numpy",
        ),
        (
            (X, {"key": X}),
            {"mask": MASK, "times": 3},
            r"input 'cache': found keys \['key'\], expected \['key', 'value'\]",
        ),
        (
            (X, [X, X]),
            {"mask": MASK, "times": 3},
            "input 'cache': found a list of 2, expected a dict of 2",
        ),
        ((X, X), {"mask": MASK, "times": 3}, "input 'cache': found a Tensor, expected a dict of 2"),
        (
            (X, {"key": X[0], "value": X}),
            {"mask": MASK, "times": 3},
            r"input 'cache_key': found float32\[3\]",
        ),
    ],
)
def test_one_clear_error(
    convention: CallingConvention, args: tuple[Any, ...], kwargs: dict[str, Any], pattern: str
) -> None:
    with pytest.raises(InputError, match=pattern):
        convention.flatten(args, kwargs)


def rebuilt(convention: CallingConvention) -> Any:
    return convention.rebuild([X, X + 1, X * MASK], {})


def test_outputs_have_the_structure_of_the_model(convention: CallingConvention) -> None:
    output = rebuilt(convention)
    expected = Attends()(X, CACHE, MASK, 3)
    assert pytree.tree_structure(output) == pytree.tree_structure(expected)
    assert type(output["pair"]) is Pair
    assert output["list"][0] is output["pair"].left


def test_saving_keeps_calls_and_outputs(convention: CallingConvention) -> None:
    loaded = CallingConvention.from_json(json.loads(json.dumps(convention.to_json())))
    assert loaded == convention
    assert list(call(loaded, X, CACHE, MASK, 3)) == ["x", "cache_key", "cache_value", "mask"]
    assert type(rebuilt(loaded)["pair"]) is Pair


def test_what_cannot_be_saved_is_refused(convention: CallingConvention) -> None:
    odd = replace(convention, outputs=(FixedOutput(object()), *convention.outputs[1:]))
    with pytest.raises(InputError, match="an output holds <object"):
        odd.to_json()
    with pytest.raises(InputError, match=r"a dict with keys \[1\] cannot be saved"):
        to_json(pytree.tree_structure({1: X}))


class Registered:
    """A container that torch knows by registration, as transformers' outputs are."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values


pytree.register_pytree_node(
    Registered,
    lambda box: (list(box.values.values()), list(box.values)),
    lambda leaves, names: Registered(dict(zip(names, leaves, strict=True))),
    serialized_type_name="test_calling.Registered",
)


def test_registered_classes_come_back() -> None:
    spec = pytree.tree_structure(Registered({"a": 0, "b": (0, 0)}))
    form = json.loads(json.dumps(to_json(spec)))
    assert from_json(form) == spec


def test_unknown_classes_become_plain() -> None:
    form = to_json(pytree.tree_structure(Registered({"a": 0, "b": [0, 0]})))
    unknown = {**form, "node": "elsewhere:Output"}
    assert pytree.tree_unflatten([1, 2, 3], from_json(unknown)) == {"a": 1, "b": [2, 3]}
    nameless = {**unknown, "context": None}
    assert pytree.tree_unflatten([1, 2, 3], from_json(nameless)) == (1, [2, 3])
    point = to_json(pytree.tree_structure(Pair(X, X)))
    made = pytree.tree_unflatten([1, 2], from_json({**point, "namedtuple": "elsewhere:Point"}))
    assert (type(made).__name__, made._asdict()) == ("Point", {"left": 1, "right": 2})


def test_a_saved_convention_needs_no_model_package(convention: CallingConvention) -> None:
    """Another process, without torch-mlir, transformers and this file."""
    code = (
        "import sys, json, torch\n"
        "sys.modules['torch_mlir'] = sys.modules['transformers'] = None\n"
        "from ktir.frontend.calling import CallingConvention\n"
        "convention = CallingConvention.from_json(json.loads(sys.stdin.read()))\n"
        "x = torch.ones(2, 3)\n"
        "output = convention.rebuild([x, x, x], {})\n"
        "print(type(output['pair']).__name__, output['pair']._fields, len(output['list']))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(convention.to_json()),
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "Pair ('left', 'right') 1\n"
