"""`sdf` ops of the load and store engines."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_text import run
from sdf_text import halves, program, same_counts

from ktir.errors import BoundsError

TAIL = program(
    """
    %core = sdf.core_id : index
    %row = affine.apply affine_map<(d0) -> (3 * d0)>(%core)
    sdf.read #sdf.buffer<0, 3x100xf16> from %x[%row, 0] bounds [10, 90] strides [90, 1]
    sdf.write #sdf.buffer<0, 3x100xf16> to %y[%row, 0] bounds [11, 80] strides [80, 1]
    """,
    grid="[4]",
)


def test_read_and_write_within_bounds() -> None:
    x = halves(10, 90)
    result = run(TAIL, args=[x, np.full((11, 80), -1, np.float16)])
    expected = np.zeros((11, 80), np.float16)
    expected[:10] = x[:, :80]
    np.testing.assert_array_equal(result.arrays["y"], expected)
    assert result.profile.scratchpad_peak == 3 * 256
    same_counts(TAIL, result, 2)


def test_transfers_on_a_grid_of_two_dimensions() -> None:
    text = program(
        """
        %i, %j = sdf.core_id : index, index
        %column = affine.apply affine_map<(d0) -> (64 * d0)>(%i)
        %row = affine.apply affine_map<(d0) -> (2 * d0)>(%j)
        sdf.read #sdf.buffer<128, 2x64xf16> from %x[%row, %column] bounds [8, 128] strides [128, 1]
        sdf.write #sdf.buffer<128, 2x64xf16> to %y[%row, %column] bounds [8, 128] strides [128, 1]
        """,
        grid="[2, 4]",
    )
    x = halves(8, 128)
    result = run(text, args=[x, np.zeros_like(x)])
    np.testing.assert_array_equal(result.arrays["y"], x)
    assert (result.profile.read_bytes, result.profile.written_bytes) == (2048, 2048)
    assert result.profile.kernels[0].shared_bytes == 0


def test_transposed_read() -> None:
    text = program(
        """
        sdf.read #sdf.buffer<0, 5x3xf16> from %x[0, 0] bounds [5, 3] strides [1, 5]
        sdf.write #sdf.buffer<0, 5x3xf16> to %y[0, 0] bounds [5, 3] strides [3, 1]
        """
    )
    x = halves(3, 5)
    np.testing.assert_array_equal(
        run(text, args=[x, np.zeros((5, 3), np.float16)]).arrays["y"], x.T
    )


def test_outside_an_array_is_a_fault() -> None:
    with pytest.raises(BoundsError, match=r"'sdf.read' at .*core 3 reads %x at bytes"):
        run(
            TAIL.replace("bounds [10, 90]", "bounds [12, 90]"), args=[halves(9, 90), halves(11, 80)]
        )


GATHER = program(
    """
    %core = sdf.core_id : index
    %row = affine.apply affine_map<(d0) -> (2 * d0)>(%core)
    sdf.read #sdf.buffer<0, 2xi32> from %i[%row] bounds [4] strides [1]
    sdf.gather #sdf.buffer<128, 2x40xf16> from %x[0, 8]
        via [#sdf.buffer<0, 2xi32>[affine_map<(d0, d1) -> (d0)>], _] bounds [6, 48] strides [48, 1]
    sdf.write #sdf.buffer<128, 2x40xf16> to %y[%row, 0] bounds [4, 40] strides [40, 1]
    """,
    "%x: index, %i: index, %y: index",
    "[2]",
)


def test_gather_refuses_an_index_out_of_bounds() -> None:
    x, index = halves(6, 48), np.array([5, 0, 3, 2], np.int32)
    result = run(GATHER, args=[x, index, np.zeros((4, 40), np.float16)])
    np.testing.assert_array_equal(result.arrays["y"], x[index, 8:])
    index[2] = 7
    with pytest.raises(BoundsError, match=r"core 1 .* coordinate 7 of dimension 0, .* 0\.\.5"):
        run(GATHER, args=[x, index, np.zeros((4, 40), np.float16)])


def test_gather_counts_rows() -> None:
    index = np.array([5, 0, 4, 2], np.int32)
    result = run(GATHER, args=[halves(6, 48), index, np.zeros((4, 40), np.float16)])
    # A stick of indices a core, and of rows at bytes 16 + 96 r, 80 bytes each: 2, 1, 1, 2 sticks.
    assert result.profile.read_bytes == (2 + 2 + 1 + 1 + 2) * 128


def test_gather_and_scatter_by_a_map() -> None:
    """dst[r, c] = x[c // 2, idx[r] + c % 2], scattered to y with rows reversed."""
    text = program(
        """
        sdf.read #sdf.buffer<0, 3xi64> from %i[0] bounds [3] strides [1]
        sdf.gather #sdf.buffer<128, 3x8xf16> from %x[0, 0]
            via [affine_map<(d0, d1) -> (d1 floordiv 2)>,
                 #sdf.buffer<0, 3xi64>[affine_map<(d0, d1) -> (d0)>]]
            bounds [4, 16] strides [16, 1]
        sdf.scatter #sdf.buffer<128, 3x8xf16> to %y[2, 0]
            via [affine_map<(d0, d1) -> (-d0)>, _] bounds [3, 6] strides [8, 1]
        """,
        "%x: index, %i: index, %y: index",
    )
    x, index = halves(4, 16), np.array([3, 0, 9])
    result = run(text, args=[x, index, np.full((3, 8), -1, np.float16)])
    expected = np.full((3, 8), -1, np.float16)
    for r in range(3):
        for c in range(6):
            expected[2 - r, c] = x[c // 2, index[r]]
    np.testing.assert_array_equal(result.arrays["y"], expected)


def test_scatter_keeps_the_last_row() -> None:
    text = program(
        """
        sdf.read #sdf.buffer<0, 4xi32> from %i[0] bounds [4] strides [1]
        sdf.read #sdf.buffer<128, 4x64xf16> from %x[0, 0] bounds [4, 64] strides [64, 1]
        sdf.scatter #sdf.buffer<128, 4x64xf16> to %y[0, 0]
            via [#sdf.buffer<0, 4xi32>[affine_map<(d0, d1) -> (d0)>], _]
            bounds [3, 64] strides [64, 1]
        """,
        "%x: index, %i: index, %y: index",
    )
    x = halves(4, 64)
    index = np.array([2, 0, 2, 0], np.int32)
    result = run(text, args=[x, index, np.zeros((3, 64), np.float16)])
    expected = np.stack([x[3], np.zeros(64, np.float16), x[2]])
    np.testing.assert_array_equal(result.arrays["y"], expected)
    assert result.profile.written_bytes == 4 * 128
    index[3] = -1
    with pytest.raises(BoundsError, match=r"core 0 .* at coordinate -1 of dimension 0, .* 0\.\.2"):
        run(text, args=[x, index, np.zeros((3, 64), np.float16)])


BY_CORE = """
%i = sdf.core_id : index
%c1 = arith.constant 1 : index
%c8 = arith.constant 8 : index
%n = arith.addi %i, %c1 : index
%row = arith.muli %i, %c8 : index
sdf.OP #sdf.buffer<0, 8xf16> from %x[%c0]VIA bounds [BOUND] strides [STRIDE]
%at = arith.addi %y, %row : index
sdf.write #sdf.buffer<0, 8xf16> to %at[%c0] bounds [8] strides [1]
""".replace("%c0", "0")


@pytest.mark.parametrize("op", ["read", "gather"])
def test_bounds_and_strides_that_differ_by_core(op: str) -> None:
    text = BY_CORE.replace("OP", op).replace("VIA", " via [_]" if op == "gather" else "")
    x = np.arange(1, 65, dtype=np.float16)
    places = np.arange(8)[None] * np.ones((4, 1), int)
    cores = 1 + np.arange(4)[:, None]

    masked = program(text.replace("BOUND", "%n").replace("STRIDE", "1"), grid="[4]")
    found = run(masked, args=[x, np.zeros((4, 8), np.float16)]).arrays["y"]
    np.testing.assert_array_equal(found, x[places] * (places < cores))

    strided = program(text.replace("BOUND", "8").replace("STRIDE", "%n"), grid="[4]")
    found = run(strided, args=[x, np.zeros((4, 8), np.float16)]).arrays["y"]
    np.testing.assert_array_equal(found, x[places * cores])
