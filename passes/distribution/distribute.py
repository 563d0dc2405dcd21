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
    """Outline every `plan.kernel` and tile it with upstream's tile-and-fuse.

    Requires: the `plan` level, with plans that `ktir-check-plan` accepts.
    Rewrites: the module into `module @kernels`, with one function on tensors a kernel, whose body
    is an `scf.forall` over the tiles of all cores, and `module @host`, whose functions call them.
    Tensor types of a kernel function are padded to whole blocks; `tiling.valid` on its arguments
    and results says what is real. With a `reduction_tile` the contraction is an `scf.for` over
    pieces of its reduction.
    Ensures: no plan op is left; tiles are static.
    Fails when: upstream's transforms cannot tile a kernel as its plan says, an internal error.

    Before:

        func.func @main(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
          %r = plan.kernel "neg_0" split = [2, 1] tile = [4, 64] ins(%a = %x : ..) -> (..) {..}

    After:

        module @kernels {
          func.func @neg_0(%a: tensor<8x64xf16>) -> tensor<8x64xf16> {
            %r = scf.forall (%i) = (0) to (8) step (4) shared_outs(..) -> (tensor<8x64xf16>) {..}
        module @host {
          func.func @main(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
            %r = call @neg_0(%x) : (tensor<8x64xf16>) -> tensor<8x64xf16>
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
