"""A slow, obvious oracle of KTIR: what a kernel means, one core and one element at a time.

It interprets a module that `ktir.mlir.ir` has parsed, in plain Python numbers, and shares no code
with the machine, the passes or torch. It is written from the meaning of KTIR (RFC 0682, the public
op definitions and `docs/inter-tile-communication.md` of torch-spyre/ktir-mlir-frontend) and of the
upstream dialects, so that an error of the machine shows as a difference.

    run(module, {"x": Array("f16", [0.5, 1.0]), "n": 2})      # changes the array in place

What it covers:

- `arith`, `math`, `index` on scalars and elementwise on tensors (`scalars`): integers wrap; a float
  op is the exact result rounded once to the op's own format;
- `tensor`: creation, elements, slices, reshapes, concat, pad, generate, gather and scatter
  (`tensors`);
- `linalg`: `generic`, `map`, `reduce`, `broadcast`, `transpose`, `fill`, elementwise named ops and
  the products of matrices and vectors, as loops over points (`structured`);
- `scf`: for, while, if, index_switch, execute_region, forall, parallel with reductions; calls of
  functions; `affine.apply`, `min` and `max` (`control`, `cores`);
- `ktdp`: views with strides, symbols, masks and any set; tiles of any set in the order of the
  RFC (points sorted lexicographically by the results of the order map); indirect tiles;
  distributed views; scratchpad views, of another core as well; runtime arguments (`memory`,
  `views`);
- produce and all six deliveries (`inter_tile`). Cores are generators that stop at a delivery until
  its sources have published, so a deadlock shows by itself (`cores`).

Left undefined by the IR and decided here as the project documents it: fresh memory and what a core
that is no consumer receives hold bytes 0xFF; `tensor.empty` holds zeros in kernels; x / 0 has all
bits set, x % 0 is x, shifts by the width or more move all bits out, a float beyond an integer's
range saturates and NaN becomes 0.

What is inexact is marked, not hidden: sums whose order the IR leaves open, and functions such as
`math.exp`, yield a `Rough` number with a bound of its error. Everything else is exact to the bit.
Anything outside the list raises `OracleLimit`; a fault of the kernel raises `Fault`, cores that
wait for ever `Deadlock`.
"""

from __future__ import annotations

from .cores import run
from .errors import Deadlock, Fault, OracleLimit
from .formats import Rough
from .memory import Array, Report

__all__ = ["Array", "Deadlock", "Fault", "OracleLimit", "Report", "Rough", "run"]
