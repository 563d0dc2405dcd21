"""One fault planted in a legal kernel.

A fault that shows in the text alone is planted in any kernel; one that shows when the kernel runs,
in kernels without control flow, so that the op is sure to be executed.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

import torch
from hypothesis import assume
from hypothesis import strategies as st
from torch import Tensor

from .forms import has
from .kernel import Builder, Kernel, Scope
from .kernels import branching, messaging, moving, straight
from .memory import load, load_from, store, store_to
from .messages import everywhere
from .scratchpads import whole_tile
from .views import scratchpad_view

FAR = 1_000_000
"""Further than any coordinate of a generated kernel."""


@dataclasses.dataclass(frozen=True)
class Fault:
    """A kernel with a fault; its kind is the name of what planted it.

    `runs`: it shows when the kernel comes by. `check`: the least check that looks for it.
    """

    kind: str
    kernel: Kernel
    runs: bool
    check: str = "bounds"

    def __repr__(self) -> str:
        return f"{self.kind}\n{self.kernel!r}"


Plant = Callable[[st.DrawFn], Kernel]


def _swap(draw: st.DrawFn, kernel: Kernel, pattern: str, new: str | Callable[..., str]) -> Kernel:
    """Replaces one match of a pattern in the text, chosen by the draw."""
    found = list(re.finditer(pattern, kernel.text))
    assume(found)
    match = draw(st.sampled_from(found))
    put = new(match) if callable(new) else match.expand(new)
    text = kernel.text[: match.start()] + put + kernel.text[match.end() :]
    assume(text != kernel.text)
    return dataclasses.replace(kernel, text=text)


def _any(draw: st.DrawFn) -> Kernel:
    return draw(st.one_of(moving(), straight(), branching()))


def _full(draw: st.DrawFn) -> Kernel:
    """A kernel all of which is executed, without control flow, and whose tiles have elements."""
    kernel = draw(moving())
    assume(not re.search(r"[<x]0x", kernel.text))
    return kernel


# Text that is no MLIR.


def truncated(draw: st.DrawFn) -> Kernel:
    """The end is missing."""
    kernel = _any(draw)
    length = len(kernel.text.rstrip()) - 1
    return dataclasses.replace(kernel, text=kernel.text[: draw(st.integers(1, length))])


def garbage(draw: st.DrawFn) -> Kernel:
    """Bytes that belong to no token."""
    kernel = _any(draw)
    at = draw(st.integers(0, len(kernel.text) - 1))
    # Inside a name `$` is legal.
    noise = draw(st.sampled_from(["\x01\x7f", " $ ", "\ufffd", "@@", '"', "~~", "\\", "%%"]))
    return dataclasses.replace(kernel, text=kernel.text[:at] + noise + kernel.text[at:])


def undefined_name(draw: st.DrawFn) -> Kernel:
    """A value that nobody defines."""
    return _swap(draw, _any(draw), r"(store|load) %\w+", r"\1 %nobody")


def twice_defined(draw: st.DrawFn) -> Kernel:
    """Two values of one name."""
    kernel = _any(draw)
    return _swap(draw, kernel, r"\n  (%\w+) = ktdp\.load[^\n]*", lambda m: m[0] + m[0])


def unknown_op(draw: st.DrawFn) -> Kernel:
    """An op that no dialect has."""
    return _swap(draw, _any(draw), r"ktdp\.(load|store|construct_\w+)", r"ktdp.\1_faster")


# Types and attributes that do not fit.


def other_element_type(draw: st.DrawFn) -> Kernel:
    """A load of f64 from a view of something else."""
    return _swap(draw, _any(draw), r"(ktdp\.load [^\n]*-> tensor<(?:\d+x)*)\w+>", r"\1f64>")


def other_shape(draw: st.DrawFn) -> Kernel:
    """A load of more elements than the tile has."""
    pattern = r"(ktdp\.load [^\n]*-> tensor<)(\d+)"
    return _swap(draw, _any(draw), pattern, lambda m: f"{m[1]}{int(m[2]) + 1}")


def other_rank(draw: st.DrawFn) -> Kernel:
    """A tile of more dimensions than its set."""
    return _swap(draw, _any(draw), r"(-> !ktdp\.access_tile<)(?=\d)", r"\g<1>1x")


def extra_subscript(draw: st.DrawFn) -> Kernel:
    """More subscripts than the view has dimensions."""
    return _swap(draw, _any(draw), r"(construct_access_tile %\w+\[)", r"\g<1>0, ")


def order_that_repeats(draw: st.DrawFn) -> Kernel:
    """An order map that is no permutation."""
    return _swap(
        draw, _any(draw), r"(access_tile_order = affine_map<\(d0, d1)([^>]*->) \(\w+,",
        r"\1\2 (d1 + d1,",
    )  # fmt: skip


def missing_symbol(draw: st.DrawFn) -> Kernel:
    """A set with a symbol that nothing is bound to."""
    return _swap(draw, _any(draw), r"(construct_access_tile [^\n]*\]) symbols\([^)]*\)", r"\1")


def negative_size(draw: st.DrawFn) -> Kernel:
    """A view of fewer than no elements."""
    return _swap(draw, _any(draw), r"(construct_memory_view [^\n]*sizes: \[)\d+", r"\1-1")


def size_against_type(draw: st.DrawFn) -> Kernel:
    """A size that differs from the view's type."""
    pattern = r"(construct_memory_view [^\n]*sizes: \[)(\d+)"
    return _swap(draw, _any(draw), pattern, lambda m: f"{m[1]}{int(m[2]) + 1}")


def huge_tile(draw: st.DrawFn) -> Kernel:
    """A box of far more points than its type says; a type of one is refused when it is executed."""
    bound = r"(?:-?d\d(?: [-+] \d+)? >= 0, )*"
    start = rf"(access_tile_set = affine_set<\([^)]*\) : \({bound}-d0 \+ )"
    pattern = rf"{start}\d+( >= 0, )?(?={bound}-?d\d(?: [-+] \d+)? >= 0\)>)"
    return _swap(draw, _full(draw), pattern, rf"\g<1>{10**12}\2")


def huge_set(draw: st.DrawFn) -> Kernel:
    """A set that is no box with far too many points to look at."""
    pattern = r"access_tile_set = affine_set<\((d0[^)]*)\)[^}]*?>, access_tile_order"
    huge = (
        rf"access_tile_set = affine_set<(\1) : (d0 >= 0, -d0 + {10**12} >= 0, d0 mod 2 == 0)>"
        ", access_tile_order"
    )
    return _swap(draw, _full(draw), pattern, huge)


def endless_set(draw: st.DrawFn) -> Kernel:
    """A set without an end."""
    pattern = r"access_tile_set = affine_set<\((d0[^)]*)\)[^}]*?>, access_tile_order"
    return _swap(
        draw, _full(draw), pattern,
        r"access_tile_set = affine_set<(\1) : (d0 mod 2 == 0)>, access_tile_order",
    )  # fmt: skip


def huge_tensor(draw: st.DrawFn) -> Kernel:
    """A value that no scratchpad can hold."""
    type_ = f"tensor<{10 ** draw(st.integers(12, 17))}xf16>"
    lines = (
        f"  %much = tensor.empty() : {type_}\n  %more = math.exp %much : {type_}\n"
        "  %first = tensor.extract %more[%core] : {type_}\n"
        "  %some = tensor.splat %first : tensor<1xf16>\n"
        f"  {_store_one('%some')}  return"
    ).replace("{type_}", type_)
    kernel = draw(straight())
    arguments = {"spare": torch.zeros(1, dtype=torch.float16), **kernel.arguments}
    text = kernel.text.replace("@kernel(", "@kernel(%spare: index, ").replace(", )", ")")
    kernel = dataclasses.replace(kernel, text=text, arguments=arguments)
    return _swap(draw, kernel, r"  return", lines)


def _store_one(name: str) -> str:
    """A store of one element to an array of its own."""
    whole = "affine_set<(d0) : (d0 == 0)>"
    return (
        "%one = ktdp.construct_memory_view %spare, sizes: [1], strides: [1] {coordinate_set = "
        f"{whole}, memory_space = #ktdp.spyre_memory_space<HBM>}} : memref<1xf16>\n"
        f"  %at = ktdp.construct_access_tile %one[0] {{access_tile_set = {whole}, "
        "access_tile_order = affine_map<(d0) -> (d0)>} : memref<1xf16> -> "
        "!ktdp.access_tile<1xindex>\n"
        f"  ktdp.store {name}, %at : tensor<1xf16>, <1xindex>\n"
    )


def bad_grid(draw: st.DrawFn) -> Kernel:
    """A grid without cores, or with more than the device has."""
    grid = draw(st.sampled_from(["0", "-1", "33", "1000000", "4, 0", "1 : i1", "2.5"]))
    kernel = _swap(draw, draw(straight()), r"grid = \[[^\]]*\]", f"grid = [{grid}]")
    return kernel


def unknown_space(draw: st.DrawFn) -> Kernel:
    """A memory that no device has, or a core that it lacks."""
    space = draw(st.sampled_from(["DRAM", "LX, core = 99", "HBM, core = 1", "LX, core = -1"]))
    pattern = r"#ktdp\.(?:spyre_)?memory_space<\w+>"
    return _swap(draw, _any(draw), pattern, f"#ktdp.spyre_memory_space<{space}>")


# What only a run shows.


_STATIC = r"%view\d+ = ktdp\.construct_memory_view [^\n]*sizes: \[(?:\d+(?:, )?)+\]"


def _on_static_view(draw: st.DrawFn, put: str) -> Kernel:
    """Replaces the first subscript of a tile of a view with known sizes; a tile that is stored to,
    since a load whose value nobody needs may be gone at `sdf`."""
    kernel = _full(draw)
    names = [m[0].partition(" ")[0] for m in re.finditer(_STATIC, kernel.text)]
    names += re.findall(r"%whole\d+(?= =)", kernel.text)
    assume(names)
    stored = re.findall(r"ktdp\.store %\w+, (%tile\d+)", kernel.text)
    pattern = (
        rf"((?:{'|'.join(stored)}) = ktdp\.construct_access_tile (?:{'|'.join(names)})\[)"
        r"([^,\]]*)"
    )
    return _swap(draw, kernel, pattern, rf"\1\2 {put}")


def beyond_the_end(draw: st.DrawFn) -> Kernel:
    """A tile far behind the end of its view."""
    return _on_static_view(draw, f"+ {FAR}")


def before_the_start(draw: st.DrawFn) -> Kernel:
    """A tile before the first coordinate of its view."""
    return _on_static_view(draw, f"- {FAR}")


def outside_the_array(draw: st.DrawFn) -> Kernel:
    """A view of memory that belongs to no array."""
    kernel = _full(draw)
    put = rf"\1%far = arith.constant {FAR * 4096} : index\n  %moved = arith.addi \3, %far : index"
    return _swap(
        draw, kernel, r"(\n  )(%\w+ = ktdp\.construct_memory_view )(%[pc]\d+),",
        put + r"\1\2%moved,",
    )  # fmt: skip


def index_out_of_range(draw: st.DrawFn) -> Kernel:
    """Indices that no view has."""
    kernel = _full(draw)
    assume("memref<?" not in kernel.text and "x?" not in kernel.text)
    names = re.findall(r"%indices\d+ = ktdp\.construct_memory_view %(p\d+),", kernel.text)
    assume(names)
    name = draw(st.sampled_from(names))
    array = kernel.arguments[name]
    assert isinstance(array, Tensor)
    wrong = torch.full_like(array, draw(st.sampled_from([FAR, -1, -FAR])))
    return dataclasses.replace(kernel, arguments={**kernel.arguments, name: wrong})


def uncovered_part(draw: st.DrawFn) -> Kernel:
    """A distributed view whose part has lost all coordinates."""
    kernel = _full(draw)
    pattern = r"(%part\d+ = [^\n]*coordinate_set = affine_set<\([^)]*\) : \()"
    return _swap(draw, kernel, pattern, r"\1d0 - 5000 == 0, ")


def overlapping_parts(draw: st.DrawFn) -> Kernel:
    """A distributed view with one part twice."""
    pattern = r"distributed_memory_view \((%\w+)([^:]*) : (memref<[^>]*>)"
    return _swap(draw, _full(draw), pattern, r"distributed_memory_view (\1, \1\2 : \3, \3")


def missing_argument(draw: st.DrawFn) -> Kernel:
    """One argument less than the kernel has."""
    kernel = draw(straight())
    assume(kernel.arguments)
    name = draw(st.sampled_from(sorted(kernel.arguments)))
    rest = {key: value for key, value in kernel.arguments.items() if key != name}
    return dataclasses.replace(kernel, arguments=rest)


def other_array(draw: st.DrawFn) -> Kernel:
    """An array of another element type than its view."""
    kernel = draw(moving())
    names = re.findall(r"construct_memory_view %(p\d+),", kernel.text)
    assume(names)
    name = draw(st.sampled_from(names))
    wrong = torch.zeros(9, dtype=torch.float64)
    return dataclasses.replace(kernel, arguments={**kernel.arguments, name: wrong})


# Cores that exchange tiles.


def _exchanging(draw: st.DrawFn, put: Callable[[Builder, Scope], None]) -> Kernel:
    """A kernel on several cores, all of which exchange tiles."""
    assume(all(has(level, "inter-tile") for level in ("ktir", "sdf")))
    builder = Builder(draw, draw(st.sampled_from([[2], [3], [2, 2], [4]])))
    scope = Scope([], [builder.core])
    scope.values.append(load(builder, scope, (4, 8), "f16"))
    put(builder, scope)
    store(builder, scope, scope.values[0])
    return builder.finish()


def future_used_twice(draw: st.DrawFn) -> Kernel:
    """A future with two deliveries."""
    kernel = _exchanging(draw, everywhere)
    return _swap(draw, kernel, r"(%d\d+)( = ktdp\.inter_tile_gather[^\n]*)", r"\1\2\n  %again\2")


def future_not_used(draw: st.DrawFn) -> Kernel:
    """A future without a delivery."""
    return _swap(draw, _exchanging(draw, everywhere), r"%d\d+ = ktdp\.inter_tile_gather[^\n]*", "")


def overlapping_groups(draw: st.DrawFn) -> Kernel:
    """Two groups with the same producers."""
    kernel = _exchanging(draw, everywhere)
    one = r"affine_set<\(g\) : \(g == 0\)>"
    assume(re.search(one, kernel.text))
    text = re.sub(one, "affine_set<(g) : (g >= 0, -g + 1 >= 0)>", kernel.text)
    text = re.sub(r"affine_set<\(i\)\[g\] : [^>]*>[^>]*>[^>]*>", _EVERYONE, text)
    return dataclasses.replace(kernel, text=text)


_EVERYONE = "affine_set<(i)[g] : (i >= 0, -i + 1 >= 0, g >= 0)>"


def deadlock(draw: st.DrawFn) -> Kernel:
    """An exchange that one core stays away from."""

    def put(builder: Builder, scope: Scope) -> None:
        zero = builder.constant(0)
        test = builder.define(f"arith.cmpi ne, %core, {zero} : index")
        with builder.region(f"scf.if {test} {{"):
            everywhere(builder, scope.inner())

    return _exchanging(draw, put)


# What only the full check looks for; the values are what the ops say.


def race(draw: st.DrawFn) -> Kernel:
    """Several cores store to one place."""
    return _swap(draw, _full(draw), r"(%tile\d+ = [^\n]*\[[^\]]*)%core \* \d+ \+ ", r"\1")


def unwritten(draw: st.DrawFn) -> Kernel:
    """A load from a scratchpad to which nobody has stored."""
    kernel = draw(st.one_of(straight(), messaging()))
    local = r"%view\d+ = [^\n]*(?:<LX|<ct_local)[^\n]*\n[^\n]*\n"
    return _swap(draw, kernel, rf"({local})  ktdp\.store [^\n]*\n", r"\1")


def unordered(draw: st.DrawFn) -> Kernel:
    """A load from another core's scratchpad that nothing orders after the store."""
    builder = Builder(draw, draw(st.sampled_from([[2], [3], [2, 2]])))
    scope = Scope([], [builder.core])
    scope.values.append(load(builder, scope, (4, 8), "f16"))
    value = scope.values[0]
    own = scratchpad_view(builder, value.shape, "f16", 4096)
    store_to(builder, value, whole_tile(builder, own, value.shape))
    other = scratchpad_view(builder, value.shape, "f16", 4096, builder.number(0, 1))
    found = load_from(builder, whole_tile(builder, other, value.shape), value.shape, "f16")
    store(builder, scope, found)
    return builder.finish()


IN_TEXT: tuple[Plant, ...] = (
    truncated, garbage, undefined_name, twice_defined, unknown_op, other_element_type, other_shape,
    other_rank, extra_subscript, order_that_repeats, missing_symbol, negative_size,
    size_against_type, huge_tile, huge_set, endless_set, huge_tensor, bad_grid, unknown_space,
    missing_argument, other_array, future_used_twice, future_not_used, overlapping_groups,
)  # fmt: skip
"""Faults that show before anything runs, or wherever it runs."""

IN_A_RUN: tuple[Plant, ...] = (
    beyond_the_end, before_the_start, outside_the_array, index_out_of_range,
    uncovered_part, overlapping_parts, deadlock,
)  # fmt: skip
"""Faults that show where a kernel comes by; the oracle says whether it does."""

IN_FULL: tuple[Plant, ...] = (race, unwritten, unordered)
"""Faults that the full check finds; the oracle says whether the first two are there."""


@st.composite
def planted(draw: st.DrawFn, plant: Plant) -> Fault:
    """A kernel with a fault of one kind."""
    check = "full" if plant in IN_FULL else "bounds"
    return Fault(plant.__name__, plant(draw), plant in IN_A_RUN, check)
