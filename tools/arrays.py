"""Arrays on the command line: `.npy`, `.npz` and `.safetensors` files, numbers, arrays made up.

Owns reading `--in`, `--at` and `--expect`, and writing `--out`. Everything is a torch tensor in
between; what the arrays made up hold is in `ktir.tools.generated`.
"""

from __future__ import annotations

import contextlib
import io
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor

from ktir.errors import InputError, did_you_mean
from ktir.files import replacing
from ktir.tools.generated import KINDS, Generated, parse

SUFFIXES = (".npy", ".npz", ".safetensors")
_DAMAGE = (
    ValueError,
    EOFError,
    OverflowError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
)
"""What numpy raises for files that are cut, altered, encrypted, or state sizes that no memory has.
"""
_NO_BF16 = "bfloat16 has no .npy form; use .safetensors"


Given = Tensor | int | float | Generated
"""What stands behind a name."""


def read_named(texts: Sequence[str], option: str) -> dict[str, Given]:
    """What `NAME=FILE`, `NAME=FILE:KEY`, `NAME=NUMBER`, `NAME=KIND:SHAPE:DTYPE`, or a FILE that
    holds several arrays by name, give.

    Raises InputError for text of another form, a name given twice, a file that cannot be read.
    """
    found: dict[str, Given] = {}
    for text in texts:
        for name, value in _read_one(text, option).items():
            if name in found:
                raise InputError(f"{option}: {name!r} is given twice")
            found[name] = value
    return found


def _read_one(text: str, option: str) -> Mapping[str, Given]:
    name, _, value = text.partition("=")
    if not name or not value or Path(text).is_file():
        if Path(text).suffix not in (".npz", ".safetensors"):
            raise InputError(
                f"{option}: found {text!r}, expected NAME=FILE, NAME=NUMBER, "
                f"NAME={'|'.join(KINDS)}, or a .npz or .safetensors file that holds arrays by name"
            )
        return read_all(Path(text))
    number = _number(value)
    if number is not None:
        return {name: number}
    generated = parse(value, f"{option} {name}")
    return {name: read_keyed(value, name) if generated is None else generated}


def read_keyed(text: str, name: str) -> Tensor:
    """The array of `FILE`, or that called KEY of `FILE:KEY`."""
    file, colon, key = text.rpartition(":")
    if Path(file if colon else text).suffix not in SUFFIXES:
        raise InputError(
            f"{name}={text}: expected a number, a file of type {', '.join(SUFFIXES)}, or an array "
            f"made up: {', '.join(KINDS)}{did_you_mean(text.partition(':')[0], KINDS)}"
        )
    if colon and not Path(text).exists() and Path(file).suffix in (".npz", ".safetensors"):
        arrays = read_all(Path(file))
        if key not in arrays:
            raise InputError(
                f"{file} holds no array {key!r}; it has {', '.join(arrays) or 'none'}"
                f"{did_you_mean(key, arrays)}"
            )
        return arrays[key]
    return read_array(Path(text), name)


def _number(text: str) -> int | float | None:
    """A number as Python writes it, `0x10`, `1_000` and `-inf` among them, or `true`, `false`."""
    if text in _WORDS:
        return _WORDS[text]
    for kind in (int, read_integer, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


_WORDS = {"true": True, "false": False}


def read_integer(text: str) -> int:
    """An integer, which may be hexadecimal, octal or binary. Raises ValueError for other text."""
    return int(text, 10 if text.lstrip("+-").isdecimal() else 0)


def read_array(path: Path, name: str) -> Tensor:
    """The array of a `.npy` file; of a file with several, that called `name`, or the only one."""
    if path.suffix == ".npy":
        return _tensor(_load(path), path)
    arrays = read_all(path)
    if name in arrays:
        return arrays[name]
    if len(arrays) == 1:
        return next(iter(arrays.values()))
    raise InputError(
        f"{path} holds no array {name!r}; it has {', '.join(arrays) or 'none'}; name one: "
        f"{path}:KEY"
    )


def read_all(path: Path) -> dict[str, Tensor]:
    """All arrays of a `.npz` or `.safetensors` file by name. Raises InputError for other files."""
    if path.suffix == ".npz":
        archive = _load(path)
        return {name: _tensor(_member(archive, name, path), path) for name in archive.files}
    if path.suffix != ".safetensors":
        raise InputError(f"{path}: expected a file of type {', '.join(SUFFIXES)}")
    try:
        return safetensors.torch.load(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except SafetensorError as error:
        raise InputError(f"{path} is no whole .safetensors file: {error}") from error


def _load(path: Path) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except _DAMAGE as error:
        raise InputError(f"{path} is no whole {path.suffix} file of numbers: {error}") from error


def _member(archive: Any, name: str, path: Path) -> Any:
    try:
        return archive[name]
    except _DAMAGE as error:
        raise InputError(f"{path}: array {name!r} is damaged: {error}") from error


def _tensor(array: Any, path: Path) -> Tensor:
    try:
        native = np.ascontiguousarray(array).reshape(np.shape(array))
        return torch.from_numpy(native.astype(native.dtype.newbyteorder("="), copy=False))
    except TypeError as error:
        hint = f"; {_NO_BF16}" if array.dtype.kind == "V" else ""
        raise InputError(
            f"{path}: elements of type {array.dtype} have no meaning here{hint}"
        ) from error


def check_writable(texts: Sequence[str]) -> dict[str, Path]:
    """The files of `--out NAME=FILE` by name.

    Raises InputError for text of another form, names or files given twice, and places that cannot
    be written to.
    """
    files: dict[str, Path] = {}
    for text in texts:
        name, _, file = text.partition("=")
        if not name or Path(file).suffix not in SUFFIXES:
            raise InputError(
                f"--out: found {text!r}, expected NAME=FILE with a file of type "
                f"{', '.join(SUFFIXES)}"
            )
        if name in files:
            raise InputError(f"--out: {name!r} is given twice")
        if Path(file) in files.values():
            raise InputError(f"--out: {file} is given twice, last for {name!r}")
        files[name] = _writable(Path(file))
    return files


def _writable(file: Path) -> Path:
    """`file`, unless it is clear before the run that it cannot be written."""
    folder = file.parent
    problem = (
        "it is a folder"
        if file.is_dir()
        else f"there is no folder {folder}"
        if not folder.is_dir()
        else f"the folder {folder} may not be written to"
        if not os.access(folder, os.W_OK)
        else ""
    )
    if problem:
        raise InputError(f"--out: cannot write {file}: {problem}")
    return file


def write_array(path: Path, name: str, tensor: Tensor) -> None:
    """Writes one array whole or not at all. Raises InputError if the file's type cannot hold it."""
    tensor = tensor.detach().contiguous()
    if path.suffix == ".safetensors":
        _write(path, safetensors.torch.save({name: tensor}))
        return
    if tensor.dtype is torch.bfloat16:
        raise InputError(f"cannot write {name!r} to {path}: {_NO_BF16}")
    # Into memory first: numpy writes to files past Python, where a full disk goes unnoticed.
    data = io.BytesIO()
    if path.suffix == ".npy":
        np.save(data, tensor.numpy(), allow_pickle=False)
    else:
        np.savez(data, allow_pickle=False, **{name: tensor.numpy()})
    _write(path, data.getbuffer())


def _write(path: Path, data: bytes | memoryview) -> None:
    with replacing(path) as file:
        file.write(data)


def pick(named: Mapping[str, Any], name: str, option: str) -> Any:
    """The entry of that name, or at that address. Raises InputError naming those there are."""
    if name in named:
        return named[name]
    with contextlib.suppress(ValueError):
        if (address := str(read_integer(name))) in named:
            return named[address]
    raise InputError(
        f"{option}: there is no output {name!r}; there are {', '.join(named) or 'none'}"
        f"{did_you_mean(name, named)}"
    )
