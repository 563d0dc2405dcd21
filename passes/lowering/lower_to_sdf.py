"""The pass `ktir-lower-to-sdf`: KTIR kernels to `sdf` programs.

Owns the choice of what a kernel is and the frame of a program (name, arguments, grid). The way of a
kernel: `prepare` brings it into ops that are known here; `selection` turns ops into steps on slots;
`placement` finds lifetimes and addresses; `emission` writes the program; index arithmetic that is
equal or does not change in a loop is merged and moved out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

from ktir.errors import PlanError, UnsupportedError
from ktir.grids import check_fits
from ktir.inside import callees, ops_inside
from ktir.mlir import ir
from ktir.passes.base import ModulePass, option, register
from ktir.passes.defaults import SCRATCHPAD_BYTES
from ktir.passes.ir_utils import body_of, functions_of, place_of

# The handlers of op families enter themselves in the selection's table.
from ktir.passes.lowering import (  # noqa: F401
    buffers,
    control,
    indexed_tensors,
    indirect,
    inter_tile,
    memrefs,
    packing,
    parallel,
    reshaped_views,
    reshapes,
    scalars,
    softmax,
    spyreop,
    structured,
    tensors,
    tiles,
    views,
)
from ktir.passes.lowering.arguments import note_elements
from ktir.passes.lowering.emission import Emitter
from ktir.passes.lowering.index import Key
from ktir.passes.lowering.indices import write_constant
from ktir.passes.lowering.placement import place, place_high
from ktir.passes.lowering.prepare import prepare, run_passes
from ktir.passes.lowering.scalars import runtime_arg
from ktir.passes.lowering.selection import Selection

_LIMIT_ATTRIBUTE = "sdf.scratchpad_bytes"


@register
@dataclasses.dataclass(frozen=True)
class LowerToSdf(ModulePass):
    """Lower KTIR kernels to sdf programs with scratchpad addresses.

    Requires: sizes of tensors are bounded; nothing but kernels uses values that kernels return.
    Rewrites: every function that has a `grid` attribute or uses the ktdp dialect, in nested modules
    too, becomes an `sdf.program` of its name. Everything else stays as it is.
    Ensures: no tensor and no op of ktdp is left in a kernel; buffers that are alive together lie
    apart; every op keeps its location.
    Fails when: an op, a set or a type has no lowering (it is named, with its location), or a kernel
    does not fit into the scratchpad.

    Before:

        func.func @negate(%x: index, %y: index) attributes {grid = [32]} {
          %core = ktdp.get_compute_tile_id : index
          ..
          %a = ktdp.load %from : <3x64xindex> -> tensor<3x64xf16>
          %b = arith.negf %a : tensor<3x64xf16>
          ktdp.store %b, %to : tensor<3x64xf16>, <3x64xindex>
          return
        }

    After:

        sdf.program @negate(%x: index, %y: index) grid [32] {
          %core = sdf.core_id : index
          ..
          sdf.read #sdf.buffer<0, 3x64xf16> from %x[%row, 0] bounds [96, 64] strides [64, 1]
          sdf.compute vector ins(#sdf.buffer<0, 3x64xf16>) outs(#sdf.buffer<0, 3x64xf16>) {..}
          sdf.write #sdf.buffer<0, 3x64xf16> to %y[%row, 0] bounds [96, 64] strides [64, 1]
          sdf.return
        }
    """

    NAME: ClassVar[str] = "ktir-lower-to-sdf"

    scratchpad_limit: int = option(
        SCRATCHPAD_BYTES, "bytes of a core's scratchpad that a kernel may use", least=1
    )

    def run(self, module: ir.Operation) -> None:
        with module.context:
            self._lower_all(module)

    def _lower_all(self, module: ir.Operation) -> None:
        functions = list(functions_of(module))
        helpers = _called(functions)
        helpers += [f for f in functions if _is_unused(f) and f not in helpers]
        kernels = [
            f for f in functions if _is_kernel(f) and ("grid" in f.attributes or f not in helpers)
        ]
        if kernels and self.scratchpad_limit > SCRATCHPAD_BYTES:
            number = ir.IntegerType.get_signless(64)
            module.attributes[_LIMIT_ATTRIBUTE] = ir.IntegerAttr.get(number, self.scratchpad_limit)
        for kernel in kernels:
            if "grid" not in kernel.attributes:
                check_fits(kernel, _grid(kernel))
            _check_results(kernel, functions)
            prepare(kernel)
        done = [helper for helper in helpers if helper not in kernels]
        for kernel in kernels:
            program = self._lower(kernel)
            run_passes(program, "sdf.program(cse,loop-invariant-code-motion)")
        # Their bodies stand in the place of the calls.
        for helper in done:
            helper.erase()

    def _lower(self, kernel: ir.Operation) -> ir.Operation:
        """Puts the program in the place of the kernel."""
        name = _name(kernel)
        body = body_of(kernel)
        selection = Selection(name, _grid(kernel))
        with selection.nested() as body_steps:
            # What a kernel returns nobody receives.
            for op in list(body)[:-1]:
                selection.op(op.operation)
        steps = [*selection.prologue, *body_steps]
        reserved = sorted(selection.reserved)
        is_high = selection.first_byte is not None
        try:
            placement = (place_high if is_high else place)(steps, self.scratchpad_limit, reserved)
        except PlanError as error:
            raise PlanError(f"kernel @{name} at {place_of(kernel)}: {error}") from error
        program = _program(kernel)
        entry = body_of(program)
        values: dict[Key, ir.Value] = dict(zip(body.arguments, entry.arguments, strict=True))
        with ir.InsertionPoint(entry):
            if selection.first_byte is not None:
                first = ir.IntegerAttr.get(ir.IndexType.get(), placement.first)
                with kernel.location:
                    values[selection.first_byte] = write_constant(first)
            Emitter(placement, values).emit(steps)
            ir.Operation.create("sdf.return", loc=kernel.location)
        note_elements(program, body.arguments, entry.arguments)
        kernel.erase()
        return program


def _is_kernel(function: ir.Operation) -> bool:
    return "grid" in function.attributes or _uses_ktdp(function)


def _name(function: ir.Operation) -> str:
    return ir.StringAttr(function.attributes["sym_name"]).value


def _is_unused(function: ir.Operation) -> bool:
    """Whether nothing outside its module can call a function, and nothing in it is a kernel's."""
    private = str(function.attributes.get("sym_visibility", "")) == '"private"'
    return private and not _is_kernel(function)


def _called(functions: Sequence[ir.Operation]) -> list[ir.Operation]:
    """The functions that kernels call, directly or through others."""
    reached = {f: callees(f) for f in functions if _is_kernel(f)}
    found: list[ir.Operation] = []
    while reached:
        caller, names = reached.popitem()
        for other in functions:
            beside = other.parent == caller.parent and other not in found
            if beside and _name(other) in names:
                found.append(other)
                reached[other] = callees(other)
    return found


def _uses_ktdp(op: ir.Operation) -> bool:
    return any(inner.name.startswith("ktdp.") for inner in ops_inside(op))


def _check_results(kernel: ir.Operation, functions: Sequence[ir.Operation]) -> None:
    """Raises UnsupportedError if a function that is no kernel uses what a kernel returns."""
    name = _name(kernel)
    function_type = ir.FunctionType(ir.TypeAttr(kernel.attributes["function_type"]).value)
    if not function_type.results:
        return
    for caller in functions:
        if not _is_kernel(caller) and name in callees(caller):
            raise UnsupportedError(
                f"kernel @{name} at {place_of(kernel)} returns values to @{_name(caller)}; a "
                "kernel that is launched writes its results to memory"
            )


_FRAME = frozenset({"sym_name", "function_type", "grid", "res_attrs"})
"""Attributes of a kernel that its program states in its own way."""


def _program(kernel: ir.Operation) -> ir.Operation:
    """An empty program with the name, arguments, grid and notes of `kernel`, before it."""
    arguments = list(body_of(kernel).arguments)
    types = [_argument_type(argument.type) for argument in arguments]
    notes = {k: kernel.attributes[k] for k in kernel.attributes if k not in _FRAME}
    program = ir.Operation.create(
        "sdf.program",
        attributes={
            "sym_name": kernel.attributes["sym_name"],
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, [])),
            "grid": ir.DenseI64ArrayAttr.get(_grid(kernel)),
            **notes,
        },
        regions=1,
        loc=kernel.location,
        ip=ir.InsertionPoint(kernel),
    )
    program.regions[0].blocks.append(*types, arg_locs=[a.location for a in arguments])
    return program


def _argument_type(type_: ir.Type) -> ir.Type:
    """The type of an argument: a runtime argument arrives as its value."""
    if str(type_).startswith("!ktdp.runtime_arg"):
        return ir.Type.parse(runtime_arg(type_).value)
    return type_


def _grid(kernel: ir.Operation) -> list[int]:
    if "grid" not in kernel.attributes:
        return [1]
    grid = kernel.attributes["grid"]
    if isinstance(grid, ir.DenseI64ArrayAttr):
        return list(grid)
    sizes = list(grid) if isinstance(grid, ir.ArrayAttr) else []
    if not isinstance(grid, ir.ArrayAttr) or not all(isinstance(s, ir.IntegerAttr) for s in sizes):
        raise UnsupportedError(f"the grid is {grid}; expected integers, such as [4, 8]")
    return [ir.IntegerAttr(size).value for size in sizes]
