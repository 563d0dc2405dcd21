"""`sdf.points` and `cf.assert` in programs of level `sdf`."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_text import run
from sdf_text import halves, program

from ktir.errors import BoundsError, MachineError

TRIANGLE = program(
    """
    %core = sdf.core_id : index
    %rows = arith.addi %core, %n : index
    sdf.points #sdf.buffer<0, 6xi64>, #sdf.buffer<128, 6xi64>
        of affine_set<(d0, d1)[s0] : (d1 - s0 >= 0, d0 - d1 >= 0, -d0 + s0 + 2 >= 0)>[%rows]
        order affine_map<(d0, d1) -> (d1, d0)>
    sdf.gather #sdf.buffer<256, 6xf16> from %x[0, 0]
        via [#sdf.buffer<0, 6xi64>[affine_map<(d0) -> (d0)>],
             #sdf.buffer<128, 6xi64>[affine_map<(d0) -> (d0)>]]
        bounds [5, 8] strides [8, 1] within [0, 8, 0, 8]
    sdf.write #sdf.buffer<256, 6xf16> to %y[0] bounds [6] strides [1]
    """,
    "%x: index, %y: index, %n: index",
)


@pytest.mark.parametrize("start", [0, 2, 4])
def test_points_of_a_set_in_order(start: int) -> None:
    """Column by column; rows from 5 on are masked."""
    x = halves(8, 8)
    result = run(TRIANGLE, args=[x, np.zeros(6, np.float16), start])
    points = [(i, j) for j in range(start, start + 3) for i in range(j, start + 3)]
    expected = [x[i, j] if i < 5 else 0 for i, j in points]
    np.testing.assert_array_equal(result.arrays["y"], expected)


def test_points_beyond_what_is_legal() -> None:
    with pytest.raises(BoundsError, match=r"coordinate 8 of dimension 0, .* legal are 0..7"):
        run(TRIANGLE, args=[halves(8, 8), np.zeros(6, np.float16), 6])


def test_a_set_of_another_number_of_points() -> None:
    text = TRIANGLE.replace("s0 + 2 >= 0", "s0 + 3 >= 0")
    with pytest.raises(MachineError, match="the set has 10 points, which do not fill a tile of 6"):
        run(text, args=[halves(8, 8), np.zeros(6, np.float16), 0])


ASSERT = program(
    """
    %core = sdf.core_id : index
    %fits = arith.cmpi slt, %core, %n : index
    cf.assert %fits, "no room for this core"
    sdf.read #sdf.buffer<0, 4xf16> from %x[0] bounds [4] strides [1]
    sdf.write #sdf.buffer<0, 4xf16> to %y[0] bounds [4] strides [1]
    """,
    "%x: index, %y: index, %n: index",
    "[4]",
)


def test_what_is_asserted() -> None:
    x = halves(4)
    result = run(ASSERT, args=[x, np.zeros(4, np.float16), 4])
    np.testing.assert_array_equal(result.arrays["y"], x)
    with pytest.raises(MachineError, match=r"'cf.assert' at .*core 2: no room for this core"):
        run(ASSERT, args=[x, np.zeros(4, np.float16), 2])
