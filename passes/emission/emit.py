"""The pass that turns tiled kernel functions and the host function into KTIR."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from ktir.errors import PassError
from ktir.mlir import ir
from ktir.mlir._mlir_libs import _ktir
from ktir.passes.base import ModulePass, register
from ktir.passes.device_memory import Placement, Placements, tensors_of
from ktir.passes.distribution.kernel_function import DENSE
from ktir.passes.emission.emit_host import emit_host
from ktir.passes.emission.emit_kernel import emit_kernel
from ktir.passes.ir_utils import body_of, functions_of, i64_list


@register
@dataclasses.dataclass(frozen=True)
class Emit(ModulePass):
    """Emit KTIR kernels and the host function that places buffers and launches them.

    Requires: what `ktir-distribute` ensures.
    Rewrites: `@kernels` to functions on addresses with `ktdp` loads and stores, `@host` to memrefs
    in device memory and calls in order.
    Ensures: the `ktir` level; no attribute or op of our own dialects is left in the kernels.
    Fails when: a module `@kernels` or `@host` is missing, a reshape between kernels is no view, or
    a gather computes a coordinate by more than an index tensor's element or a loop index plus an
    offset.

    Before:

        %r = scf.forall (%i) = (0) to (256) step (8) .. {
          %t = tensor.extract_slice %a[%i, 0] [8, 384] [1, 1] : ..

    After, run by every core of the grid:

        %core = ktdp.get_compute_tile_id : index
        %row = arith.muli %core, %c8 : index
        %tile = ktdp.construct_access_tile %view[%row, %c0] ..
        %t = ktdp.load %tile : <8x384xindex> -> tensor<8x384xf16>
    """

    NAME: ClassVar[str] = "ktir-emit"

    def run(self, module: ir.Operation) -> None:
        with module.context, module.location:
            kernels, host = (_child(module, name) for name in ("kernels", "host"))
            by_name = {_symbol(function): function for function in functions_of(kernels)}
            dense = {name: i64_list(op, DENSE) for name, op in by_name.items()}
            for function in list(functions_of(host)):
                placements = Placements(function, dense)
                for value in tensors_of(function):
                    placements.of(value)
                placements.assign_addresses()
                for name, operands in _launches(function, placements).items():
                    emit_kernel(by_name[name], operands)
                emit_host(function, placements)
            succeeded, diagnostics = _ktir.run_pipeline(
                kernels, "builtin.module(lower-affine,canonicalize,cse)"
            )
            if not succeeded:
                raise PassError(f"internal error: clean-up after emission failed: {diagnostics}")


def _child(module: ir.Operation, name: str) -> ir.Operation:
    for op in body_of(module):
        inner = op.operation
        if inner.name == "builtin.module" and _symbol(inner) == name:
            return inner
    raise PassError(f"expected a module @{name}: run ktir-distribute before ktir-emit")


def _symbol(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value if "sym_name" in op.attributes else ""


def _launches(function: ir.Operation, placements: Placements) -> dict[str, list[Placement]]:
    """For each kernel the placements of its operands and then of its results."""
    found: dict[str, list[Placement]] = {}
    for op in [op.operation for op in body_of(function)]:
        if op.name == "func.call":
            name = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
            found[name] = [placements.of(value) for value in (*op.operands, *op.results)]
    return found
