"""`linalg` on buffers in other words: loads of whole buffers, the op on tensors, stores of whole
buffers.

Owns which ops they are and their rewriting, so that every level needs to know tensors only. All
operands are loaded before anything is stored, which is what a structured op means on buffers that
are equal or apart.
"""

from __future__ import annotations

from ktir.dialects import load_dialects
from ktir.inside import ops_inside
from ktir.mlir import ir


def has_buffer_ops(op: ir.Operation) -> bool:
    """Whether there is `linalg` on buffers inside `op`."""
    return bool(_buffer_ops(op))


def use_tensors(function: ir.Operation) -> None:
    """Rewrites a function in place."""
    ops = _buffer_ops(function)
    if ops:
        load_dialects(function.context)
    for op in ops:
        with op.location:
            _rewrite(op)


def _buffer_ops(op: ir.Operation) -> list[ir.Operation]:
    return [
        inner
        for inner in ops_inside(op)
        if inner.name.startswith("linalg.")
        and any(isinstance(operand.type, ir.MemRefType) for operand in inner.operands)
    ]


def _rewrite(op: ir.Operation) -> None:
    """Puts the op on tensors in the place of `op`; what it writes are its last operands."""
    here = ir.InsertionPoint(op)
    count = _outputs(op)
    inputs, targets = list(op.operands)[:-count], list(op.operands)[-count:]
    inits = [
        _loaded(target, here) if _is_read(op, count - number) else _empty(target, here)
        for number, target in enumerate(targets)
    ]
    tensors = [*(_loaded(value, here) for value in inputs), *inits]
    new = ir.Operation.create(
        op.name,
        results=[init.type for init in inits],
        operands=tensors,
        attributes={name: op.attributes[name] for name in op.attributes},
        regions=len(op.regions),
        ip=here,
    )
    for old, region in zip(op.regions, new.regions, strict=True):
        for block in list(old.blocks):
            block.append_to(region)
    for result, target in zip(new.results, targets, strict=True):
        ir.Operation.create(
            "bufferization.materialize_in_destination",
            operands=[result, target],
            attributes={"restrict": ir.UnitAttr.get(), "writable": ir.UnitAttr.get()},
            ip=here,
        )
    op.erase()


def _outputs(op: ir.Operation) -> int:
    """How many of the operands are written."""
    if "operandSegmentSizes" in op.attributes:
        return list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))[1]
    return 1


def _is_read(op: ir.Operation, from_end: int) -> bool:
    """Whether what an output holds matters: a body uses the argument that stands for it."""
    arguments = list(op.regions[0].blocks[0].arguments) if len(op.regions) else []
    if len(arguments) < len(op.operands):
        return False
    return next(iter(arguments[-from_end].uses), None) is not None


def _empty(value: ir.Value, here: ir.InsertionPoint) -> ir.Value:
    """A tensor of the sizes of a buffer."""
    tensor = _tensor_of(value)
    sizes = []
    for dim in range(tensor.rank):
        if tensor.is_dynamic_dim(dim):
            index = ir.IntegerAttr.get(ir.IndexType.get(), dim)
            number = ir.Operation.create(
                "arith.constant", results=[index.type], attributes={"value": index}, ip=here
            )
            sizes.append(
                ir.Operation.create(
                    "memref.dim",
                    results=[index.type],
                    operands=[value, number.results[0]],
                    ip=here,
                ).results[0]
            )
    op = ir.Operation.create("tensor.empty", results=[tensor], operands=sizes, ip=here)
    return op.results[0]


def _tensor_of(buffer: ir.Value) -> ir.RankedTensorType:
    type_ = ir.MemRefType(buffer.type)
    return ir.RankedTensorType.get(type_.shape, type_.element_type)


def _loaded(value: ir.Value, here: ir.InsertionPoint) -> ir.Value:
    """A buffer as the tensor that it holds; a scalar as it is."""
    if not isinstance(value.type, ir.MemRefType):
        return value
    op = ir.Operation.create(
        "bufferization.to_tensor",
        results=[_tensor_of(value)],
        operands=[value],
        attributes={"restrict": ir.UnitAttr.get()},
        ip=here,
    )
    return op.results[0]
