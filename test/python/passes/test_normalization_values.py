"""The `linalg` level computes what the import says, keeps its contract, and is a fixed point."""

from __future__ import annotations

from itertools import cycle

import pytest
import torch
from module_table import FLOAT_DTYPES, LAST_EXTENTS, MODULES, ROW_COUNTS, Entry, Sizes
from normalizing import normalize, run_passes, run_raw

from ktir.passes.normalization import NORMALIZE

SIZES = [Sizes(rows, last) for rows, last in zip(cycle(ROW_COUNTS), LAST_EXTENTS, strict=False)]
CASES = [
    pytest.param(entry, dtype, sizes, id=f"{entry.name}-{dtype}-{sizes.rows}x{sizes.last}")
    for entry, dtype, sizes in zip(MODULES, cycle(FLOAT_DTYPES), cycle(SIZES), strict=False)
]


@pytest.mark.parametrize(("entry", "dtype", "sizes"), CASES)
def test_means_what_was_imported(entry: Entry, dtype: torch.dtype, sizes: Sizes) -> None:
    model, args = entry.build(dtype, sizes)
    normalized = normalize(model, args)
    found = normalized.run(args)
    expected = run_raw(normalized.imported, args)
    # Loops that are split may change the order in which a product is summed, nothing else.
    bound = torch.finfo(dtype).eps if entry.tolerance in ("matmul", "attention") else 0.0
    for result, reference in zip(found, expected, strict=True):
        torch.testing.assert_close(result, reference, rtol=bound, atol=bound, equal_nan=True)


@pytest.mark.parametrize(
    "name", ["attention_grouped", "embedding_position", "layer_norm", "linear_relu", "pad"]
)
def test_is_a_fixed_point(name: str) -> None:
    entry = next(entry for entry in MODULES if entry.name == name)
    normalized = normalize(*entry.build(torch.float16, Sizes()))
    before = str(normalized.module)
    run_passes(normalized.module, NORMALIZE)
    assert str(normalized.module) == before
