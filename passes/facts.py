"""IR facts as plain data: what planners decide from.

Owns the reading of structured ops (loops, maps, operand and result shapes) and the grouping of
their loops into the *dimensions* of a kernel. Planners are pure functions of these facts, so
nothing here refers to an op after it has been read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from ktir.errors import UnsupportedError
from ktir.layout import padded_bytes, stick_elements
from ktir.mlir import ir
from ktir.passes.ir_utils import defining_op, location_text


@dataclasses.dataclass(frozen=True)
class ValueFacts:
    """A tensor value: an id unique in its kernel, its shape and the spelling of its element type
    (`f16`).
    """

    id: int
    shape: tuple[int, ...]
    element: str


@dataclasses.dataclass(frozen=True)
class OpFacts:
    """One structured op: its loops, and for each operand and result the loop of each of its
    dimensions (None: constant).

    An output that starts empty or filled with one value is None: it is shared freely and connects
    nothing.
    """

    name: str
    location: str
    extents: tuple[int, ...]
    reductions: frozenset[int]
    inputs: tuple[int, ...]
    outputs: tuple[int | None, ...]
    results: tuple[int, ...]
    input_loops: tuple[tuple[int | None, ...], ...]
    output_loops: tuple[tuple[int | None, ...], ...]
    captured: tuple[int, ...]
    captured_loops: tuple[tuple[int | None, ...], ...]
    contraction: bool

    @property
    def gather(self) -> bool:
        """Whether the op reads a tensor at computed coordinates (`tensor.extract` in its body)."""
        return bool(self.captured)


@dataclasses.dataclass(frozen=True)
class KernelFacts:
    """The ops of one kernel in program order, the values they touch, operands and results."""

    name: str
    values: tuple[ValueFacts, ...]
    operands: tuple[int, ...]
    results: tuple[int, ...]
    ops: tuple[OpFacts, ...]

    def value(self, identity: int) -> ValueFacts:
        return self.values[identity]

    @property
    def loaded(self) -> tuple[int, ...]:
        """The operands that are loaded as tiles: all but tables, where a gather picks elements."""
        tables = {value for op in self.ops for value in op.captured}
        return tuple(value for value in self.operands if value not in tables)

    @property
    def first_result(self) -> ValueFacts:
        """The result whose dimensions `split` and `tile` refer to."""
        return self.values[self.results[0]]


class Numbering:
    """Gives every SSA tensor value met while reading a kernel an id."""

    def __init__(self) -> None:
        self._ids: dict[ir.Value, int] = {}
        self.values: list[ValueFacts] = []

    def id(self, value: ir.Value) -> int:
        if value not in self._ids:
            shape, element = shape_and_element(value)
            self._ids[value] = len(self.values)
            self.values.append(ValueFacts(len(self.values), shape, element))
        return self._ids[value]


def shape_and_element(value: ir.Value) -> tuple[tuple[int, ...], str]:
    """The static shape and element type spelling of a tensor value."""
    tensor = ir.RankedTensorType(value.type)
    return tuple(tensor.shape), str(tensor.element_type)


def is_tensor(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


def map_loops(attribute: ir.Attribute) -> tuple[int | None, ...]:
    """The loop that each result of a projected permutation names; None for a constant result."""
    loops: list[int | None] = []
    for expression in ir.AffineMapAttr(attribute).value.results:
        if isinstance(expression, ir.AffineDimExpr):
            loops.append(expression.position)
        elif isinstance(expression, ir.AffineConstantExpr):
            loops.append(None)
        else:
            raise UnsupportedError(
                f"the indexing map {attribute} is not a projected permutation: kernels are formed "
                "from ops that read each operand at plain loop indices"
            )
    return tuple(loops)


def reduction_loops(op: ir.Operation) -> frozenset[int]:
    kinds = ir.ArrayAttr(op.attributes["iterator_types"])
    return frozenset(i for i, kind in enumerate(kinds) if "reduction" in str(kind))


def split_generic_operands(op: ir.Operation) -> tuple[list[ir.Value], list[ir.Value]]:
    """The `ins` and the `outs` of a linalg.generic."""
    number = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0]
    operands = list(op.operands)
    return operands[:number], operands[number:]


def extracts_of(op: ir.Operation) -> list[ir.Operation]:
    """The ops of the body of `op` that read a tensor at computed coordinates."""
    return [
        inner.operation
        for region in op.regions
        for block in region
        for inner in block
        if inner.operation.name == "tensor.extract"
    ]


def _plain_loops(extract: ir.Operation) -> tuple[int | None, ...]:
    """For each coordinate of a `tensor.extract` the loop that it is; None if it is computed."""
    loops: list[int | None] = []
    for index in list(extract.operands)[1:]:
        owner = defining_op(index)
        plain = owner is not None and owner.name == "linalg.index"
        loops.append(ir.IntegerAttr(owner.attributes["dim"]).value if owner and plain else None)
    return tuple(loops)


def is_contraction(op: ir.Operation) -> bool:
    """Whether the generic multiplies two inputs and adds over a reduction, with casts only in
    between.
    """
    maps = [map_loops(attribute) for attribute in ir.ArrayAttr(op.attributes["indexing_maps"])]
    if len(maps) != 3 or not reduction_loops(op) or len(set(maps)) != 3:
        return False
    names = [inner.operation.name for inner in op.regions[0].blocks[0]]
    casts = {"arith.extf", "arith.extsi", "arith.truncf", "linalg.yield"}
    work = [name for name in names if name not in casts]
    return work in (["arith.mulf", "arith.addf"], ["arith.muli", "arith.addi"])


def read_generic(op: ir.Operation, numbering: Numbering) -> OpFacts:
    """Facts of one linalg.generic."""
    inputs, outputs = split_generic_operands(op)
    maps = [map_loops(attribute) for attribute in ir.ArrayAttr(op.attributes["indexing_maps"])]
    count = ir.AffineMapAttr(ir.ArrayAttr(op.attributes["indexing_maps"])[0]).value.n_dims
    extents = [1] * count
    for value, loops in zip([*inputs, *outputs], maps, strict=True):
        if not is_tensor(value):
            continue
        for extent, loop in zip(shape_and_element(value)[0], loops, strict=True):
            if loop is not None:
                extents[loop] = extent
    extracts = extracts_of(op)
    tensors = [(v, m) for v, m in zip(inputs, maps[: len(inputs)], strict=True) if is_tensor(v)]
    return OpFacts(
        name=op.name,
        location=location_text(op.location),
        extents=tuple(extents),
        reductions=reduction_loops(op),
        inputs=tuple(numbering.id(value) for value, _ in tensors),
        outputs=tuple(None if is_initial(value) else numbering.id(value) for value in outputs),
        results=tuple(numbering.id(value) for value in op.results),
        input_loops=tuple(loops for _, loops in tensors),
        output_loops=tuple(maps[len(inputs) :]),
        captured=tuple(numbering.id(extract.operands[0]) for extract in extracts),
        captured_loops=tuple(_plain_loops(extract) for extract in extracts),
        contraction=is_contraction(op),
    )


def is_initial(value: ir.Value) -> bool:
    """Whether the value is empty or filled with one scalar."""
    owner = defining_op(value)
    return owner is not None and owner.name in ("tensor.empty", "linalg.fill")


def fills_only_outputs(op: ir.Operation) -> bool:
    """Whether every use of a `linalg.fill` is an initial value of a structured op."""
    for use in op.results[0].uses:
        user = use.owner.operation
        if user.name != "linalg.generic":
            return False
        if use.operand_number < ir.DenseI32ArrayAttr(user.attributes["operandSegmentSizes"])[0]:
            return False
    return True


def read_identity(op: ir.Operation, numbering: Numbering) -> OpFacts:
    """Facts of a fill, or of an op that passes its operand on element by element."""
    shape, _ = shape_and_element(op.results[0])
    loops = tuple(range(len(shape)))
    inputs = () if op.name == "linalg.fill" else (numbering.id(op.operands[0]),)
    return OpFacts(
        name=op.name,
        location=location_text(op.location),
        extents=shape,
        reductions=frozenset(),
        inputs=inputs,
        outputs=(None,),
        results=(numbering.id(op.results[0]),),
        input_loops=tuple(loops for _ in inputs),
        output_loops=(loops,),
        captured=(),
        captured_loops=(),
        contraction=False,
    )


IDENTITIES = ("plan.relayout", "plan.restickify", "plan.keep")
"""Ops of the plan dialect that pass their operand's values on unchanged."""


def read_op(op: ir.Operation, numbering: Numbering) -> OpFacts | None:
    """Facts of a compute op; None for one that computes nothing of its own (empties, initial
    fills, constants, terminators).
    """
    if op.name == "linalg.generic":
        return read_generic(op, numbering)
    if op.name in IDENTITIES or (op.name == "linalg.fill" and not fills_only_outputs(op)):
        return read_identity(op, numbering)
    return None


def read_kernel(kernel: ir.Operation) -> KernelFacts:
    """Facts of a `plan.kernel` op."""
    numbering = Numbering()
    block = kernel.regions[0].blocks[0]
    operands = tuple(numbering.id(argument) for argument in block.arguments)
    ops: list[OpFacts] = []
    results: tuple[int, ...] = ()
    for op in block:
        if op.operation.name == "plan.yield":
            results = tuple(numbering.id(value) for value in op.operands)
            continue
        facts = read_op(op.operation, numbering)
        if facts is not None:
            ops.append(facts)
    name = ir.StringAttr(kernel.attributes["kernel_name"]).value
    return KernelFacts(name, tuple(numbering.values), operands, results, tuple(ops))


class Dimensions:
    """The dimensions of a kernel: classes of loops and tensor dimensions that move together.

    A loop of an op and a dimension of a value are of one class if an indexing map connects them.
    `classes` numbers them in the order in which the first result's dimensions, then the ops'
    loops, name them.
    """

    def __init__(self, kernel: KernelFacts) -> None:
        self._kernel = kernel
        self._parent: dict[tuple[str, int, int], tuple[str, int, int]] = {}
        for index, op in enumerate(kernel.ops):
            for value, loops in self._accesses(op):
                for dim, loop in enumerate(loops):
                    if loop is not None:
                        self._union(("loop", index, loop), ("dim", value, dim))
        self._result_dims = {
            self.class_of_dim(kernel.first_result.id, dim): dim
            for dim in reversed(range(len(kernel.first_result.shape)))
        }
        self.units = tuple(self._unit(dim) for dim in range(len(kernel.first_result.shape)))
        """Elements of each dimension of the first result that must stay together: a stick, if it is
        the last dimension of a tensor in device memory, that is of an operand or a result."""
        self.obstacles = tuple(self._obstacle(dim) for dim in range(len(kernel.first_result.shape)))
        """For each dimension of the first result, why it cannot be cut; None where it can."""
        self.cuttable = tuple(obstacle is None for obstacle in self.obstacles)

    @staticmethod
    def _accesses(op: OpFacts) -> Iterator[tuple[int, tuple[int | None, ...]]]:
        yield from zip(op.inputs, op.input_loops, strict=True)
        yield from zip(op.captured, op.captured_loops, strict=True)
        for value, loops in zip(op.outputs, op.output_loops, strict=True):
            if value is not None:
                yield value, loops
        yield from zip(op.results, op.output_loops, strict=True)

    def _find(self, item: tuple[str, int, int]) -> tuple[str, int, int]:
        while (parent := self._parent.get(item, item)) != item:
            item = parent
        return item

    def _union(self, a: tuple[str, int, int], b: tuple[str, int, int]) -> None:
        root_a, root_b = self._find(a), self._find(b)
        if root_a != root_b:
            self._parent[root_b] = root_a

    def class_of_dim(self, value: int, dim: int) -> tuple[str, int, int]:
        """The class of dimension `dim` of `value`."""
        return self._find(("dim", value, dim))

    def class_of_loop(self, op: int, loop: int) -> tuple[str, int, int]:
        """The class of loop `loop` of the op at index `op`."""
        return self._find(("loop", op, loop))

    def result_dim(self, value: int, dim: int) -> int | None:
        """The first result's dimension of the same class as dimension `dim` of `value`, if there
        is one.
        """
        return self._result_dims.get(self.class_of_dim(value, dim))

    def contraction_class(self) -> tuple[str, int, int] | None:
        """The class of the innermost reduction loop of the kernel's contraction, if it has one."""
        for index, op in enumerate(self._kernel.ops):
            if op.contraction:
                return self.class_of_loop(index, max(op.reductions))
        return None

    def _obstacle(self, dim: int) -> str | None:
        """A dimension can be cut if every op computes it in parallel, exactly once, and every
        result has it.
        """
        kernel = self._kernel
        wanted = self.class_of_dim(kernel.first_result.id, dim)
        for index, op in enumerate(kernel.ops):
            loops = [i for i in range(len(op.extents)) if self.class_of_loop(index, i) == wanted]
            if any(loop in op.reductions for loop in loops):
                return f"it is reduced by {op.name} at {op.location}"
            if len(loops) != 1:
                return f"it runs along {len(loops)} loops of {op.name} at {op.location}"
        for number, value in enumerate(kernel.results):
            if self._dims_of(value, wanted) != 1:
                return f"result {number} lacks it, so several cores would store the same elements"
        if any(self._dims_of(value.id, wanted) > 1 for value in kernel.values):
            return "one tensor has it twice"
        return None

    def _unit(self, dim: int) -> int:
        unit = 1
        for identity in {*self._kernel.operands, *self._kernel.results}:
            value = self._kernel.value(identity)
            last = len(value.shape) - 1
            if last >= 0 and self.result_dim(identity, last) == dim:
                unit = max(unit, stick_elements(value.element))
        return unit

    def _dims_of(self, value: int, wanted: tuple[str, int, int]) -> int:
        shape = self._kernel.value(value).shape
        return sum(self.class_of_dim(value, dim) == wanted for dim in range(len(shape)))


def tile_shape(
    value: ValueFacts, dimensions: Dimensions, tile: Sequence[int], reduction_tile: int | None
) -> tuple[int, ...]:
    """The shape of the piece of `value` that one core holds at a time."""
    shape = list(value.shape)
    reduced = dimensions.contraction_class() if reduction_tile is not None else None
    for dim in range(len(shape)):
        result_dim = dimensions.result_dim(value.id, dim)
        if result_dim is not None:
            shape[dim] = min(tile[result_dim], shape[dim]) if shape[dim] != 1 else 1
        elif reduced is not None and dimensions.class_of_dim(value.id, dim) == reduced:
            assert reduction_tile is not None
            shape[dim] = min(reduction_tile, shape[dim])
    return tuple(shape)


def tile_bytes(
    value: ValueFacts, dimensions: Dimensions, tile: Sequence[int], reduction_tile: int | None
) -> int:
    """Scratchpad bytes of the piece of `value` that one core holds at a time."""
    return padded_bytes(tile_shape(value, dimensions, tile, reduction_tile), value.element)


def kernels_of(module: ir.Operation) -> Iterable[ir.Operation]:
    """Every `plan.kernel` of the module, in order. The wrappers must not outlive a pass that runs
    on the module.
    """
    for region in module.regions:
        for block in region:
            for op in block:
                if op.operation.name == "plan.kernel":
                    yield op.operation
                else:
                    yield from kernels_of(op.operation)
