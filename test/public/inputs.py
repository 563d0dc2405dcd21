"""Inputs of the examples of ktir-cpu: arrays, scalars and memory at constant addresses.

Shapes are those of the views that the files make of their arguments; ranges of values and scalars
follow ktir-cpu's own tests (`tests/conftest.py`, `tests/test_examples.py`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Arguments = Mapping[str, "Array | int | float"]


@dataclasses.dataclass(frozen=True)
class Inputs:
    """What a kernel runs on.

    `arguments` by the file's names; `device`: arrays in device memory by constant address, and
    `scratchpads`: by core and constant address, both in elements of the array.
    """

    arguments: Arguments = dataclasses.field(default_factory=dict)
    device: Mapping[int, Array] = dataclasses.field(default_factory=dict)
    scratchpads: Mapping[tuple[int, int], Array] = dataclasses.field(default_factory=dict)


Make = Callable[[np.random.Generator], Inputs]


def _normal(rng: np.random.Generator, *shape: int, scale: float = 1.0) -> Array:
    return (rng.standard_normal(shape) * scale).astype(np.float16)


def _zeros(*shape: int) -> Array:
    return np.zeros(shape, np.float16)


def add(rng: np.random.Generator) -> Inputs:
    return Inputs(
        {
            "x_ptr": _normal(rng, 4096),
            "y_ptr": _normal(rng, 4096),
            "output_ptr": _zeros(4096),
            "BLOCK_SIZE": 128,
        }
    )


def add_dynamic(rng: np.random.Generator) -> Inputs:
    n = 500  # fewer than the tile's 1024 coordinates: the rest is masked
    x, y = (rng.standard_normal(n).astype(np.float32) for _ in range(2))
    return Inputs({"x_ptr": x, "y_ptr": y, "output_ptr": np.zeros(n, np.float32), "n_elements": n})


def softmax(rows: int, columns: int, real: int) -> Make:
    def make(rng: np.random.Generator) -> Inputs:
        x = np.full((rows, columns), -np.inf, np.float16)
        x[:, :real] = _normal(rng, rows, real)
        return Inputs({"output_ptr": _zeros(rows, columns), "input_ptr": x, "n_rows": rows})

    return make


def softmax_wide(rng: np.random.Generator) -> Inputs:
    return Inputs({"output_ptr": _zeros(2, 262144), "input_ptr": _normal(rng, 2, 262144)})


def layer_norm(rng: np.random.Generator) -> Inputs:
    rows, columns = 1151, 8192
    return Inputs(
        {
            "X": _normal(rng, rows, columns),
            "Y": _zeros(rows, columns),
            "W": np.tile(_normal(rng, columns), (rows, 1)),
            "B": np.tile(_normal(rng, columns), (rows, 1)),
            "Mean": _zeros(rows),
            "Rstd": _zeros(rows),
            "N": columns,
            "eps": 1e-5,
            "BLOCK_SIZE": 1024,
        }
    )


def rms_norm(rng: np.random.Generator) -> Inputs:
    rows, columns = 256, 4096
    weight = rng.uniform(0.5, 1.5, columns).astype(np.float16)
    return Inputs(
        {
            "X": _normal(rng, rows, columns),
            "Y": _zeros(rows, columns),
            "W": np.tile(weight, (rows, 1)),
            "N": columns,
            "eps": 1e-5,
            "BLOCK_SIZE": 1024,
        }
    )


def matmul(rows: int, columns: int, inner: int, blocks: tuple[int, int, int]) -> Make:
    def make(rng: np.random.Generator) -> Inputs:
        sizes = zip(("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K"), blocks, strict=True)
        return Inputs(
            {
                "a_ptr": _normal(rng, rows, inner),
                "b_ptr": _normal(rng, inner, columns),
                "c_ptr": _zeros(rows, columns),
                "K": inner,
                **dict(sizes),
            }
        )

    return make


def split_matmul(rng: np.random.Generator) -> Inputs:
    return Inputs(
        {"a_ptr": _normal(rng, 1, 8192), "b_ptr": _normal(rng, 8192, 128), "c_ptr": _zeros(1, 128)}
    )


def indexed_add(rng: np.random.Generator) -> Inputs:
    return Inputs(
        {
            "x_ptr": _normal(rng, 128, 64, 8, 128),
            "y_ptr": _normal(rng, 2, 32, 8, 128),
            "index_ptr": np.array([3, 7], np.int64),
            "output_ptr": _zeros(2, 32, 8, 128),
            "dim1_start": 0,
        }
    )


def paged_attention(rng: np.random.Generator) -> Inputs:
    return Inputs(
        {
            "output_ptr": _zeros(8, 32, 128),
            "query_ptr": _normal(rng, 8, 32, 128),
            "key_cache_ptr": _normal(rng, 64, 16, 8, 128),
            "value_cache_ptr": _normal(rng, 64, 16, 8, 128),
            "block_tables_ptr": rng.integers(0, 64, (1, 16), dtype=np.int32),
            "cur_batch_start_index": 0,
            "block_table_offset": 0,
            "num_tiles": 8,
            "context_len": 120,
            "scale": 128**-0.5,
        }
    )


def attention(rng: np.random.Generator) -> Inputs:
    arrays: Arguments = {name: _normal(rng, 32, 64) for name in ("q_ptr", "k_ptr", "v_ptr")}
    return Inputs({**arrays, "output_ptr": _zeros(32, 64)})


def mlp(rows: int, width: int, hidden: int, scale: float) -> Make:
    def make(rng: np.random.Generator) -> Inputs:
        return Inputs(
            {
                "x_ptr": _normal(rng, rows, width),
                "w_gate_ptr": _normal(rng, width, hidden, scale=scale),
                "w_up_ptr": _normal(rng, width, hidden, scale=scale),
                "w_down_ptr": _normal(rng, hidden, width, scale=scale),
                "out_ptr": _zeros(rows, width),
            }
        )

    return make


def rope(rng: np.random.Generator) -> Inputs:
    heads, positions, half = 40, 4096, 64
    angles = np.outer(np.arange(positions), 10000.0 ** (-np.arange(half) / half))
    return Inputs(
        {
            "x_ptr": _normal(rng, heads * positions, 2 * half),
            "cos_ptr": np.cos(angles).astype(np.float16),
            "sin_ptr": np.sin(angles).astype(np.float16),
            "out_ptr": _zeros(heads * positions, 2 * half),
        }
    )


def ring(cores: int, groups: int, **scalars: int) -> Make:
    def make(rng: np.random.Generator) -> Inputs:
        rows = rng.uniform(0.5, 1.5, (cores, 128)).astype(np.float16)
        return Inputs({"in_ptr": rows, "out_ptr": _zeros(groups, 128), **scalars})

    return make


def one_array(name: str, shape: tuple[int, ...], dtype: type = np.float16) -> Make:
    return lambda rng: Inputs({name: rng.standard_normal(shape).astype(dtype)})


def scalar_broadcast(rng: np.random.Generator) -> Inputs:
    return Inputs({"in_ptr": np.full((1, 1), 2.5, np.float16), "out_ptr": _zeros(4, 64)})


def columns(extent: int) -> Make:
    """Two halves of columns and their join."""

    def make(rng: np.random.Generator) -> Inputs:
        return Inputs(
            {
                "a0_ptr": _normal(rng, 64, extent),
                "a1_ptr": _normal(rng, 64, extent),
                "b_ptr": _zeros(64, 2 * extent),
                "s0_in": extent,
            }
        )

    return make


def rows(extent: int) -> Make:
    """Two halves of rows and their join."""

    def make(rng: np.random.Generator) -> Inputs:
        return Inputs(
            {
                "a0_ptr": _normal(rng, 64, extent),
                "a1_ptr": _normal(rng, 64, extent),
                "b_ptr": _zeros(128, extent),
                "s0_in": extent,
            }
        )

    return make


def three_memories(rng: np.random.Generator) -> Inputs:
    """Rows 0 to 95 in device memory, 96 to 127 column by column (one every 64 elements) in the
    scratchpad of core 0, the others in that of core 1.
    """
    return Inputs(
        device={0: _normal(rng, 96, 64), 24576: _zeros(192, 64)},
        scratchpads={(0, 12288): _normal(rng, 31 + 63 * 64 + 1), (1, 16384): _normal(rng, 64, 64)},
    )


def overlapping(rng: np.random.Generator) -> Inputs:
    """All of memory from address 0 on as one array of indices.

    Addresses are counted in elements, so that the file's four arrays overlap: byte 0, 256, 512 and
    384. Every word must be a legal index, and is two small halves as well.
    """
    return Inputs(device={0: rng.integers(0, 64, 128 + 64 * 64, dtype=np.int32)})


def add_rows(rng: np.random.Generator) -> Inputs:
    return Inputs(
        device={1024: _normal(rng, 96, 64), 12288: _normal(rng, 96, 64), 18432: _zeros(96, 64)}
    )


def pages_read(_: np.random.Generator) -> Inputs:
    return Inputs(
        device={
            10000000: _zeros(4, 2048, 8, 128),
            20000000: np.zeros((4, 32), np.int32),
            30000000: _zeros(1, 8, 64, 128),
        }
    )


def pages_written(_: np.random.Generator) -> Inputs:
    return Inputs(
        device={
            10000000: _zeros(4, 2048, 8, 128),
            30000000: np.zeros((4, 32), np.int32),
            40000000: _zeros(1, 8, 64, 128),
        }
    )
