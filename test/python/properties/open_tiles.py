"""Tiles, and tensors, whose size is a value of the kernel, which may differ by core."""

from __future__ import annotations

import dataclasses

from .kernel import Builder, Scope, sized
from .sets import affine_set, identity, interval
from .views import View, device_view


@dataclasses.dataclass(frozen=True)
class Rows:
    """A tensor of `count` rows, an index value that is at most `most`, of some columns."""

    name: str
    count: str
    most: int
    columns: int
    element: str

    @property
    def type(self) -> str:
        """Its type as MLIR spells it."""
        return f"tensor<{sized((-1, self.columns), self.element)}>"

    @property
    def add(self) -> str:
        """The op that adds its elements."""
        return "arith.addi" if self.element == "i32" else "arith.addf"


def open_copy(builder: Builder, scope: Scope) -> None:
    """Loads as many rows as a symbol says, does something with them, and stores as many."""
    if not builder.form("tiles of open size"):
        return
    columns, most = builder.number(1, 5), 4
    wanted = builder.scalar(builder.number(0, most)) if builder.chance(2) else "%core"
    # A buffer needs a bound.
    count = builder.define(f"arith.minui {wanted}, {builder.constant(most)} : index")
    element = builder.pick(["f16", "f32", "i32"])
    points = affine_set(2, ["d0 >= 0", "-d0 + s0 - 1 >= 0", *interval(1, 0, columns - 1)], 1)
    source = device_view(builder, [(0, most), (0, columns)], element, is_store=False)
    total = (most + 1) * builder.cores
    target = device_view(builder, [(0, total), (0, columns)], element, is_store=True)
    index, tensor = sized((-1, columns), "index"), f"tensor<{sized((-1, columns), element)}>"
    first = _tile(builder, source, "1", count, points, index)
    data = builder.define(f"ktdp.load {first} : <{index}> -> {tensor}")
    rows = Rows(data, count, most, columns, element)
    for _ in range(builder.number(1, 3)):
        rows = dataclasses.replace(rows, name=builder.pick(_CHANGES)(builder, rows))
    second = _tile(builder, target, f"%core * {most + 1}", count, points, index)
    builder.emit(f"ktdp.store {rows.name}, {second} : {tensor}, <{index}>")


def _doubled(builder: Builder, rows: Rows) -> str:
    return builder.define(f"{rows.add} {rows.name}, {rows.name} : {rows.type}")


def _first(builder: Builder, rows: Rows) -> tuple[str, str]:
    """The first half of the rows, rounded down, and how many they are."""
    half = builder.define(f"arith.divui {rows.count}, {builder.constant(2)} : index")
    return _slice(builder, rows, "0", half), half


def _slice(builder: Builder, rows: Rows, start: str, count: str) -> str:
    return builder.define(
        f"tensor.extract_slice {rows.name}[{start}, 0] [{count}, {rows.columns}] [1, 1] : "
        f"{rows.type} to {rows.type}"
    )


def _half_again(builder: Builder, rows: Rows) -> str:
    """Twice the first half in the place of the second."""
    part, half = _first(builder, rows)
    twice = _doubled(builder, dataclasses.replace(rows, name=part))
    rest = builder.define(f"arith.subi {rows.count}, {half} : index")
    return builder.define(
        f"tensor.insert_slice {twice} into {rows.name}[{rest}, 0] [{half}, {rows.columns}] [1, 1] "
        f": {rows.type} into {rows.type}"
    )


def _turned(builder: Builder, rows: Rows) -> str:
    """The second half before the first."""
    part, half = _first(builder, rows)
    rest = builder.define(f"arith.subi {rows.count}, {half} : index")
    other = _slice(builder, rows, half, rest)
    return builder.define(
        f"tensor.concat dim(0) {other}, {part} : ({rows.type}, {rows.type}) -> {rows.type}"
    )


def _summed(builder: Builder, rows: Rows) -> str:
    """The rows, added up so many times as they are."""
    zero, one = builder.constant(0), builder.constant(1)
    size = builder.define(f"tensor.dim {rows.name}, {zero} : {rows.type}")
    result, carried = builder.name(), builder.name("a")
    with builder.region(
        f"{result} = scf.for {builder.name('i')} = {zero} to {size} step {one} "
        f"iter_args({carried} = {rows.name}) -> ({rows.type}) {{"
    ):
        total = builder.define(f"{rows.add} {carried}, {rows.name} : {rows.type}")
        builder.emit(f"scf.yield {total} : {rows.type}")
    return result


def _worn(builder: Builder, rows: Rows) -> str:
    """A loop that drops the first row as long as there is another one; what is left comes first."""
    zero, one = builder.constant(0), builder.constant(1)
    left, carried = builder.name(), builder.name("a")
    with builder.region(
        f"{left} = scf.for {builder.name('i')} = {one} to {rows.count} step {one} "
        f"iter_args({carried} = {rows.name}) -> ({rows.type}) {{"
    ):
        size = builder.define(f"tensor.dim {carried}, {zero} : {rows.type}")
        less = builder.define(f"arith.subi {size}, {one} : index")
        inner = dataclasses.replace(rows, name=carried)
        builder.emit(f"scf.yield {_slice(builder, inner, one, less)} : {rows.type}")
    size = builder.define(f"tensor.dim {left}, {zero} : {rows.type}")
    return builder.define(
        f"tensor.insert_slice {left} into {rows.name}[0, 0] [{size}, {rows.columns}] [1, 1] : "
        f"{rows.type} into {rows.type}"
    )


def _chosen(builder: Builder, rows: Rows) -> str:
    """The first half, or twice the rows, in front; which of them depends on the core."""
    limit = builder.constant(builder.number(0, builder.cores))
    early = builder.define(f"arith.cmpi slt, %core, {limit} : index")
    part = builder.name()
    with builder.region(f"{part} = scf.if {early} -> ({rows.type}) {{", "} else {"):
        builder.emit(f"scf.yield {_first(builder, rows)[0]} : {rows.type}")
    twice = _doubled(builder, rows)
    builder.emit(f"scf.yield {twice} : {rows.type}")
    builder.emit("}")
    size = builder.define(f"tensor.dim {part}, {builder.constant(0)} : {rows.type}")
    return builder.define(
        f"tensor.insert_slice {part} into {rows.name}[0, 0] [{size}, {rows.columns}] [1, 1] : "
        f"{rows.type} into {rows.type}"
    )


def _flat(builder: Builder, rows: Rows) -> str:
    """Twice the elements, while they are in one row."""
    row = f"tensor<{sized((-1,), rows.element)}>"
    flat = builder.define(f"tensor.collapse_shape {rows.name} [[0, 1]] : {rows.type} into {row}")
    twice = builder.define(f"{rows.add} {flat}, {flat} : {row}")
    return builder.define(
        f"tensor.expand_shape {twice} [[0, 1]] output_shape [{rows.count}, {rows.columns}] : "
        f"{row} into {rows.type}"
    )


_CHANGES = (_doubled, _half_again, _turned, _summed, _worn, _chosen, _flat)
"""What is done with rows: it leaves as many."""


def _tile(builder: Builder, view: View, row: str, count: str, points: str, index: str) -> str:
    return builder.define(
        f"ktdp.construct_access_tile {view.name}[{row}, 1] symbols({count}) "
        f"{{access_tile_set = {points}, access_tile_order = {identity(2)}}} : {view.type} -> "
        f"!ktdp.access_tile<{index}>",
        "tile",
    )
