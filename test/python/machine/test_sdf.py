"""Programs of level `sdf`: every op against numpy, and what they count."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_text import count_only, run
from sdf_text import halves, program, same_counts

from ktir.errors import BoundsError, KtirError, MachineError
from ktir.target import load_target

SCALE = """
    %two = arith.constant 2.0 : f16
    sdf.compute vector ins(#sdf.buffer<{a}, 4x70xf16>) scalars(%two : f16)
        outs(#sdf.buffer<{b}, 4x70xf16>)
        {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
         iterator_types = ["parallel", "parallel"]}} {{
    ^bb0(%in: f16, %factor: f16, %out: f16):
      %column = sdf.index 1 : index
      %c = arith.index_cast %column : index to i16
      %f = arith.sitofp %c : i16 to f16
      %p = arith.mulf %in, %factor : f16
      %r = arith.addf %p, %f : f16
      sdf.yield %r : f16
    }}
"""
IN = "sdf.read #sdf.buffer<0, 4x70xf16> from %x[0, 0] bounds [4, 70] strides [70, 1]\n"


@pytest.mark.parametrize("place", [0, 1024])
def test_vector_compute_in_place_and_apart(place: int) -> None:
    text = program(
        IN
        + SCALE.format(a=0, b=place)
        + f"sdf.write #sdf.buffer<{place}, 4x70xf16> to %y[0, 0] bounds [4, 70] strides [70, 1]"
    )
    x = halves(4, 70)
    result = run(text, args=[x, np.zeros_like(x)])
    np.testing.assert_array_equal(
        result.arrays["y"], x * np.float16(2) + np.arange(70).astype("f2")
    )
    assert result.profile.kernels[0].vector_elements == 280
    assert result.profile.kernels[0].vector_ns == pytest.approx(280 / 12.65)
    same_counts(text, result, 2)


MATMUL = program(
    """
    %core = sdf.core_id : index
    %row = affine.apply affine_map<(d0) -> (8 * d0)>(%core)
    %zero = arith.constant 0.0 : f32
    sdf.read #sdf.buffer<0, 8x96xf16> from %x[%row, 0] bounds [16, 96] strides [96, 1]
    sdf.read #sdf.buffer<2048, 96x40xf16> from %w[0, 0] bounds [96, 40] strides [40, 1]
    sdf.compute vector ins() scalars(%zero : f32) outs(#sdf.buffer<16384, 8x40xf32>)
        {indexing_maps = [affine_map<(m, n) -> (m, n)>],
         iterator_types = ["parallel", "parallel"]} {
    ^bb0(%z: f32, %out: f32):
      sdf.yield %z : f32
    }
    sdf.compute matrix ins(#sdf.buffer<0, 8x96xf16>, #sdf.buffer<2048, 96x40xf16>)
        outs(#sdf.buffer<16384, 8x40xf32>)
        {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                          affine_map<(m, n, k) -> (m, n)>],
         iterator_types = ["parallel", "parallel", "reduction"]} {
    ^bb0(%a: f16, %b: f16, %acc: f32):
      %p = arith.extf %a : f16 to f32
      %q = arith.extf %b : f16 to f32
      %r = arith.mulf %p, %q : f32
      %s = arith.addf %acc, %r : f32
      sdf.yield %s : f32
    }
    sdf.write #sdf.buffer<16384, 8x40xf32> to %y[%row, 0] bounds [16, 40] strides [40, 1]
    """,
    "%x: index, %w: index, %y: index",
    "[2]",
)


def test_matrix_compute() -> None:
    x, w = halves(16, 96), halves(96, 40)
    result = run(MATMUL, args=[x, w, np.zeros((16, 40), np.float32)])
    expected = x.astype(np.float64) @ w.astype(np.float64)
    np.testing.assert_allclose(result.arrays["y"], expected, rtol=1e-5, atol=1e-5)
    kernel = result.profile.kernels[0]
    assert kernel.macs == 16 * 96 * 40
    assert kernel.matrix_ns == pytest.approx(load_target().matrix.time(8 * 96 * 40, 8))
    # Both cores read w: its bytes count twice, and one of them is shared.
    assert kernel.shared_bytes > 0
    assert kernel.extrapolated, "f32 is written"
    same_counts(MATMUL, result, 3)


def test_reduction() -> None:
    text = program(
        """
        sdf.read #sdf.buffer<0, 4x70xf16> from %x[0, 0] bounds [4, 70] strides [70, 1]
        %low = arith.constant 0xFC00 : f16
        sdf.compute vector ins() scalars(%low : f16) outs(#sdf.buffer<1024, 4xf16>)
            {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} {
        ^bb0(%z: f16, %out: f16):
          sdf.yield %z : f16
        }
        sdf.compute vector ins(#sdf.buffer<0, 4x70xf16>) outs(#sdf.buffer<1024, 4xf16>)
            {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
             iterator_types = ["parallel", "reduction"]} {
        ^bb0(%in: f16, %acc: f16):
          %m = arith.maximumf %in, %acc : f16
          sdf.yield %m : f16
        }
        sdf.write #sdf.buffer<1024, 4xf16> to %y[0] bounds [4] strides [1]
        """
    )
    x = halves(4, 70)
    result = run(text, args=[x, np.zeros(4, np.float16)])
    np.testing.assert_array_equal(result.arrays["y"], x.max(1))
    assert result.profile.kernels[0].vector_ns == pytest.approx(4 / 12.65 + 280 / 8.5)


COPY = program(
    IN
    + """
    sdf.read #sdf.buffer<1024, 4x70xf16> from %y[0, 0] bounds [4, 70] strides [70, 1]
    sdf.copy #sdf.buffer<0, 4x70xf16>[1, 0][1, 2] to #sdf.buffer<1024, 4x70xf16>[0, 30][2, 1]
        sizes [2, 35]
    sdf.write #sdf.buffer<1024, 4x70xf16> to %y[0, 0] bounds [4, 70] strides [70, 1]
    """
)


def test_copy_of_a_rectangle() -> None:
    x, y = halves(4, 70), np.zeros((4, 70), np.float16)
    result = run(COPY, args=[x, y])
    y[0:4:2, 30:65] = x[1:3, 0:70:2]
    np.testing.assert_array_equal(result.arrays["y"], y)
    same_counts(COPY, result, 2)


def test_copy_at_offsets_that_differ_by_core() -> None:
    text = program(
        """
        %core = sdf.core_id : index
        sdf.read #sdf.buffer<0, 3x64xf16> from %x[0, 0] bounds [3, 64] strides [64, 1]
        sdf.read #sdf.buffer<384, 2x64xf16> from %z[0, 0] bounds [2, 64] strides [64, 1]
        sdf.copy #sdf.buffer<0, 3x64xf16>[%core, 0][1, 1]
            to #sdf.buffer<384, 2x64xf16>[1, %core][1, 1] sizes [1, 10]
        %row = affine.apply affine_map<(d0) -> (2 * d0)>(%core)
        sdf.write #sdf.buffer<384, 2x64xf16> to %y[%row, 0] bounds [6, 64] strides [64, 1]
        """,
        "%x: index, %z: index, %y: index",
        "[3]",
    )
    x, z = halves(3, 64), halves(2, 64) * 2
    result = run(text, args=[x, z, np.zeros((6, 64), np.float16)])
    expected = np.tile(z, (3, 1))
    for core in range(3):
        expected[2 * core + 1, core : core + 10] = x[core, :10]
    np.testing.assert_array_equal(result.arrays["y"], expected)


def test_copy_outside_a_buffer() -> None:
    with pytest.raises(KtirError):
        run(COPY.replace("[0, 30][2, 1]", "[0, 36][2, 1]"), args=[halves(4, 70), halves(4, 70)])


def test_reshape_does_not_count_padding() -> None:
    text = program(
        IN
        + """
        sdf.reshape #sdf.buffer<0, 4x70xf16> to #sdf.buffer<1024, 7x40xf16>
        sdf.write #sdf.buffer<1024, 7x40xf16> to %y[0, 0] bounds [7, 40] strides [40, 1]
        """
    )
    x = halves(4, 70)
    result = run(text, args=[x, np.zeros((7, 40), np.float16)])
    np.testing.assert_array_equal(result.arrays["y"], x.reshape(7, 40))
    same_counts(text, result, 2)


EXTRACT = program(
    """
    %core = sdf.core_id : index
    %base = affine.apply affine_map<(d0) -> (8 * d0)>(%core)
    sdf.read #sdf.buffer<0, 2x8xf16> from %x[0, 0] bounds [2, 8] strides [8, 1]
    %s = sdf.extract #sdf.buffer<0, 2x8xf16>[%core, 3] : f16
    sdf.compute vector ins() scalars(%s : f16) outs(#sdf.buffer<256, 8xf16>)
        {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} {
    ^bb0(%z: f16, %out: f16):
      sdf.yield %z : f16
    }
    sdf.write #sdf.buffer<256, 8xf16> to %y[%base] bounds [16] strides [1]
    """,
    grid="[2]",
)


def test_extract_as_a_scalar() -> None:
    x = halves(2, 8)
    result = run(EXTRACT, args=[x, np.zeros((2, 8), np.float16)])
    np.testing.assert_array_equal(result.arrays["y"], np.repeat(x[:, 3:4], 8, axis=1))
    same_counts(EXTRACT, result, 2)
    with pytest.raises(KtirError):
        run(EXTRACT.replace("[%core, 3]", "[%core, 8]"), args=[x, np.zeros((2, 8), np.float16)])
    with pytest.raises(BoundsError, match=r"elements 0\.\.8 of dimension 0"):
        run(EXTRACT.replace("[%core, 3]", "[%base, 3]"), args=[x, np.zeros((2, 8), np.float16)])


def test_time_that_depends_on_data_is_refused() -> None:
    text = program(
        """
        sdf.read #sdf.buffer<0, 1xindex> from %x[0] bounds [1] strides [1]
        %n = sdf.extract #sdf.buffer<0, 1xindex>[0] : index
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %double = arith.addi %n, %n : index
        scf.for %i = %c0 to %double step %c1 {
          sdf.write #sdf.buffer<0, 1xindex> to %y[%i] bounds [100] strides [1]
        }
        """
    )
    result = run(text, args=[np.array([2]), np.zeros(5, np.int64)])
    assert result.arrays["y"].tolist() == [2, 2, 2, 2, 0]
    with pytest.raises(MachineError, match="its time depends on data"):
        count_only(text, [512, 1024])


def test_groups_of_cores_share_a_program() -> None:
    """Core c adds 1 to its row c times; each core has a loop of its own length."""
    text = program(
        """
        %core = sdf.core_id : index
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %one = arith.constant 1.0 : f16
        sdf.read #sdf.buffer<0, 1x64xf16> from %x[0, 0] bounds [1, 64] strides [64, 1]
        scf.for %i = %c0 to %core step %c1 {
          sdf.compute vector ins(#sdf.buffer<0, 1x64xf16>) scalars(%one : f16)
              outs(#sdf.buffer<0, 1x64xf16>)
              {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
               iterator_types = ["parallel", "parallel"]} {
          ^bb0(%in: f16, %o: f16, %out: f16):
            %r = arith.addf %in, %o : f16
            sdf.yield %r : f16
          }
        }
        sdf.write #sdf.buffer<0, 1x64xf16> to %y[%core, 0] bounds [4, 64] strides [64, 1]
        """,
        grid="[4]",
    )
    result = run(text, args=[np.zeros((1, 64), np.float16), np.zeros((4, 64), np.float16)])
    np.testing.assert_array_equal(result.arrays["y"][:, 0], [0, 1, 2, 3])
    kernel = result.profile.kernels[0]
    assert kernel.vector_elements == (0 + 1 + 2 + 3) * 64
    assert kernel.vector_ns == pytest.approx(3 * 64 / 12.65)
    same_counts(text, result, 2)


def test_a_missing_read_shows() -> None:
    text = program("sdf.write #sdf.buffer<0, 64xf16> to %y[0] bounds [64] strides [1]")
    result = run(text, args=[np.zeros(1, np.float16), np.zeros(64, np.float16)])
    assert np.isnan(result.arrays["y"]).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (IN.replace("<0,", "<64,"), "128"),
        (IN.replace("<0,", "<2097024,"), "2097152|end"),
        (SCALE.format(a=0, b=128), "share bytes 128 to 1023"),
    ],
)
def test_buffers_that_do_not_fit(text: str, message: str) -> None:
    with pytest.raises(KtirError, match=message):
        run(program(text), args=[halves(4, 70), halves(4, 70)])


def test_the_scratchpad_is_the_targets() -> None:
    small = load_target()
    pad = type(small.scratchpad)(bytes=512, plannable_bytes=512, alignment_bytes=128)
    target = type(small)(**{**vars(small), "scratchpad": pad})
    with pytest.raises(BoundsError, match="ends at byte 1024; the scratchpad of spyre has 512"):
        run(program(IN), args=[halves(4, 70), halves(4, 70)], target=target)
