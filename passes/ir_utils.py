"""Small helpers for walking, reading and cloning IR from Python that several stages need.

Making structured ops is in `ktir.passes.structured`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from ktir.locations import source_of
from ktir.mlir import ir

AnyOp = ir.Operation | ir.OpView
"""An op as the bindings give it: what walks a block gets views, what looks up an owner does not."""


def functions_of(module: ir.Operation) -> Iterator[ir.Operation]:
    """Every `func.func` with a body, in nested modules too."""
    for region in module.regions:
        for block in region:
            for op in list(block):
                inner = op.operation
                if inner.name == "func.func" and len(inner.regions[0].blocks) > 0:
                    yield inner
                elif inner.name == "builtin.module":
                    yield from functions_of(inner)


def body_of(function: ir.Operation) -> ir.Block:
    """The single block of a function or module-like op."""
    return function.regions[0].blocks[0]


def terminator(block: ir.Block) -> ir.Operation:
    """The last op of `block`."""
    return block.operations[len(block.operations) - 1].operation


def defining_op(value: ir.Value) -> ir.Operation | None:
    """The op that makes `value`; None for a block argument."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def is_tensor(value: ir.Value) -> bool:
    """Whether `value` is a ranked tensor."""
    return isinstance(value.type, ir.RankedTensorType)


def shape_of(value: ir.Value) -> tuple[int, ...]:
    """The extents of a tensor value; () for a scalar."""
    return tuple(value.type.shape) if isinstance(value.type, ir.RankedTensorType) else ()


def element_type(value: ir.Value) -> ir.Type:
    """The element type of a tensor value; the type itself of a scalar."""
    return value.type.element_type if isinstance(value.type, ir.RankedTensorType) else value.type


def identity_map(rank: int) -> ir.AffineMap:
    """`(d0, .., dn) -> (d0, .., dn)` with `rank` dimensions."""
    return ir.AffineMap.get_identity(rank)


def remap(op: ir.Operation, mapping: Mapping[Any, ir.Value]) -> None:
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
    op: AnyOp,
    mapping: MutableMapping[Any, ir.Value],
    ip: ir.InsertionPoint | None = None,
) -> ir.Operation:
    """Clones `op` at `ip`, or at the current insertion point, with operands remapped, and records
    its results in `mapping`.
    """
    clone = op.operation.clone(ip=ip).operation
    remap(clone, mapping)
    for old, new in zip(op.results, clone.results, strict=True):
        mapping[old] = new
    return clone


def i64_array(values: Sequence[int]) -> ir.Attribute:
    """A dense i64 array attribute."""
    return ir.DenseI64ArrayAttr.get(list(values))


def i64_list(op: AnyOp, name: str) -> list[int]:
    """The integers of the dense i64 array attribute `name` of `op`."""
    return list(ir.DenseI64ArrayAttr(op.attributes[name]))


def place_of(op: AnyOp) -> str:
    """The model's line that `op` comes from, with the names around it, as errors state it."""
    return source_of(str(op.operation.location)) or "an unknown place"


_NODE = re.compile(r'"([A-Za-z_]\w*)"\(')
_NODES = re.compile(rf'(?<!"\(){_NODE.pattern}')


def node_name(location: ir.Location) -> str | None:
    """The first name of the model's graph in a location, fit for a symbol; None without one."""
    found = _NODE.search(str(location))
    return found.group(1) if found else None


def node_names(location: ir.Location) -> frozenset[str]:
    """Every node of the model's graph in a location, which may be of several; modules stand behind
    their nodes and are left out.
    """
    return frozenset(_NODES.findall(str(location)))
