"""The `.ktirpkg` file: what goes in comes out, and nothing but a whole package is read."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import torch

from ktir import InputError
from ktir.package import Contents, read_package, write_package


@pytest.fixture
def contents() -> Contents:
    shared = torch.arange(6, dtype=torch.float16)
    weights = {
        "a": shared,
        "view": shared[2:],
        "transposed": torch.randn(3, 4).t(),
        "bf16": torch.randn(3).bfloat16(),
        "flag": torch.tensor([True, False]),
        "scalar": torch.tensor(3.0),
        "empty": torch.empty(0, 2),
    }
    return Contents({"levels": ["plan"]}, {"plan": "module {\n}\n"}, weights)


def test_round_trip(contents: Contents, tmp_path: Path) -> None:
    path = tmp_path / "a.ktirpkg"
    write_package(path, contents)
    found = read_package(path)
    assert found.texts == contents.texts
    assert found.manifest["levels"] == ["plan"]
    assert list(tmp_path.iterdir()) == [path]
    assert found.weights.keys() == contents.weights.keys()
    for name, tensor in contents.weights.items():
        assert found.weights[name].dtype == tensor.dtype
        assert torch.equal(found.weights[name], tensor)


def test_equal_programs_are_equal_files(contents: Contents, tmp_path: Path) -> None:
    write_package(tmp_path / "a.ktirpkg", contents)
    write_package(tmp_path / "b.ktirpkg", contents)
    assert (tmp_path / "a.ktirpkg").read_bytes() == (tmp_path / "b.ktirpkg").read_bytes()


def test_every_cut_is_noticed(contents: Contents, tmp_path: Path) -> None:
    whole, cut = tmp_path / "a.ktirpkg", tmp_path / "cut.ktirpkg"
    write_package(whole, contents)
    data = whole.read_bytes()
    for length in [0, 1, 4, len(data) // 2, len(data) - 1, *range(30, len(data), 97)]:
        cut.write_bytes(data[:length])
        with pytest.raises(InputError, match=r"cut\.ktirpkg.*save the program again"):
            read_package(cut)


def test_altered_bytes_are_an_error_or_harmless(contents: Contents, tmp_path: Path) -> None:
    """A flipped byte is found by a checksum, or lies where nothing reads; it never raises anything
    else.
    """
    whole, altered = tmp_path / "a.ktirpkg", tmp_path / "altered.ktirpkg"
    write_package(whole, contents)
    data = whole.read_bytes()
    generator = random.Random(0)
    refused = 0
    for _ in range(300):
        position = generator.randrange(len(data))
        flipped = bytearray(data)
        flipped[position] ^= 1 << generator.randrange(8)
        altered.write_bytes(flipped)
        try:
            found = read_package(altered)
        except InputError:
            refused += 1
            continue
        assert found.texts == contents.texts
        for name, tensor in contents.weights.items():
            assert torch.equal(found.weights[name], tensor)
    assert refused > 100


def rewritten(path: Path, source: Path, changes: dict[str, bytes | None]) -> Path:
    """A copy of a package with members replaced, added, or left out (None)."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in [*old.namelist(), *changes]:
            data = changes.get(name, old.read(name) if name in old.namelist() else None)
            if data is not None and name not in new.namelist():
                new.writestr(name, data)
    return path


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"manifest.json": None}, "no manifest.json"),
        ({"weights.safetensors": None}, "no weights.safetensors"),
        ({"manifest.json": b"{"}, "not JSON"),
        ({"manifest.json": b"[" * 100_000}, "not JSON"),
        ({"manifest.json": b'{"format": "zip"}'}, "not that of a ktirpkg"),
        ({"manifest.json": b'{"format": "ktirpkg", "version": 99}'}, "version 99.*reads version 1"),
        ({"../../evil.mlir": b"module {}"}, r"'\.\./\.\./evil\.mlir', which no package does"),
        ({"/etc/evil": b""}, "which no package does"),
        ({"code.py": b""}, "which no package does"),
        ({"plan.mlir": b"\xff\xfe"}, "text in it is damaged"),
        ({"weights.safetensors": b"nonsense"}, "weights are damaged"),
        ({"sdf.mlir": b" " * 50_000_000}, "would unpack"),
    ],
)
def test_hostile_members(
    contents: Contents, tmp_path: Path, changes: dict[str, bytes | None], reason: str
) -> None:
    whole = tmp_path / "a.ktirpkg"
    write_package(whole, contents)
    bad = rewritten(tmp_path / "bad.ktirpkg", whole, changes)
    with pytest.raises(InputError, match=reason):
        read_package(bad)
    assert {file.name for file in tmp_path.iterdir()} == {"a.ktirpkg", "bad.ktirpkg"}


def test_foreign_files(tmp_path: Path) -> None:
    text = tmp_path / "a.ktirpkg"
    text.write_text("module {}\n")
    with pytest.raises(InputError, match=r"a\.ktirpkg is not a usable ktir package"):
        read_package(text)
    with pytest.raises(InputError, match=r"cannot read .*missing\.ktirpkg: No such file"):
        read_package(tmp_path / "missing.ktirpkg")
    with pytest.raises(InputError, match="cannot read"):
        read_package(tmp_path)


def test_weights_without_data(contents: Contents, tmp_path: Path) -> None:
    empty = Contents({}, {}, {"w": torch.empty(2, device="meta")})
    with pytest.raises(InputError, match="'w' has no data"):
        write_package(tmp_path / "a.ktirpkg", empty)
    assert list(tmp_path.iterdir()) == []


FULL_DISK = """
import resource, signal, sys, torch
from ktir.package import Contents, write_package
from ktir import InputError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
try:
    write_package(sys.argv[1], Contents({}, {}, {"w": torch.zeros(100_000)}))
except InputError as error:
    sys.exit(f"refused: {error}")
"""


def test_full_disk_keeps_the_old_file(tmp_path: Path) -> None:
    """The system refuses to write more than 5000 bytes: one error, the old file stays, nothing is
    left over.
    """
    path = tmp_path / "a.ktirpkg"
    path.write_text("old")
    result = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert result.stderr.startswith(f"refused: cannot write {path}: File too large")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_folder(contents: Contents, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*No such file or directory"):
        write_package(tmp_path / "no" / "a.ktirpkg", contents)


def test_manifest_is_readable(contents: Contents, tmp_path: Path) -> None:
    write_package(tmp_path / "a.ktirpkg", contents)
    with zipfile.ZipFile(tmp_path / "a.ktirpkg") as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["format"] == "ktirpkg"
    assert manifest["version"] == 1
