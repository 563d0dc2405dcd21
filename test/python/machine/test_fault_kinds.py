"""Each kind of fault that a checker must catch, at both levels: told with the place, the names and
numbers involved and what would be legal; its nearest legal neighbour runs.

What only check "full" looks for is in `test_check_full`.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest
from kernel_text import run
from ktdp_text import box, identity, kernel, load, store, tile, view

from ktir.errors import KtirError

LEVELS = ("ktir", "sdf")
CONSTANTS = "".join(
    f"%{name} = arith.constant {n} : index\n" for name, n in [("c1", 1), ("m1", -1), ("c8", 8)]
)
ARGUMENTS = "%x: index, %y: index, %i: index"


@dataclasses.dataclass(frozen=True)
class Kind:
    """A fault one change away from a legal kernel: `legal` with `old` replaced by `new`; `indices`
    are those that a gather reads."""

    name: str
    legal: str
    old: str
    new: str
    pattern: str
    indices: tuple[int, ...] = (7, 0, 3, 3)

    @property
    def wrong(self) -> str:
        """The text with the fault."""
        assert self.old in self.legal
        return self.legal.replace(self.old, self.new)


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

LOAD = load("d", "t_x", "4")

KINDS = [
    Kind(
        "a load past the end", COPY, "%vx[%c0]", "%vx[%c8]",
        r"core 0 reads .*%x at coordinates? \[?11\b.*outside the view; legal are \[?0\.\.7",
    ),
    Kind(
        "a load before the start", COPY, "%vx[%c0]", "%vx[%m1]",
        r"core 0 reads .*%x at coordinates? \[?-1\b.*outside the view; legal are \[?0\.\.7",
    ),
    Kind(
        "a store past the end", COPY, "%vy[%c1]", "%vy[%c8]",
        r"core 0 writes .*%y at coordinates? \[?11\b.*outside the view; legal are \[?0\.\.7",
    ),
    Kind(
        "a set past the end", COPY, f"%vx[%c0] {{ access_tile_set = {box(4)}",
        "%vx[%c0] { access_tile_set = affine_set<(d0) : (d0 - 5 >= 0, -d0 + 8 >= 0)>",
        r"core 0 reads .*%x at coordinates? \[?8\b.*outside the view; legal are \[?0\.\.7",
    ),
    Kind(
        "an index past the end", GATHER, "", "",
        r"core 0 reads .*%x at coordinates? \[?8\b.*legal are \[?0\.\.7|coordinate 8 .* 0 to 7",
        (7, 0, 8, 3),
    ),
    Kind(
        "a view past the end of its array", COPY, "construct_memory_view %x, sizes: [8]",
        "construct_memory_view %c8, sizes: [8]",
        r"core 0 reads .*address 8 at bytes 16 to 23, .* outside .* 'x' holds bytes",
    ),
    Kind(
        "tiles that exceed the scratchpad", FOUR, "262144", "1048576",
        r"at -:\d+:\d+.* overflows: 4194304 bytes live, 2097152 bytes there; .*2097152",
    ),
    Kind(
        "a load of another shape", COPY, LOAD, LOAD + load("e", "t_x", "4").replace("<4xf", "<5xf"),
        r"'ktdp.load' op .*tensor<5xf16>",
    ),
    Kind(
        "a load of another type", COPY, LOAD, LOAD + load("e", "t_x", "4", "f32"),
        r"'ktdp.load' op .*f32",
    ),
    Kind(
        "an array of another type", COPY, "", "",
        r"argument 'x': the kernel views it as f16, the array given holds f32",
    ),
    Kind(
        "a future without a delivery", EXCHANGE, TAKE, "%r = tensor.empty() : tensor<8xf16>\n",
        r"'ktdp.inter_tile_produce' .* exactly one use, .* but has 0",
    ),
    Kind(
        "a future with two deliveries", EXCHANGE, TAKE, TAKE + TAKE.replace("%r", "%again"),
        r"'ktdp.inter_tile_produce' .* exactly one use, .* but has 2",
    ),
    Kind(
        "a delivery that waits for ever", EXCHANGE, "%yes = arith.constant 2",
        "%yes = arith.constant 1",
        r"at -:\d+:\d+.* deadlock: core 0 in .* for core 1 to publish .*; core 1 ended; every",
    ),
]  # fmt: skip


def arguments(kind: Kind, wrong: bool) -> list[Any]:
    """x, y and indices."""
    x = np.arange(8, dtype=np.float16)
    if wrong and kind.name == "an array of another type":
        x = x.astype(np.float32)
    indices = kind.indices if wrong else (7, 0, 3, 3)
    return [x, np.zeros(8, np.float16), np.array(indices, np.int32)]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_a_fault_is_told_and_its_neighbour_runs(kind: Kind, level: str) -> None:
    run(kind.legal, args=arguments(kind, False), level=level)
    run(kind.legal, args=arguments(kind, False), level=level, check="full")
    with pytest.raises(KtirError, match=f"(?s){kind.pattern}") as found:
        run(kind.wrong, args=arguments(kind, True), level=level)
    assert re.search(r"(-|a test):\d+:\d+: |at -:\d+:\d+|argument 'x'", str(found.value))
