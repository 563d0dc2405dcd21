"""What the kernels of a file take: names, roles, shapes, dtypes and strides of their arguments.

Owns the inference from the views that a kernel makes of its arguments and of constant addresses,
and how it reads as a table. What an address or a size is made of is in `ktir.index_values`, views
are in `ktir.views`.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ktir.index_values import Expression, Reader, constant
from ktir.kernel_files import read_kernels
from ktir.locations import short_source
from ktir.machine.kernel import choose_kernel
from ktir.machine.ktdp_ops import runtime_arg
from ktir.machine.launch import is_kernel, kernel_grid, kernels_of
from ktir.machine.values import names_of_arguments
from ktir.mlir import ir
from ktir.passes.lowering.calls import inline_calls
from ktir.tables import plain
from ktir.views import View, row_major, views_of

IN, OUT, BOTH = "in", "out", "in-out"
SCALAR = "scalar"

_TITLES = ("argument", "role", "type", "shape", "strides", "promises", "line")


@dataclasses.dataclass(frozen=True)
class Shape:
    """The shape of an array, which may depend on scalar arguments.

    `extents`: of the largest view from the array's first element on. `wholes`: shapes of the
    distributed views that it is part of. `views`: all views, which the array must hold.
    """

    extents: tuple[Expression, ...]
    strides: tuple[Expression, ...]
    wholes: tuple[tuple[int, ...], ...]
    views: tuple[View, ...]

    def known(self, given: Mapping[str, int]) -> tuple[int, ...] | None:
        """The shape of an array that holds all views, for these scalars; None if unknown.

        That of the largest view with what its strides leave between rows, or of a distributed view,
        if it holds all views; else one dimension of as many elements as they span. `given`: scalar
        arguments by name.
        """
        return self._static or self._known(given)

    @functools.cached_property
    def _static(self) -> tuple[int, ...] | None:
        """The shape if it depends on no scalar."""
        return self._known({})

    def _known(self, given: Mapping[str, int]) -> tuple[int, ...] | None:
        spans = [view.span(given) for view in self.views]
        known = [span for span in spans if span is not None]
        if len(known) < len(spans):
            return None
        needed = max(known)
        stored = self._stored(given)
        fitting = [shape for shape in self.wholes if row_major(shape) == needed]
        if stored is not None and 0 <= row_major(stored) - needed < row_major(stored[1:]):
            fitting.append(stored)
        return max(fitting, key=len) if fitting else (needed,)

    def _stored(self, given: Mapping[str, int]) -> tuple[int, ...] | None:
        """The row-major shape whose strides are those of the largest view, if there is one."""
        sizes = [extent.known(given) for extent in self.extents]
        strides = [stride.known(given) for stride in self.strides]
        exact = [n for n in strides if n is not None]
        if not sizes or sizes[0] is None or len(exact) < len(strides) or exact[-1] != 1:
            return None
        inner = []
        for size, (outer, step) in zip(sizes[1:], itertools.pairwise(exact), strict=True):
            if size is None or step < 1 or outer % step or outer // step < size:
                # A dimension of one element may have any stride; it takes no room of its own.
                return None if size != 1 else tuple(n for n in sizes if n is not None)
            inner.append(outer // step)
        return (sizes[0], *inner)

    def __str__(self) -> str:
        known = self.known({})
        if known is not None:
            return "x".join(map(str, known))
        return " x ".join(_factor(extent) for extent in self.extents)


@dataclasses.dataclass(frozen=True)
class Argument:
    """An argument of a kernel, or an array at a constant address.

    `name`: the file's own, or the address. `role`: `in`, `out` or `in-out` of an array, else
    `scalar`. `kind`: the MLIR type of the value, that of its elements for an array. `promises`:
    of a runtime argument. `used`: false if the kernel does nothing with it, so that it may be
    either.
    """

    name: str | int
    role: str
    kind: str
    shape: Shape | None
    promises: Mapping[str, int]
    location: str
    used: bool = True

    @property
    def is_array(self) -> bool:
        """Whether it is an array in device memory."""
        return self.shape is not None

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        known = self.shape.known({}) if self.shape else None
        return {
            "name": self.name,
            "role": self.role,
            "type": self.kind,
            "shape": list(known) if known else str(self.shape) if self.shape else None,
            "strides": [_plain(s) for s in self.shape.strides] if self.shape else None,
            "promises": dict(self.promises),
            "source": short_source(self.location),
        }

    def cells(self) -> tuple[str, ...]:
        """Its row in a table."""
        strides = ", ".join(map(str, self.shape.strides)) if self.shape else ""
        kept = ", ".join(f"{word} {number}" for word, number in self.promises.items())
        name = f"at {self.name}" if isinstance(self.name, int) else self.name
        shape = str(self.shape) if self.shape else ""
        return (name, self.role, self.kind, shape, strides, kept, _line(self.location))


@dataclasses.dataclass(frozen=True)
class Description:
    """One kernel: prints as a table.

    `addresses`: arrays at constant addresses of device memory, by address; `scratchpads`: those of
    scratchpads, `core 3 at 1024` or `each core at 1024`. `followed`: every address in the kernel is
    known to come from an argument or a constant, so that the other arguments are no pointers.
    """

    name: str
    grid: tuple[int, ...]
    location: str
    arguments: tuple[Argument, ...]
    addresses: tuple[Argument, ...]
    scratchpads: tuple[Argument, ...]
    followed: bool

    def of(self, name: str | int) -> Argument | None:
        """What is called that: an argument by its name or `argN`, an array by its address, or by
        `core N at ADDRESS`.
        """
        for number, argument in enumerate(self.arguments):
            if name in (argument.name, f"arg{number}"):
                return argument
        places = (*self.addresses, *self.scratchpads)
        return next((argument for argument in places if argument.name == name), None)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "kernel": self.name,
            "grid": list(self.grid),
            "source": short_source(self.location),
            "arguments": [argument.as_dict() for argument in self.arguments],
            "addresses": [argument.as_dict() for argument in self.addresses],
            "scratchpads": [argument.as_dict() for argument in self.scratchpads],
        }

    def __str__(self) -> str:
        head = f"@{self.name}, grid [{', '.join(map(str, self.grid))}], "
        head += short_source(self.location)
        entries = (*self.arguments, *self.addresses, *self.scratchpads)
        rows = [entry.cells() for entry in entries]
        if not rows:
            return f"{head}\nno arguments"
        return f"{head}\n{plain(_TITLES, rows, (False,) * len(_TITLES))}"


def describe_file(file: str | Path) -> tuple[Description, ...]:
    """The kernels of a file; of its functions, if none is a kernel.

    Raises InputError for a file that cannot be read, VerifyError for one that is not legal.
    """
    kernels = read_kernels(file)
    with kernels.module.context:
        for op in filter(is_kernel, kernels_of(kernels.module).values()):
            inline_calls(op)
    return describe_module(kernels.module, kernels.names)


def describe_chosen(file: str | Path, func: str | None) -> Description:
    """The kernel of a file that `func` names, or the only one; raises as `describe_file`, and
    InputError for a name that is not there.
    """
    kernels = read_kernels(file)
    op = choose_kernel(kernels_of(kernels.module), func)
    with kernels.module.context:
        inline_calls(op)
    name = ir.StringAttr(op.attributes["sym_name"]).value
    return describe_kernel(op, kernels.names.get(name, ()))


def describe_module(
    module: ir.Operation, names: Mapping[str, Sequence[str]]
) -> tuple[Description, ...]:
    """The kernels of a module. `names`: those that its text gives to arguments, by kernel."""
    found = kernels_of(module)
    kernels = {name: op for name, op in found.items() if is_kernel(op)} or found
    return tuple(describe_kernel(op, names.get(name, ())) for name, op in kernels.items())


def describe_kernel(
    op: ir.Operation, names: Sequence[str], grid: Sequence[int] | None = None
) -> Description:
    """One kernel. `grid` replaces its own."""
    arguments = list(op.regions[0].blocks[0].arguments)
    names = names_of_arguments(op, names)
    cores = kernel_grid(op) if grid is None else tuple(grid)
    views = views_of(op, Reader(op, names, cores))
    device = [view for view in views if not view.space]
    return Description(
        ir.StringAttr(op.attributes["sym_name"]).value,
        cores,
        str(op.location),
        tuple(
            _argument(argument, name, [v for v in device if v.argument == argument.arg_number])
            for argument, name in zip(arguments, names, strict=True)
        ),
        tuple(_addresses(device)),
        tuple(_addresses([view for view in views if view.space])),
        all(v.argument is not None or v.offset.known({}) is not None for v in views),
    )


def _argument(value: ir.BlockArgument, name: str, views: Sequence[View]) -> Argument:
    kind, promised = runtime_arg(value.type)
    if views:
        return _array(name, views, promised, str(value.location))
    used = any(True for _ in value.uses)
    return Argument(name, SCALAR, kind, None, promised, str(value.location), used)


def _addresses(views: Sequence[View]) -> list[Argument]:
    """The arrays at constant addresses, in the order of their first views."""
    at: dict[int | str, list[View]] = {}
    for view in views:
        address = view.offset.known({})
        if view.argument is None and address is not None:
            name = f"{view.space} at {address}" if view.space else address
            at.setdefault(name, []).append(view)
    return [_array(name, found, {}, found[0].location) for name, found in at.items()]


def _array(
    name: str | int, views: Sequence[View], kept: Mapping[str, int], location: str
) -> Argument:
    first = [v for v in views if v.argument is None or v.offset == constant(0)] or list(views)
    largest = max(first, key=lambda view: view.span({}) or 0)
    wholes = tuple(dict.fromkeys(shape for view in views for shape in view.whole))
    read, written = any(v.read for v in views), any(v.written for v in views)
    role = BOTH if read and written else OUT if written else IN
    elements = " or ".join(dict.fromkeys(view.element for view in views))
    shape = Shape(largest.sizes, largest.strides, wholes, tuple(views))
    return Argument(name, role, elements, shape, kept, location)


def _plain(expression: Expression) -> int | str:
    known = expression.known({})
    return str(expression) if known is None else known


def _line(location: str) -> str:
    """The line that a location is on; the file is that of the kernel."""
    place = re.search(r":(\d+):\d+", location)
    return place[1] if place else ""


def _factor(extent: Expression) -> str:
    text = str(extent)
    return f"({text})" if " " in text else text
