"""Every module of the table at every last extent, compiled and run: against PyTorch, and every
level against the next.

Owns values of small modules in f16 and f32 at all sizes. That values do not depend on cores, tiles
and threads is in `test_invariance.py`, values at the edge of the formats in
`test_special_values.py`.
"""

from __future__ import annotations

import pytest

from .bundles import ALL, Bundle, name_of
from .support import LEVELS, assert_matches_torch, assert_same_bits


@pytest.mark.parametrize("bundle", ALL, ids=name_of, indirect=True)
def test_module(bundle: Bundle) -> None:
    """The outputs are PyTorch's within the tolerance, and the same bits at every level."""
    for sizes, part, outputs in zip(bundle.sizes, bundle.parts, bundle.outputs, strict=True):
        assert_matches_torch(bundle.entry, part, outputs, sizes)
    for level in LEVELS:
        got = bundle.program.run_level(level, *bundle.args)
        for sizes, one, other in zip(bundle.sizes, got, bundle.outputs, strict=True):
            assert_same_bits(one, other, f"{sizes}: level {level} against the call")
