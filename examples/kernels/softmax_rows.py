"""Inputs and expected results of `softmax_rows.mlir`, computed with numpy in f64.

Run it to write them as files for `ktir run`:

    python examples/kernels/softmax_rows.py out --rows 1000 --cols 777
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt

Half = npt.NDArray[np.float16]


def random_matrix(rows: int, cols: int, seed: int = 0) -> Half:
    """A matrix of normally distributed f16 numbers."""
    return np.random.default_rng(seed).standard_normal((rows, cols)).astype(np.float16)


def softmax_rows(x: Half) -> Half:
    """Softmax over the last dimension, computed in f64 and rounded once."""
    wide = x.astype(np.float64)
    power = np.exp(wide - wide.max(axis=-1, keepdims=True))
    rounded: Half = (power / power.sum(axis=-1, keepdims=True)).astype(np.float16)
    return rounded


def main() -> None:
    """Writes x.npy, y.npy (what the output holds before) and expected.npy."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--cols", type=int, default=777)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    x = random_matrix(options.rows, options.cols)
    np.save(options.folder / "x.npy", x)
    np.save(options.folder / "y.npy", np.zeros_like(x))
    np.save(options.folder / "expected.npy", softmax_rows(x))


if __name__ == "__main__":
    main()
