"""Small helpers for building and walking IR from Python that several stages need."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ktir.mlir import ir


def functions_of(module: ir.Operation) -> Iterator[ir.Operation]:
    """Every `func.func` with a body, in nested modules too."""
    for region in module.regions:
        for block in region:
            for op in block:
                inner = op.operation
                if inner.name == "func.func" and len(inner.regions[0].blocks) > 0:
                    yield inner
                elif inner.name == "builtin.module":
                    yield from functions_of(inner)


def body_of(function: ir.Operation) -> ir.Block:
    """The single block of a function or module-like op."""
    return function.regions[0].blocks[0]


def defining_op(value: ir.Value) -> ir.Operation | None:
    """The op that makes `value`; None for a block argument."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def remap(op: ir.Operation, mapping: dict[ir.Value, ir.Value]) -> None:
    """Replaces operands of `op`, and of everything nested in it, by what `mapping` says."""
    for index, operand in enumerate(op.operands):
        if operand in mapping:
            op.operands[index] = mapping[operand]
    for region in op.regions:
        for block in region:
            for inner in block:
                remap(inner.operation, mapping)


def nested_operands(op: ir.Operation) -> Iterator[ir.Value]:
    """Operands of `op` and of everything nested in it."""
    yield from op.operands
    for region in op.regions:
        for block in region:
            for inner in block:
                yield from nested_operands(inner.operation)


def clone_into(
    op: ir.Operation, mapping: dict[ir.Value, ir.Value], ip: ir.InsertionPoint
) -> ir.Operation:
    """Clones `op` at `ip` with operands remapped, and records its results in `mapping`."""
    clone = op.clone(ip=ip).operation
    remap(clone, mapping)
    for old, new in zip(op.results, clone.results, strict=True):
        mapping[old] = new
    return clone


def i64_array(values: list[int] | tuple[int, ...]) -> ir.Attribute:
    return ir.DenseI64ArrayAttr.get(list(values))


def i64_list(op: ir.Operation, name: str) -> list[int]:
    """The integers of the dense i64 array attribute `name` of `op`."""
    return list(ir.DenseI64ArrayAttr(op.attributes[name]))


def location_text(location: ir.Location) -> str:
    """The innermost file, line and column of a location; its full text if it has none."""
    text = str(location)
    found = re.search(r'"([^"]+)":(\d+):(\d+)', text)
    return ":".join(found.groups()) if found else text.removeprefix("loc(").removesuffix(")")


def node_name(location: ir.Location) -> str | None:
    """The first name of the model's graph in a location, fit for a symbol; None without one."""
    found = re.search(r'"([A-Za-z_]\w*)"\(', str(location))
    return found.group(1) if found else None
