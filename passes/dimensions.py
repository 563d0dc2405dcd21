"""The dimensions of a kernel: which loops and tensor dimensions move together.

Owns the grouping that says what may be cut, in which units, and what a core holds of a tensor when
it is. It is a pure function of `ktir.passes.facts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ktir.layout import padded_bytes, stick_elements
from ktir.passes.facts import KernelFacts, OpFacts, ValueFacts


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
