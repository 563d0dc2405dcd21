"""What the C++ verifiers take for granted about the device is what data/spyre.json says."""

from __future__ import annotations

import pytest

from ktir.mlir import ir
from ktir.target import load_target

SPYRE = load_target()

PLAN = """
func.func @f(%x: tensor<{cores}x64xf16>) {{
  %0 = plan.kernel "k" split = [{cores}, 1] tile = [1, 64]
         ins(%a = %x : tensor<{cores}x64xf16>) -> (tensor<{cores}x64xf16>) {{
    plan.yield %a : tensor<{cores}x64xf16>
  }}
  return
}}
"""

SDF = """
sdf.program @p() grid [1] {{
  %0 = sdf.extract #sdf.buffer<{start}, 64xf16>[0] : f16
  sdf.return
}}
"""

KTDP = """
func.func @f(%x: index) {{
  %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {{
    memory_space = #ktdp.spyre_memory_space<LX, core = {core}>,
    coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
  }} : memref<64xf16>
  return
}}
"""


def assert_limit(legal: str, illegal: str, message: str) -> None:
    """One text passes the verifiers, its neighbour does not."""
    ir.Module.parse(legal, ir.Context())
    with pytest.raises(ir.MLIRError, match=message):  # type: ignore[attr-defined]
        ir.Module.parse(illegal, ir.Context())


def test_cores_of_a_plan() -> None:
    cores = SPYRE.cores
    assert_limit(PLAN.format(cores=cores), PLAN.format(cores=cores + 1), f"the target has {cores}")


def test_cores_of_memory_spaces() -> None:
    last = SPYRE.cores - 1
    assert_limit(KTDP.format(core=last), KTDP.format(core=last + 1), f"has cores 0 to {last}")


def test_scratchpad_of_buffers() -> None:
    size = SPYRE.scratchpad.bytes
    last = size - SPYRE.memory.stick_bytes
    message = f"the scratchpad has {size} bytes"
    assert_limit(SDF.format(start=last), SDF.format(start=size), message)
