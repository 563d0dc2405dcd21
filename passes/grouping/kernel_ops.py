"""Making `plan.kernel` and `plan.relayout`, at the current insertion point."""

from __future__ import annotations

from ktir.mlir import ir
from ktir.passes.ir_utils import body_of, i64_array, shape_of


def kernel_op(
    attributes: dict[str, ir.Attribute],
    operands: list[ir.Value],
    results: list[ir.Type],
    location: ir.Location,
) -> ir.Operation:
    """An empty `plan.kernel` at the current insertion point, with a block argument for each
    operand.
    """
    kernel = ir.Operation.create(
        "plan.kernel",
        results=results,
        operands=operands,
        attributes=attributes,
        regions=1,
        loc=location,
    )
    kernel.regions[0].blocks.append(
        *[value.type for value in operands], arg_locs=[location] * len(operands)
    )
    return kernel


def copy_kernel(value: ir.Value, location: ir.Location, layout: str) -> ir.Operation:
    """A `plan.kernel` around a `plan.relayout` of `value`, at the current insertion point."""
    shape = shape_of(value)
    attributes = {
        "kernel_name": ir.StringAttr.get("copy"),
        "split": i64_array([1] * len(shape)),
        "tile": i64_array(shape),
    }
    kernel = kernel_op(attributes, [value], [value.type], location)
    block = body_of(kernel)
    with ir.InsertionPoint(block), location:
        moved = relayout_op(block.arguments[0], layout)
        ir.Operation.create("plan.yield", operands=[moved.results[0]])
    return kernel


def relayout_op(value: ir.Value, layout: str) -> ir.Operation:
    """A `plan.relayout` of `value` at the current insertion point."""
    return ir.Operation.create(
        "plan.relayout",
        results=[value.type],
        operands=[value],
        attributes={"layout": ir.Attribute.parse(f"#plan.layout<{layout}>")},
    )
