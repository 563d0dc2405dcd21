"""IR facts as plain data: what planners decide from.

Owns the reading of structured ops: loops, maps, operand and result shapes. Planners are pure
functions of these facts, so nothing here refers to an op after it has been read. What follows from
them about the kernel as a whole is in `ktir.passes.dimensions`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ktir.errors import UnsupportedError
from ktir.locations import source_of
from ktir.mlir import ir
from ktir.passes.contraction import is_contraction
from ktir.passes.ir_utils import body_of, defining_op, element_type, is_tensor, shape_of


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
        """The value with an id."""
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
        """The id of `value`, a new one if it has none yet."""
        if value not in self._ids:
            self._ids[value] = len(self.values)
            facts = ValueFacts(len(self.values), shape_of(value), str(element_type(value)))
            self.values.append(facts)
        return self._ids[value]


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


def iterators_of(op: ir.Operation) -> list[str]:
    """ "parallel" or "reduction" for each loop of a linalg.generic."""
    kinds = ir.ArrayAttr(op.attributes["iterator_types"])
    return ["reduction" if "reduction" in str(kind) else "parallel" for kind in kinds]


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


def read_generic(op: ir.Operation, numbering: Numbering) -> OpFacts:
    """Facts of one linalg.generic."""
    inputs, outputs = split_generic_operands(op)
    maps = [map_loops(attribute) for attribute in ir.ArrayAttr(op.attributes["indexing_maps"])]
    count = ir.AffineMapAttr(ir.ArrayAttr(op.attributes["indexing_maps"])[0]).value.n_dims
    extents = [1] * count
    for value, loops in zip([*inputs, *outputs], maps, strict=True):
        if not is_tensor(value):
            continue
        for extent, loop in zip(shape_of(value), loops, strict=True):
            if loop is not None:
                extents[loop] = extent
    extracts = extracts_of(op)
    iterators = iterators_of(op)
    tensors = [(v, m) for v, m in zip(inputs, maps[: len(inputs)], strict=True) if is_tensor(v)]
    return OpFacts(
        name=op.name,
        location=source_of(str(op.location)),
        extents=tuple(extents),
        reductions=frozenset(i for i, kind in enumerate(iterators) if kind == "reduction"),
        inputs=tuple(numbering.id(value) for value, _ in tensors),
        outputs=tuple(None if is_initial(value) else numbering.id(value) for value in outputs),
        results=tuple(numbering.id(value) for value in op.results),
        input_loops=tuple(loops for _, loops in tensors),
        output_loops=tuple(maps[len(inputs) :]),
        captured=tuple(numbering.id(extract.operands[0]) for extract in extracts),
        captured_loops=tuple(_plain_loops(extract) for extract in extracts),
        contraction=is_contraction(body_of(op), maps, iterators),
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
    shape = shape_of(op.results[0])
    loops = tuple(range(len(shape)))
    inputs = () if op.name == "linalg.fill" else (numbering.id(op.operands[0]),)
    return OpFacts(
        name=op.name,
        location=source_of(str(op.location)),
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


def reduction_tile(kernel: ir.Operation) -> int | None:
    """The size of the pieces that a `plan.kernel` cuts its contraction's reduction into; None where
    it is whole.
    """
    if "reduction_tile" not in kernel.attributes:
        return None
    return ir.IntegerAttr(kernel.attributes["reduction_tile"]).value


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
