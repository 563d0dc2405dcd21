"""The memory views that a kernel makes: of which argument or address, how large, read or written.

Owns following an address to the argument it comes from, and a view to the ops that move data. At
level `sdf` each transfer is a view.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from ktir.index_values import UNKNOWN, AnyOp, Expression, Reader, apply, constant
from ktir.inside import ops_inside
from ktir.machine.sdf_buffers import decode_buffer
from ktir.machine.sdf_transfers import TRANSFERS
from ktir.memory_spaces import memory_of
from ktir.mlir import ir

_VIEW = "ktdp.construct_memory_view"


@dataclasses.dataclass(frozen=True)
class View:
    """A view of device memory, or of a scratchpad.

    `argument`: the number of the argument whose value the address is counted from, None if the
    address is a constant. `offset`: elements from there, or the address itself. `sizes`, `strides`:
    in elements, one a dimension. `element`: the element type as MLIR spells it. `whole`: the shapes
    of the distributed views that it is a part of. `space`: "" for device memory, else whose
    scratchpad it is: `core 3` or `each core`, or a memory space that holds no views.
    """

    argument: int | None
    offset: Expression
    sizes: tuple[Expression, ...]
    strides: tuple[Expression, ...]
    element: str
    read: bool
    written: bool
    whole: tuple[tuple[int, ...], ...]
    space: str
    location: str

    def span(self, given: Mapping[str, int]) -> int | None:
        """Elements from the argument's address to the view's end; None if it cannot be known."""
        offset = self.offset.bounds(given) if self.argument is not None else (0, 0)
        ends = [size.bounds(given) for size in self.sizes]
        steps = [stride.bounds(given) for stride in self.strides]
        if offset is None or None in ends or None in steps:
            return None
        last = sum((e[1] - 1) * s[1] for e, s in zip(ends, steps, strict=True) if e and s)
        return offset[1] + last + 1


def views_of(kernel: ir.Operation, reader: Reader) -> list[View]:
    """The views in a kernel, in program order."""
    ops = [op for op in ops_inside(kernel) if op.name == _VIEW or op.name in TRANSFERS]
    sure = {reader.argument(op.operands[0]) for op in ops} - {None}
    return [_view(op, reader, sure) for op in ops]


def _view(op: ir.Operation, reader: Reader, sure: set[int | None]) -> View:
    root, offset = _root(op.operands[0], reader, sure)
    if op.name == _VIEW:
        sizes, strides = _lists(op, reader, ("sizes", "strides"))
        element = str(ir.MemRefType(op.results[0].type).element_type)
        (read, written), whole = touched(op.results[0]), tuple(_whole_shapes(op.results[0]))
        space = _space(op.attributes["memory_space"])
    else:
        _, sizes, strides, _, core = _lists(
            op, reader, ("offsets", "bounds", "strides", "sizes", "")
        )
        element = decode_buffer(op.attributes[TRANSFERS[op.name]]).type_text
        read, whole = TRANSFERS[op.name] == "dst", ()
        written = not read
        space = f"core {core[0]}" if core else ""
    place = str(op.location)
    return View(root, offset, sizes, strides, element, read, written, whole, space, place)


def _space(attribute: ir.Attribute) -> str:
    """Whose scratchpad a memory space is; "" for device memory."""
    memory = memory_of(attribute)
    if memory is None:
        return str(attribute)
    if not memory.is_scratchpad:
        return ""
    return "each core" if memory.core is None else f"core {memory.core}"


def _lists(op: ir.Operation, reader: Reader, names: Sequence[str]) -> list[tuple[Expression, ...]]:
    """Lists of an op that mix integers and values, in the order of its operands after the first; a
    list without a name has values only, and one that is left out has nothing.
    """
    segments = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))[1:]
    segments += [0] * (len(names) - len(segments))
    values = iter(list(op.operands)[1:])
    dynamic = ir.ShapedType.get_dynamic_size()
    found = []
    for name, count in zip(names, segments, strict=True):
        static = op.attributes.get(f"static_{name}")
        mixed = [dynamic] * count if static is None else ir.DenseI64ArrayAttr(static)
        found.append(
            tuple(reader.read(next(values)) if n == dynamic else constant(n) for n in mixed)
        )
    return found


def _root(value: ir.Value, reader: Reader, sure: set[int | None]) -> tuple[int | None, Expression]:
    """The argument that an address is counted from, and the elements that are added to it.

    Where two arguments are added, the address is the one that a view begins at, else the first.
    """
    number = reader.argument(value)
    if number is not None:
        return number, constant(0)
    if isinstance(value, ir.BlockArgument):
        start = _initial(value)
        return (_root(start, reader, sure)[0] if start is not None else None), UNKNOWN
    op = value.owner
    if op.name == "arith.addi":
        left, right = op.operands
        roots = [
            (_root(side, reader, sure), other) for side, other in ((left, right), (right, left))
        ]
        found = [(root, other) for root, other in roots if root[0] is not None]
        if found:
            (root, offset), other = max(found, key=lambda entry: entry[0][0] in sure)
            return root, apply("add", offset, reader.read(other))
    if op.name == "arith.subi":
        root, offset = _root(op.operands[0], reader, sure)
        return root, apply("sub", offset, reader.read(op.operands[1]))
    return None, reader.read(value)


def _initial(value: ir.BlockArgument) -> ir.Value | None:
    """What a value that a loop carries begins with."""
    loop = value.owner.owner
    if loop.name == "scf.for" and value.arg_number > 0:
        return loop.operands[2 + value.arg_number]
    return None


def touched(view: ir.Value) -> tuple[bool, bool]:
    """Whether what a view or tile names is read, and written, somewhere."""
    read = written = False
    for use in view.uses:
        more = _touched_by(use.owner, use.operand_number)
        read, written = read or more[0], written or more[1]
    return read, written


def _touched_by(op: AnyOp, operand: int) -> tuple[bool, bool]:
    """The same for one use."""
    if op.name in ("ktdp.load", "memref.load"):
        return True, False
    if op.name in ("ktdp.store", "memref.store"):
        return False, True
    if op.name == "ktdp.construct_indirect_access_tile" and operand > 0:
        return True, False  # a view of indices
    if op.name.startswith("ktdp.construct_") or op.name in ("memref.subview", "memref.cast"):
        return touched(op.results[0])
    return (False, False) if op.name == "memref.dim" else (True, True)


def _whole_shapes(view: ir.Value) -> Iterator[tuple[int, ...]]:
    """The static shapes of the distributed views that a view is a part of."""
    for use in view.uses:
        if use.owner.name == "ktdp.construct_distributed_memory_view":
            kind = ir.MemRefType(use.owner.results[0].type)
            if kind.has_static_shape:
                yield tuple(kind.shape)


def row_major(shape: Sequence[int]) -> int:
    """Elements of a shape."""
    total = 1
    for extent in shape:
        total *= extent
    return total
