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


@pytest.mark.parametrize("cores", [8, 64])
def test_cores_are_the_targets(cores: int, tmp_path: Path) -> None:
    """All of them by default, and at most as many."""
    figure = {"value": cores, "source": "a test", "unit": "", "confidence": "E"}
    document = {"schema": 1, "name": "other", "base": "spyre", "figures": {"cores": figure}}
    file = tmp_path / "other.json"
    file.write_text(json.dumps(document))
    for target in (file, load_target(file)):
        options = CompileOptions(target_file=target)
        assert options.cores == cores
        assert options.target().name == "other"
        assert CompileOptions(cores=cores, target_file=target) == options
        with pytest.raises(InputError, match=f"found {cores + 1}, .* the target's {cores}"):
            CompileOptions(cores=cores + 1, target_file=target)


def test_missing_target_file() -> None:
    with pytest.raises(InputError, match=r"nowhere\.json"):
        CompileOptions(target_file="nowhere.json")


def test_unknown_saved_option() -> None:
    with pytest.raises(InputError, match="unknown options speed"):
        CompileOptions.from_json({"speed": 3})
