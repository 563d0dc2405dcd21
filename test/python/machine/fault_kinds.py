"""The kinds of fault that a kernel can have, each one change away from a kernel that is legal.

They are the rows of the table in docs/checks.md, in their order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from checked_text import apart, exchange, numbers, parts, scatter, scratchpad, stores, sums
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.target import load_target

CONSTANTS = "".join(
    f"%{name} = arith.constant {n} : index\n" for name, n in [("c1", 1), ("m1", -1), ("c8", 8)]
)
ARGUMENTS = "%x: index, %y: index, %i: index"


def _arrays(*indices: int, dtype: Any = np.float16) -> list[Any]:
    """x, y and indices."""
    x = np.arange(8, dtype=dtype)
    return [x, np.zeros(8, np.float16), np.array(indices or (7, 0, 3, 3), np.int32)]


@dataclasses.dataclass(frozen=True)
class Kind:
    """A fault: a kernel that has it, which is told with `pattern`, and its nearest legal neighbour;
    what both are run on, and the options of their runs."""

    name: str
    legal: str
    wrong: str
    pattern: str
    arguments: Sequence[Any] = dataclasses.field(default_factory=_arrays)
    wrong_arguments: Sequence[Any] | None = None
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def one_change(name: str, legal: str, old: str, new: str, pattern: str, **more: Any) -> Kind:
    """A fault that is there once `old` is replaced by `new`."""
    assert old in legal
    return Kind(name, legal, legal.replace(old, new), pattern, **more)


def row(name: str, at: str = "%c0", size: int = 8, count: int = 4) -> str:
    """%t_name: so many elements from `at` of a row."""
    return view(f"v{name}", f"%{name}", str(size), "1", box(size), f"{size}xf16") + tile(
        f"t_{name}", f"%v{name}[{at}]", f"{size}xf16", box(count), identity(1), str(count)
    )


COPY = kernel(
    CONSTANTS + row("x") + row("y", "%c1") + load("d", "t_x", "4") + store("d", "t_y", "4"),
    ARGUMENTS,
)
GATHER = kernel(
    row("x")
    + view("vi", "%i", "4", "1", box(4), "4xi32")
    + "%from = ktdp.construct_indirect_access_tile intermediate_variables(%k) %vx[ind(%vi[%k])] { "
    + f"variables_space_set = {box(4)}, variables_space_order = {identity(1)} }} : memref<8xf16>, "
    + "memref<4xi32> -> !ktdp.access_tile<4xindex>\n"
    + load("d", "from", "4")
    + row("y")
    + store("d", "t_y", "4"),
    ARGUMENTS,
)
QUARTER = "tensor<262144xf16>"
FOUR = kernel(
    row("x")
    + load("d", "t_x", "4")
    + "%f = tensor.extract %d[%c0] : tensor<4xf16>\n%g = arith.addf %f, %f : f16\n"
    + f"%a = tensor.splat %f : {QUARTER}\n%b = tensor.splat %g : {QUARTER}\n"
    + f"%s = math.exp %a : {QUARTER}\n%t = math.exp %b : {QUARTER}\n"
    + f"%u = arith.divf %s, %t : {QUARTER}\n"
    + f"%e = tensor.extract_slice %u[0] [4] [1] : {QUARTER} to tensor<4xf16>\n"
    + row("y")
    + store("e", "t_y", "4"),
    ARGUMENTS,
)
BOTH = "affine_set<(i)[g] : (i >= 0, -i + 1 >= 0)>"
FUTURE = "!ktdp.tile_future<(tensor<4xf16>), groups = affine_set<(g) : (g == 0)>>"
TAKE = f"%r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = {BOTH}, gather_dimensions = [0]"
TAKE += f" : {FUTURE} -> tensor<8xf16>\n"
GIVE = (
    f"%f = ktdp.inter_tile_produce producer_tiles_per_group = {BOTH} -> {FUTURE} {{\n"
    "^bb0(%g: index):\nktdp.yield_partial %d : tensor<4xf16>\n}\n"
)
STORE = row("y", count=8) + store("r", "t_y", "8")
EXCHANGE = kernel(
    "%id = ktdp.get_compute_tile_id : index\n%c4 = arith.constant 4 : index\n"
    "%at = arith.muli %id, %c4 : index\n%yes = arith.constant 2 : index\n"
    "%runs = arith.cmpi slt, %id, %yes : index\n"
    + row("x", "%at")
    + load("d", "t_x", "4")
    + "scf.if %runs {\n"
    + GIVE
    + TAKE
    + STORE
    + "}\n",
    ARGUMENTS,
    "[2]",
)

SPAN = kernel(
    row("x")
    + "%far = arith.constant 2 : index\n"
    + tile("t_far", "%vx[%far]", "8xf16", box(4), identity(1), "4")
    + load("a", "t_x", "4")
    + load("b", "t_far", "4"),
    ARGUMENTS,
)
SIZED = kernel(
    view("vx", "%x", "%i", "1", "affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>", "?xf16")
    + tile("t_x", "%vx[%c0]", "?xf16", box(4), identity(1), "4")
    + load("d", "t_x", "4")
    + row("y")
    + store("d", "t_y", "4"),
    ARGUMENTS,
)
LOOP = kernel(
    CONSTANTS
    + "scf.for %k = %c0 to %c8 step %i {\n"
    + row("x", "%k")
    + load("d", "t_x", "4")
    + row("y", "%k")
    + store("d", "t_y", "4")
    + "}\n",
    ARGUMENTS,
)

LOAD = load("d", "t_x", "4")

_CHANGES = [
    one_change(
        "a load past the end", COPY, "%vx[%c0]", "%vx[%c8]",
        r"core 0 reads .*%x at coordinates? \[?11\b.*outside the view; legal are \[?0\.\.7",
    ),
    one_change(
        "a load before the start", COPY, "%vx[%c0]", "%vx[%m1]",
        r"core 0 reads .*%x at coordinates? \[?-1\b.*outside the view; legal are \[?0\.\.7",
    ),
    one_change(
        "a store past the end", COPY, "%vy[%c1]", "%vy[%c8]",
        r"core 0 writes .*%y at coordinates? \[?11\b.*outside the view; legal are \[?0\.\.7",
    ),
    one_change(
        "a set past the end", COPY, f"%vx[%c0] {{ access_tile_set = {box(4)}",
        "%vx[%c0] { access_tile_set = affine_set<(d0) : (d0 - 5 >= 0, -d0 + 8 >= 0)>",
        r"core 0 reads .*%x at coordinates? \[?8\b.*outside the view; legal are \[?0\.\.7",
    ),
    one_change(
        "a view past the end of its array", COPY, "construct_memory_view %x, sizes: [8]",
        "construct_memory_view %c8, sizes: [8]",
        r"core 0 reads .*address 8 at bytes 16 to 23, .* outside .* 'x' holds bytes",
    ),
    one_change(
        "tiles that exceed the scratchpad", FOUR, "262144", "1048576",
        r"at -:\d+:\d+.* overflows: 4194304 bytes live, 2097152 bytes there; .*2097152",
    ),
    one_change(
        "a load of another shape", COPY, LOAD, LOAD + load("e", "t_x", "4").replace("<4xf", "<5xf"),
        r"'ktdp.load' op .*tensor<5xf16>",
    ),
    one_change(
        "a load of another type", COPY, LOAD, LOAD + load("e", "t_x", "4", "f32"),
        r"'ktdp.load' op .*f32",
    ),
    one_change(
        "a future without a delivery", EXCHANGE, TAKE, "%r = tensor.empty() : tensor<8xf16>\n",
        r"'ktdp.inter_tile_produce' .* exactly one use, .* but has 0",
    ),
    one_change(
        "a future with two deliveries", EXCHANGE, TAKE, TAKE + TAKE.replace("%r", "%again"),
        r"'ktdp.inter_tile_produce' .* exactly one use, .* but has 2",
    ),
    one_change(
        "a delivery that waits for ever", EXCHANGE, "%yes = arith.constant 2",
        "%yes = arith.constant 1",
        r"at -:\d+:\d+.* deadlock: core 0 in .* for core 1 to publish .*; core 1 ended; every",
    ),
]  # fmt: skip

_SPYRE = load_target()
_NARROW = dataclasses.replace(
    _SPYRE, memory=dataclasses.replace(_SPYRE.memory, span_bytes=12), name="a narrow device"
)
_EVENS, _ODDS, _THIRDS = (
    f"affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0, d0 mod {step} - {first} == 0)>"
    for step, first in ((2, 0), (2, 1), (3, 0))
)
_THREE = [numbers(8), numbers(8), numbers(8)]
_ROWS = [numbers(32), numbers(32)]
_FILLED = "%o = linalg.fill ins(%z : f16) outs(%e : tensor<2x2xf16>) -> tensor<2x2xf16>\n"
_NOT_FILLED = "%o = tensor.cast %e : tensor<2x2xf16> to tensor<2x2xf16>\n"
_KEPT = store("twice", "out", "8")

_OTHERS = [
    Kind(
        "an index past the end", GATHER, GATHER,
        r"core 0 reads .*%x at coordinates? \[?8\b.*legal are \[?0\.\.7",
        wrong_arguments=_arrays(7, 0, 8, 3),
    ),
    Kind(
        "an array of another type", COPY, COPY,
        r"argument 'x': the kernel views it as f16, the array given holds f32",
        wrong_arguments=_arrays(dtype=np.float32),
    ),
    Kind(
        "parts of a view that hold the same element", parts(_EVENS, _ODDS), parts(_EVENS, _THIRDS),
        r"hold the same coordinates|both hold coordinates", _THREE,
    ),
    Kind(
        "an element that no part of a view holds", parts(_EVENS, _ODDS),
        parts(_EVENS, _ODDS.replace("mod 2", "mod 4")),
        r"which no part holds|none or several hold an element", _THREE,
    ),
    Kind(
        "a read of what nobody wrote", scratchpad(8), scratchpad(7),
        r"core 0 reads .* \[7\], byte 142, which nobody has written", [numbers(8), numbers(8)],
    ),
    Kind(
        "cores that store different values to one place", stores("%at", "%at"),
        stores("%at", "%c0"), r"core 0 writes .* the same store on core 3 writes another", _ROWS,
    ),
    Kind(
        "a core that reads what another one writes", apart("write", "read", 0, 8),
        apart("write", "read"), r"core 1 reads .*, which core 0 writes in this kernel", _ROWS,
    ),
    Kind(
        "points of one store that coincide", *(scatter([1, 2, 3, 4], [5, 0, 7, 2])[:1] * 2),
        r"core 0 writes .* \[5\], .* another point of the same store writes another",
        scatter([1, 2, 3, 4], [5, 0, 7, 2])[1], scatter([1, 2, 3, 4], [5, 0, 5, 2])[1],
    ),
    Kind(
        "a result of a tile that nobody filled", sums(_FILLED), sums(_NOT_FILLED),
        r"writes .* \[0, 0\], .* depends on what 'tensor.empty' at",
        [numbers(2, 2), numbers(2, 2)],
    ),
    Kind(
        "a result of a delivery that a core does not receive",
        exchange(f"scf.if %is_first {{\n{_KEPT}}}\n"), exchange(_KEPT),
        r"core 1 writes .* a value that depends on", [numbers(16), numbers(16)],
    ),
    Kind(
        "a view of a scratchpad that begins inside a stick", scratchpad(8),
        scratchpad(8).replace("arith.constant 64 : index", "arith.constant 65 : index"),
        r"view of address 65 begins at byte 130 of a scratchpad; .* multiples of 128",
        [numbers(8), numbers(8)],
    ),
    Kind(
        "a core that reaches too far", SPAN, SPAN.replace("constant 2 :", "constant 4 :"),
        r"core 0 reads .*%x; with it, core 0 .* 'x', a span of 16 bytes; .* 12 bytes",
        options={"target": _NARROW},
    ),
    Kind(
        "a view of a negative size", SIZED, SIZED,
        r"'ktdp.construct_memory_view'.* size .*-2|size of a view .* dimension 0.*%i is -2",
        [numbers(8), numbers(8), 8], [numbers(8), numbers(8), -2],
    ),
    Kind(
        "a loop that never gets on", LOOP, LOOP, r"the step of a loop must be positive, it is 0",
        [numbers(8), numbers(8), 4], [numbers(8), numbers(8), 0],
    ),
]  # fmt: skip

KINDS = [*_CHANGES, *_OTHERS]
