"""Every entry of the module table imports, and its raw linalg computes what torch computes."""

from __future__ import annotations

import re
from itertools import cycle, islice

import pytest
import torch
from module_table import FLOAT_DTYPES, LAST_EXTENTS, MODULES, ROW_COUNTS, Entry, Sizes, tolerance
from native import call_natively
from torch.utils import _pytree as pytree

from ktir.frontend.importer import import_model

# Each entry meets two sizes here, so that the table as a whole meets all of them.
SIZES = [Sizes(rows, last) for rows, last in zip(cycle(ROW_COUNTS), LAST_EXTENTS, strict=False)]
MET = [
    (entry, dtype, sizes)
    for (entry, dtype), sizes in zip(
        [(entry, dtype) for dtype in FLOAT_DTYPES for entry in MODULES],
        islice(cycle(SIZES), len(FLOAT_DTYPES) * len(MODULES)),
        strict=True,
    )
]
CASES = [
    pytest.param(entry, dtype, sizes, id=f"{entry.name}-{dtype}-{sizes.rows}x{sizes.last}")
    for entry, dtype, sizes in MET
]


@pytest.mark.parametrize(("entry", "dtype", "sizes"), CASES)
def test_means_what_torch_means(entry: Entry, dtype: torch.dtype, sizes: Sizes) -> None:
    module, args = entry.build(dtype, sizes)
    imported = import_model(module, args)
    check_text(imported.text)
    with torch.no_grad():
        expected, structure = pytree.tree_flatten(module(*args))
    results, found = pytree.tree_flatten(call_natively(imported, args))
    assert found == structure
    rtol, atol = tolerance(entry, dtype, sizes)
    for result, reference in zip(results, expected, strict=True):
        torch.testing.assert_close(result, reference, rtol=rtol, atol=atol)


def check_text(text: str) -> None:
    """No f64, no dense constants, no op of another dialect, and a source line on what computes."""
    assert "f64" not in text
    assert "dense<[" not in text
    dialects = set(re.findall(r'^ *(?:%\S+ = )?"(\w+)\.\w+"', text, re.MULTILINE))
    assert dialects <= {"builtin", "func", "linalg", "tensor", "arith", "math", "cf"}
    assert re.search(r'(module_table|torch/nn/modules/\w+)\.py":\d+', text)


def test_sizes_cover_the_table() -> None:
    met = {(dtype, sizes.last) for _, dtype, sizes in MET}
    assert met == {(dtype, last) for dtype in FLOAT_DTYPES for last in LAST_EXTENTS}
