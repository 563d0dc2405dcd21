"""Tiles, and tensors, whose size is a value of the kernel, which may differ by core."""

from __future__ import annotations

from .kernel import Builder, Scope, sized
from .sets import affine_set, identity, interval
from .views import View, device_view


def open_copy(builder: Builder, scope: Scope) -> None:
    """Loads as many rows as a symbol says, computes on them, and stores them."""
    if not builder.form("tiles of open size"):
        return
    columns, most = builder.number(1, 5), 4
    if builder.chance(2):
        count = builder.scalar(builder.number(0, most))
    else:
        count = builder.define(f"arith.minui %core, {builder.constant(most)} : index")
    element = builder.pick(["f16", "f32", "i32"])
    points = affine_set(2, ["d0 >= 0", "-d0 + s0 - 1 >= 0", *interval(1, 0, columns - 1)], 1)
    source = device_view(builder, [(0, most), (0, columns)], element, is_store=False)
    total = (most + 1) * builder.cores
    target = device_view(builder, [(0, total), (0, columns)], element, is_store=True)
    index, tensor = sized((-1, columns), "index"), f"tensor<{sized((-1, columns), element)}>"
    first = _tile(builder, source, "1", count, points, index)
    data = builder.define(f"ktdp.load {first} : <{index}> -> {tensor}")
    op = "addi" if element == "i32" else "addf"
    twice = builder.define(f"arith.{op} {data}, {data} : {tensor}")
    second = _tile(builder, target, f"%core * {most + 1}", count, points, index)
    builder.emit(f"ktdp.store {twice}, {second} : {tensor}, <{index}>")


def _tile(builder: Builder, view: View, row: str, count: str, points: str, index: str) -> str:
    return builder.define(
        f"ktdp.construct_access_tile {view.name}[{row}, 1] symbols({count}) "
        f"{{access_tile_set = {points}, access_tile_order = {identity(2)}}} : {view.type} -> "
        f"!ktdp.access_tile<{index}>",
        "tile",
    )
