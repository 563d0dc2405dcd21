"""The host function: buffers in device memory, copies in and out, launches in order."""

from __future__ import annotations

from ktir.layout import element_bytes
from ktir.mlir import ir
from ktir.passes.device_memory import Buffer, Placement, Placements, dense_strides
from ktir.passes.ir_utils import body_of, element_type, shape_of


def emit_host(function: ir.Operation, placements: Placements) -> None:
    """Replaces `function`, on tensors, by one on memrefs in device memory, and adapts the kernels'
    declarations.
    """
    _Host(function, placements).run()


def memref_type(
    shape: tuple[int, ...], element: ir.Type, strides: tuple[int, ...], offset: int = 0
) -> ir.Type:
    """A memref type; without a layout where it is row-major and dense."""
    if offset == 0 and strides == dense_strides(shape):
        return ir.MemRefType.get(list(shape), element)
    return ir.MemRefType.get(list(shape), element, ir.StridedLayoutAttr.get(offset, list(strides)))


class _Host:
    """Builds the new host function beside the old one."""

    def __init__(self, function: ir.Operation, placements: Placements) -> None:
        self._function = function
        self._old = body_of(function)
        self._placements = placements
        self._memrefs: dict[str, ir.Value] = {}
        self._index = ir.IndexType.get()

    def run(self) -> None:
        ops = [op.operation for op in self._old]
        arguments = list(self._old.arguments)
        returned = list(ops[-1].operands)
        inputs = [_host_type(value) for value in arguments]
        outputs = [_host_type(value) for value in returned]
        new = self._new_function(inputs, outputs)
        with ir.InsertionPoint(body_of(new)):
            for buffer in self._placements.buffers:
                self._allocate(buffer)
            for old, argument in zip(arguments, body_of(new).arguments, strict=True):
                _copy(argument, self._memrefs[self._placements.of(old).buffer.name])
            for op in ops:
                if op.name == "func.call":
                    self._launch(op)
            results = [self._download(value) for value in returned]
            ir.Operation.create("func.return", operands=results, loc=ops[-1].location)
        self._declare([op for op in ops if op.name == "func.call"])
        self._function.erase()

    def _new_function(self, inputs: list[ir.Type], outputs: list[ir.Type]) -> ir.Operation:
        old = self._function.attributes
        attributes = {name: old[name] for name in old}
        attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, outputs))
        new = ir.Operation.create(
            "func.func",
            attributes=attributes,
            regions=1,
            loc=self._function.location,
            ip=ir.InsertionPoint(self._function),
        )
        locations = [argument.location for argument in self._old.arguments]
        new.regions[0].blocks.append(*inputs, arg_locs=locations)
        return new

    def _allocate(self, buffer: Buffer) -> None:
        i64 = ir.IntegerType.get_signless(64)
        element = ir.Type.parse(buffer.element)
        op = ir.Operation.create(
            "memref.alloc",
            results=[memref_type(buffer.shape, element, buffer.strides)],
            attributes={
                "address": ir.IntegerAttr.get(i64, buffer.address),
                "bytes": ir.IntegerAttr.get(i64, buffer.bytes),
                "name": ir.StringAttr.get(buffer.name),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0]),
            },
        )
        self._memrefs[buffer.name] = op.results[0]

    def _launch(self, call: ir.Operation) -> None:
        """Calls the kernel with the address, in elements, of each operand, then of each result."""
        with call.location:
            pointers = [
                self._pointer(self._placements.of(value))
                for value in (*call.operands, *call.results)
            ]
            ir.Operation.create(
                "func.call", operands=pointers, attributes={"callee": call.attributes["callee"]}
            )

    def _pointer(self, placement: Placement) -> ir.Value:
        base = ir.Operation.create(
            "memref.extract_aligned_pointer_as_index",
            results=[self._index],
            operands=[self._memrefs[placement.buffer.name]],
        ).results[0]
        width = self._constant(element_bytes(placement.buffer.element))
        pointer = self._arith("arith.divui", base, width)
        if placement.offset:
            pointer = self._arith("arith.addi", pointer, self._constant(placement.offset))
        return pointer

    def _arith(self, name: str, a: ir.Value, b: ir.Value) -> ir.Value:
        return ir.Operation.create(name, results=[self._index], operands=[a, b]).results[0]

    def _constant(self, value: int) -> ir.Value:
        attribute = ir.IntegerAttr.get(self._index, value)
        return ir.Operation.create(
            "arith.constant", results=[self._index], attributes={"value": attribute}
        ).results[0]

    def _download(self, value: ir.Value) -> ir.Value:
        """A host memref with the contents of a device view."""
        placement = self._placements.of(value)
        host = ir.Operation.create(
            "memref.alloc",
            results=[_host_type(value)],
            attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0])},
        ).results[0]
        _copy(self._view(placement), host)
        return host

    def _view(self, placement: Placement) -> ir.Value:
        buffer = placement.buffer
        whole = self._memrefs[buffer.name]
        if (placement.offset, placement.shape, placement.strides) == (
            0,
            buffer.shape,
            buffer.strides,
        ):
            return whole
        element = ir.Type.parse(buffer.element)
        strided = ir.StridedLayoutAttr.get(placement.offset, list(placement.strides))
        return ir.Operation.create(
            "memref.reinterpret_cast",
            results=[ir.MemRefType.get(list(placement.shape), element, strided)],
            operands=[whole],
            attributes={
                "static_offsets": ir.DenseI64ArrayAttr.get([placement.offset]),
                "static_sizes": ir.DenseI64ArrayAttr.get(list(placement.shape)),
                "static_strides": ir.DenseI64ArrayAttr.get(list(placement.strides)),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
            },
        ).results[0]

    def _declare(self, calls: list[ir.Operation]) -> None:
        """Kernels take one index a tensor and return nothing."""
        wanted = {
            ir.FlatSymbolRefAttr(call.attributes["callee"]).value: len(call.operands)
            + len(call.results)
            for call in calls
        }
        module = self._function.parent
        assert module is not None
        for op in body_of(module):
            inner = op.operation
            name = ir.StringAttr(inner.attributes["sym_name"]).value
            if name in wanted:
                inner.attributes["function_type"] = ir.TypeAttr.get(
                    ir.FunctionType.get([self._index] * wanted[name], [])
                )


def _host_type(value: ir.Value) -> ir.Type:
    """A dense memref of the tensor's shape, in host memory."""
    return ir.MemRefType.get(list(shape_of(value)), element_type(value))


def _copy(source: ir.Value, target: ir.Value) -> None:
    ir.Operation.create("memref.copy", operands=[source, target])
