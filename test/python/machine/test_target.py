"""The target file: its checks, and the laws of time against published measurements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ktir.errors import InputError
from ktir.target import load_target

MIB = 1 << 20


def write(path: Path, **changes: Any) -> Path:
    """A target file based on Spyre, with `changes` to its top level."""
    document: dict[str, Any] = {"schema": 1, "name": "mine", "base": "spyre", "figures": {}}
    path.write_text(json.dumps(document | changes))
    return path


def test_spyre_figures() -> None:
    spyre = load_target()
    assert spyre.cores == 32
    assert spyre.scratchpad.bytes == 2 * MIB
    assert spyre.scratchpad.plannable_bytes == 1_625_344
    assert spyre.memory.span_bytes == 256 * MIB
    assert all(figure.source and figure.confidence in "PFED" for figure in spyre.figures.values())


@pytest.mark.parametrize(
    ("read", "written", "cores", "measured"),
    [
        # add f16 [2048, 1024] and [4096, 4096], gelu [4096, 4096]: sweep_records.csv, see
        # data/spyre.json.
        pytest.param(8 * MIB, 4 * MIB, 32, 109.66, id="add-32"),
        pytest.param(64 * MIB, 32 * MIB, 32, 875.927, id="add-large-32"),
        pytest.param(64 * MIB, 32 * MIB, 1, 1498.85, id="add-large-1"),
        pytest.param(64 * MIB, 32 * MIB, 8, 968.048, id="add-large-8"),
        pytest.param(32 * MIB, 32 * MIB, 4, 731.83, id="gelu-4"),
    ],
)
def test_memory_time_near_measurements(
    read: int, written: int, cores: int, measured: float
) -> None:
    assert load_target().memory.time(read, written, cores) / 1000 == pytest.approx(
        measured, rel=0.12
    )


def test_share_between_measured_counts() -> None:
    memory = load_target().memory
    assert (
        memory.share(1)
        < memory.share(3)
        < memory.share(24)
        < memory.share(32)
        == memory.share(64)
        == 1
    )


def test_matrix_needs_rows() -> None:
    matrix = load_target().matrix
    assert matrix.time(1 << 30, 64) == matrix.time(1 << 30, 4096) == pytest.approx((1 << 30) / 1140)
    assert matrix.time(1 << 20, 8) > 2 * matrix.time(1 << 20, 64)
    assert matrix.time(1 << 20, 64, bits=32) == 2 * matrix.time(1 << 20, 64)


def test_softmax_rate_agrees_with_the_published_one() -> None:
    """Five softmax ops at the two vector rates lie within the spread of what was measured for a
    whole softmax."""
    vector = load_target().vector
    time = 2 * vector.time(1000, reduces=True) + 3 * vector.time(1000, reduces=False)
    assert vector.fused_reduction_elements < 1000 / time < 2.6


def test_own_file_states_what_differs(tmp_path: Path) -> None:
    file = write(tmp_path / "t.json", figures={"cores": {"value": 8, "source": "a guess"}})
    target = load_target(file)
    assert (target.name, target.cores, target.memory.bandwidth) == ("mine", 8, 150)
    assert target.figures["cores"].confidence == "E"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": 2}, 'expected "schema": 1, found 2'),
        ({"base": "other"}, "unknown base 'other'"),
        ({"base": None}, "missing figures cores"),
        ({"figures": []}, "expected an object under 'figures'"),
        ({"figures": {"core": {"value": 1, "source": "x"}}}, "unknown figure 'core'"),
        ({"figures": {"cores": 32}}, "'cores': expected an object"),
        ({"figures": {"cores": {"value": 32}}}, "expected a text under 'source'"),
        (
            {"figures": {"cores": {"value": 1.5, "source": "x"}}},
            "expected a positive integer, found 1.5",
        ),
        (
            {"figures": {"cores": {"value": True, "source": "x"}}},
            "expected a positive integer, found True",
        ),
        (
            {"figures": {"memory.bandwidth": {"value": 0, "source": "x"}}},
            "expected a positive number",
        ),
        (
            {"figures": {"cores": {"value": 1, "source": "x", "confidence": "Z"}}},
            "unknown confidence 'Z'",
        ),
        (
            {"figures": {"memory.share_by_cores": {"value": [[4, 0.5], [2, 1.0]], "source": "x"}}},
            "expected pairs",
        ),
        ({"figures": {"memory.stick_bytes": {"value": 64, "source": "x"}}}, "128-byte sticks"),
        (
            {"figures": {"scratchpad.plannable_bytes": {"value": 1 << 22, "source": "x"}}},
            "is more than",
        ),
    ],
)
def test_bad_file_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    file = write(tmp_path / "t.json", **changes)
    with pytest.raises(InputError, match=r"t\.json") as error:
        load_target(file)
    assert message in str(error.value)


def test_missing_file_and_bad_json(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read target file .*none\.json: No such file"):
        load_target(tmp_path / "none.json")
    file = tmp_path / "bad.json"
    file.write_text('{"schema": 1,\n nope}')
    with pytest.raises(InputError, match=r"bad\.json:2:2: not JSON"):
        load_target(file)
