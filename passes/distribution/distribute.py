"""From plan.kernel regions to tiled kernel functions and a host function that calls them."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from ktir.errors import PassError
from ktir.mlir import ir
from ktir.mlir._mlir_libs import _ktir
from ktir.passes.base import ModulePass, register
from ktir.passes.distribution.kernel_function import KernelFunction, outline
from ktir.passes.distribution.tiling_script import contraction_script, fusion_script, run_script
from ktir.passes.ir_utils import body_of, functions_of

CLEANUP = "builtin.module(canonicalize,cse,func.func(canonicalize),cse,canonicalize)"


@register
@dataclasses.dataclass(frozen=True)
class Distribute(ModulePass):
    """Outlines every plan.kernel and tiles it with upstream's tile-and-fuse.

    Requires: the `plan` level; one function `main`. Rewrites the module into `module @kernels`,
    with one function on tensors a kernel, whose body is an `scf.forall` over the tiles of all
    cores, and `module @host`, whose `main` calls them. Tensor types of a kernel function are
    padded to whole blocks; `tiling.valid` on its arguments and results says what is real. Ensures:
    no plan op is left; tiles are static. Fails when a kernel cannot be tiled as its plan says,
    which is an internal error.

    Before: `%r = plan.kernel "pointwise_0" split = [2, 1] tile = [4, 64] ins(..)` After: `%r =
    func.call @pointwise_0(..)` in @host, `scf.forall (%i) = (0) to (8) step (4)` in @kernels
    """

    NAME: ClassVar[str] = "ktir-distribute"

    def run(self, module: ir.Operation) -> None:
        with module.context, module.location:
            kernels = _child_module(module, "kernels")
            outlined = _outline_all(module, kernels)
            _move_to_host(module, _child_module(module, "host"), outlined)
            run_script(kernels, fusion_script(outlined))
            _clean(kernels)
            script = contraction_script(outlined)
            if script is not None:
                run_script(kernels, script)
                _clean(kernels)


def _child_module(module: ir.Operation, name: str) -> ir.Operation:
    with ir.InsertionPoint(body_of(module)):
        child = ir.Operation.create(
            "builtin.module", attributes={"sym_name": ir.StringAttr.get(name)}, regions=1
        )
    child.regions[0].blocks.append()
    return child


def _outline_all(module: ir.Operation, kernels: ir.Operation) -> list[KernelFunction]:
    """Makes a function of each kernel and puts calls in their places."""
    outlined: list[KernelFunction] = []
    names: set[str] = set()
    for function in list(functions_of(module)):
        for op in [op.operation for op in body_of(function)]:
            if op.name != "plan.kernel":
                continue
            name = _unique(ir.StringAttr(op.attributes["kernel_name"]).value, names)
            outlined.append(outline(op, name, len(outlined), body_of(kernels)))
            call = ir.Operation.create(
                "func.call",
                results=[result.type for result in op.results],
                operands=list(op.operands),
                attributes={"callee": ir.FlatSymbolRefAttr.get(name)},
                loc=op.location,
                ip=ir.InsertionPoint(op),
            )
            for old, new in zip(op.results, call.results, strict=True):
                old.replace_all_uses_with(new)
            op.erase()
    return outlined


def _unique(name: str, taken: set[str]) -> str:
    candidate, number = name, 0
    while candidate in taken or candidate == "main":
        number += 1
        candidate = f"{name}_{number}"
    taken.add(candidate)
    return candidate


def _move_to_host(module: ir.Operation, host: ir.Operation, outlined: list[KernelFunction]) -> None:
    """Moves the functions that are not kernels, and declares the kernels beside them."""
    block = body_of(host)
    for kernel in outlined:
        ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": ir.StringAttr.get(kernel.name),
                "function_type": ir.TypeAttr.get(kernel.logical_type),
                "sym_visibility": ir.StringAttr.get("private"),
            },
            regions=1,
            loc=kernel.location,
            ip=ir.InsertionPoint(block),
        )
    for op in [op.operation for op in body_of(module)]:
        if op.name == "func.func":
            op.clone(ip=ir.InsertionPoint(block))
            op.erase()


def _clean(kernels: ir.Operation) -> None:
    succeeded, diagnostics = _ktir.run_pipeline(kernels, CLEANUP)
    if not succeeded:
        raise PassError(f"internal error: clean-up after tiling failed: {diagnostics}")
