"""Files of arrays that are cut, altered or lie about what they hold: one error that names them."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
import torch
from api.models import KERNEL
from safetensors.torch import save_file

from .support import assert_refused, ktir

EVIL = '__import__("os").mkdir("owned")'
BODY = bytes(512)


def npy(shape: str) -> bytes:
    """A `.npy` file whose header states any shape."""
    header = f"{{'descr': '<f2', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + BODY


def safetensors(**entry: object) -> bytes:
    """A `.safetensors` file with one array, of which its header states anything."""
    stated = {"dtype": "F16", "shape": [4, 64], "data_offsets": [0, 512], **entry}
    header = json.dumps({"x_ptr": stated}).encode()
    return struct.pack("<Q", len(header)) + header + BODY


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kernel, and files that hold its argument badly."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "double.mlir").write_text(KERNEL)
    x = np.zeros((4, 64), np.float16)
    np.savez(folder / "x.npz", x_ptr=x)
    np.save(folder / "objects.npy", np.array([{1: 2}], object), allow_pickle=True)
    np.save(folder / "words.npy", np.array(["a", "b"]))
    np.save(folder / "complex.npy", x.astype(np.complex64))
    save_file({"x_ptr": torch.from_numpy(x)}, folder / "x.safetensors")
    zipped, tensors = (folder / "x.npz").read_bytes(), (folder / "x.safetensors").read_bytes()
    written = {
        "empty.npy": b"",
        "empty.npz": b"",
        "empty.safetensors": b"",
        "petabytes.npy": npy("(1099511627776, 1024)"),
        "endless.npy": npy(f"({10**25}, 4)"),
        "negative.npy": npy("(-4, 64)"),
        "code.npy": npy(EVIL),
        "header.npy": b"\x93NUMPY\x02\x00" + struct.pack("<I", 0xFFFFFFF0) + b"{}",
        "version.npy": b"\x93NUMPY\x09\x00" + struct.pack("<H", 4) + b"{} \n",
        "cut.npz": zipped[:300],
        "altered.npz": zipped[:200] + bytes([zipped[200] ^ 255]) + zipped[201:],
        "cut.safetensors": tensors[:100],
        "short.safetensors": safetensors(data_offsets=[0, 100]),
        "beyond.safetensors": safetensors(data_offsets=[0, 1 << 60]),
        "overflow.safetensors": safetensors(shape=[1 << 40, 1 << 40]),
        "negative.safetensors": safetensors(shape=[-4, 64]),
        "type.safetensors": safetensors(dtype="Q7"),
        "header.safetensors": struct.pack("<Q", 1 << 62) + b"{}",
    }
    for name, data in written.items():
        (folder / name).write_bytes(data)
    return folder


FILES = [
    *(f"{name}.npy" for name in ("empty", "petabytes", "endless", "negative", "code", "header")),
    *(f"{name}.npy" for name in ("version", "objects", "words")),
    *(f"{name}.npz" for name in ("empty", "cut", "altered")),
    *(f"{name}.safetensors" for name in ("empty", "cut", "short", "beyond", "overflow")),
    *(f"{name}.safetensors" for name in ("negative", "type", "header")),
]


@pytest.mark.parametrize("file", FILES)
def test_arrays(folder: Path, file: str) -> None:
    assert_refused(ktir("run", "double.mlir", "--in", f"x_ptr={file}", cwd=folder), file)
    assert not (folder / "owned").exists()


def test_elements_that_no_kernel_has(folder: Path) -> None:
    result = ktir("run", "double.mlir", "--in", "x_ptr=complex.npy", cwd=folder)
    assert_refused(result, "complex64 cannot be given to a kernel")


def test_files_that_are_right(folder: Path) -> None:
    for file in ("x.npz", "x.safetensors"):
        result = ktir("run", "double.mlir", "--in", f"x_ptr={file}", cwd=folder)
        assert result.returncode == 0, result.stderr
