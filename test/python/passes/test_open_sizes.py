"""Tensors of a size that is a value: the same bytes at both levels, and the values of numpy."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from open_bodies import OPEN_BODIES, open_kernel
from test_lower_to_sdf import assert_same_at_both_levels


@pytest.mark.parametrize("count", [0, 1, 5, 16, 37, 64])
@pytest.mark.parametrize("name", OPEN_BODIES)
def test_tails_that_differ_by_core(name: str, count: int) -> None:
    body, meaning = OPEN_BODIES[name]
    x = torch.randn(64, generator=torch.Generator().manual_seed(count))
    y = torch.full((64,), 7.0)
    left = assert_same_at_both_levels(open_kernel(body), {"x": x, "y": y, "n": count})
    expected = y.double().numpy().copy()
    for core in range(4):
        piece = slice(core * 16, min(core * 16 + 16, max(count, core * 16)))
        if piece.stop > piece.start:
            expected[piece] = meaning(x.double().numpy()[piece], core)
    np.testing.assert_allclose(np.asarray(left["y"]), expected, rtol=2e-5, atol=1e-5)
