"""Saved programs: the `.ktirpkg` file.

A zip archive of `manifest.json`, one `LEVEL.mlir` a level, `weights.safetensors` and, for a device
other than the built-in one, `target.json`. Owns the format, writing it whole, and reading it
without trust: members are read by known names and never extracted, sizes are checked before
anything is unpacked, nothing in it is executed. What the parts mean to a program is in
`ktir.compiled`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import safetensors.torch
from safetensors import SafetensorError
from torch import Tensor

from ktir.errors import InputError
from ktir.files import replacing
from ktir.levels import MLIR_LEVELS
from ktir.target import Target, load_target

FORMAT = "ktirpkg"
VERSION = 1
SUFFIX = ".ktirpkg"

_MANIFEST = "manifest.json"
_WEIGHTS = "weights.safetensors"
_TARGET = "target.json"
_TEXTS = {f"{level}.mlir": level for level in MLIR_LEVELS}
_MEMBERS = frozenset({_MANIFEST, _WEIGHTS, _TARGET, *_TEXTS})
_EXPANSION = 200
"""How many times larger than in the archive a text may be; MLIR text shrinks by 5 to 30."""
_DAMAGE = (
    zipfile.BadZipFile,
    EOFError,
    zlib.error,
    struct.error,
    ValueError,
    OverflowError,
    RuntimeError,
)
"""What zipfile raises for archives that are cut, altered, encrypted or of another kind."""
_SLACK = 1 << 20
"""Bytes that any member may have, however well it was compressed."""


@dataclasses.dataclass(frozen=True)
class Contents:
    """What a package holds.

    `manifest` is plain data, `texts` the IR by level, `target` a device of its own.
    """

    manifest: dict[str, Any]
    texts: dict[str, str]
    weights: dict[str, Tensor]
    target: Target | None = None


def write_package(path: str | Path, contents: Contents) -> None:
    """Writes a package in the place of `path`, whole or not at all.

    Raises InputError if a weight has no data or the system refuses, a full disk for instance.
    """
    weights = safetensors.torch.save(_plain_tensors(contents.weights))
    manifest = {"format": FORMAT, "version": VERSION, **contents.manifest}
    texts = {_MANIFEST: json.dumps(manifest, indent=2)}
    texts |= {f"{level}.mlir": text for level, text in contents.texts.items()}
    if contents.target is not None:
        texts[_TARGET] = json.dumps(_target_document(contents.target), indent=2)
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(_info(name, zipfile.ZIP_DEFLATED), text.encode("utf-8"))
        with archive.open(_info(_WEIGHTS, zipfile.ZIP_STORED), "w", force_zip64=True) as member:
            member.write(weights)


def _info(name: str, compression: int) -> zipfile.ZipInfo:
    """A member without a date, so that equal programs are equal files."""
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.compress_type = compression
    info.external_attr = 0o644 << 16
    return info


def _plain_tensors(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Contiguous tensors that share no memory, which is what the format of weights takes."""
    plain: dict[str, Tensor] = {}
    taken: set[int] = set()
    for name, tensor in weights.items():
        if tensor.device.type == "meta":
            raise InputError(
                f"weight {name!r} has no data (device meta): compile with real weights to save "
                "the program"
            )
        tensor = tensor.detach().cpu().contiguous()
        place = tensor.untyped_storage().data_ptr()
        plain[name] = tensor.clone() if place in taken else tensor
        taken.add(place)
    return plain


def read_package(path: str | Path) -> Contents:
    """The contents of a package.

    Raises InputError saying what is wrong: a missing, truncated or foreign file, another version,
    members that a package does not have or that unpack to far more than they take.
    """
    with _refusals(path), zipfile.ZipFile(path) as archive:
        members = _members(archive)
        manifest = _manifest(archive.read(_MANIFEST))
        texts = {
            level: archive.read(name).decode("utf-8")
            for name, level in _TEXTS.items()
            if name in members
        }
        weights = safetensors.torch.load(archive.read(_WEIGHTS))
        target = _read_target(archive.read(_TARGET)) if _TARGET in members else None
    return Contents(manifest, texts, weights, target)


@contextlib.contextmanager
def _refusals(path: str | Path) -> Iterator[None]:
    """Every way in which a file can fail to be a package becomes one InputError that names the
    file.
    """
    try:
        yield
    except _Broken as error:
        reason = str(error)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except SafetensorError as error:
        reason = f"its weights are damaged ({error})"
    except UnicodeDecodeError as error:
        reason = f"a text in it is damaged ({error.reason})"
    except _DAMAGE as error:
        reason = f"it is no zip archive, or a damaged one ({error})"
    else:
        return
    raise InputError(f"{path} is not a usable ktir package: {reason}; save the program again")


class _Broken(Exception):
    """Why an archive is no package."""


def _members(archive: zipfile.ZipFile) -> set[str]:
    """The names in the archive, once they and their sizes are checked."""
    names = archive.namelist()
    for required in (_MANIFEST, _WEIGHTS):
        if required not in names:
            raise _Broken(f"it has no {required}")
    unknown = sorted(set(names) - _MEMBERS)
    if unknown or len(set(names)) != len(names):
        raise _Broken(
            f"it holds {unknown[0]!r}, which no package does"
            if unknown
            else "it holds a name twice"
        )
    for info in archive.infolist():
        if info.file_size > info.compress_size * _EXPANSION + _SLACK:
            raise _Broken(
                f"{info.filename} would unpack from {info.compress_size:,} to {info.file_size:,} "
                "bytes"
            )
    return set(names)


def _manifest(data: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _Broken(f"its {_MANIFEST} is not JSON") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise _Broken(f"its {_MANIFEST} is not that of a {FORMAT}")
    if manifest.get("version") != VERSION:
        raise _Broken(
            f"it has format version {manifest.get('version')!r}, this ktir reads version {VERSION}"
        )
    return manifest


def _target_document(target: Target) -> dict[str, Any]:
    """What a target file states, with every figure and its source."""
    figures = {name: dataclasses.asdict(figure) for name, figure in target.figures.items()}
    return {"schema": 1, "name": target.name, "figures": figures}


def _read_target(data: bytes) -> Target:
    """The device of a target file's bytes, with all the checks that such a file goes through."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / _TARGET
        file.write_bytes(data)
        return load_target(file)
