"""Options are checked when they are made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ktir import CompileOptions, InputError
from ktir.target import load_target


def test_defaults_are_spyre() -> None:
    options = CompileOptions()
    assert options.cores == options.target().cores == 32
    assert options == CompileOptions.from_json(options.to_json())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cores", 0),
        ("cores", 33),
        ("cores", True),
        ("cores", "8"),
        ("scratchpad", 1),
        ("numerics", "dlfloat"),
        ("check", "everything"),
    ],
)
def test_illegal_values_name_the_option(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"option {name}: found {value!r}, expected"):
        CompileOptions(**{name: value})


def test_limit_of_cores_is_the_targets(tmp_path: Path) -> None:
    figure = {"value": 64, "source": "a test", "unit": "", "confidence": "E"}
    document = {"schema": 1, "name": "wide", "base": "spyre", "figures": {"cores": figure}}
    file = tmp_path / "wide.json"
    file.write_text(json.dumps(document))
    assert CompileOptions(cores=64, target_file=file).target().name == "wide"
    assert CompileOptions(cores=64, target_file=load_target(file)).cores == 64


def test_missing_target_file() -> None:
    with pytest.raises(InputError, match=r"nowhere\.json"):
        CompileOptions(target_file="nowhere.json")


def test_unknown_saved_option() -> None:
    with pytest.raises(InputError, match="unknown options speed"):
        CompileOptions.from_json({"speed": 3})
