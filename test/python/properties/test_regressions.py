"""Kernels that once went wrong, small, against the oracle at every level."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from .check import Checker
from .forms import LEVELS
from .kernel import Kernel, sized
from .sets import affine_set, box, identity, interval

HBM = "memory_space = #ktdp.spyre_memory_space<HBM>"


def view(name: str, pointer: str, shape: list[int], valid: str, element: str = "f16") -> str:
    """A row-major view with a coordinate set."""
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * max(size, 1))
    return (
        f"%{name} = ktdp.construct_memory_view %{pointer}, sizes: {shape}, strides: {strides} "
        f"{{coordinate_set = {valid}, {HBM}}} : memref<{sized(shape, element)}>\n"
    )


def tile(name: str, of: str, of_type: str, points: str, shape: list[int], symbols: str = "") -> str:
    """A tile at the origin of a view."""
    corner = ", ".join(["0"] * len(shape))
    return (
        f"%{name} = ktdp.construct_access_tile %{of}[{corner}]{symbols} {{access_tile_set = "
        f"{points}, access_tile_order = {identity(len(shape))}}} : memref<{of_type}> -> "
        f"!ktdp.access_tile<{sized(shape, 'index')}>\n"
    )


def copy(load: str, store: str, shape: list[int]) -> str:
    """Moves the elements of a tile to another."""
    index, tensor = sized(shape, "index"), f"tensor<{sized(shape, 'f16')}>"
    return (
        f"%data = ktdp.load %{load} : <{index}> -> {tensor}\n"
        f"ktdp.store %data, %{store} : {tensor}, <{index}>\n"
    )


def check(body: str, arguments: dict[str, Tensor | int | float]) -> None:
    signature = ", ".join(f"%{name}: index" for name in arguments)
    text = f"func.func @kernel({signature}) {{\n{body}return\n}}\n"
    Checker().check(Kernel(text, arguments, {}, LEVELS, 1))


def numbers(count: int) -> Tensor:
    return torch.arange(count).half()


def test_parts_that_take_turns() -> None:
    """Element 0 of a part is its least coordinate, which no bound of the odd part says."""
    every = interval(0, 0, 7)
    check(
        view("even", "x", [8], affine_set(1, [*every, "d0 mod 2 == 0"]))
        + view("odd", "y", [7], affine_set(1, [*every, "(d0 - 1) mod 2 == 0"]))
        + view("to", "z", [8], box([8]))
        + "%whole = ktdp.construct_distributed_memory_view (%even, %odd : memref<8xf16>, "
        "memref<7xf16>) : memref<8xf16>\n"
        + tile("a", "whole", "8xf16", box([8]), [8])
        + tile("b", "to", "8xf16", box([8]), [8])
        + copy("a", "b", [8]),
        {"x": numbers(8), "y": numbers(7) + 100, "z": torch.zeros(8).half()},
    )


def test_two_sides_of_a_diagonal() -> None:
    """The far side has no point in its first column."""
    both = [*interval(0, 0, 1), *interval(1, 0, 4)]
    check(
        view("near", "x", [2, 2], affine_set(2, [*both, "-d0 - d1 + 1 >= 0"]))
        + view("far", "y", [2, 5], affine_set(2, [*both, "d0 + d1 - 2 >= 0"]))
        + view("to", "z", [2, 5], box([2, 5]))
        + "%whole = ktdp.construct_distributed_memory_view (%near, %far : memref<2x2xf16>, "
        "memref<2x5xf16>) : memref<2x5xf16>\n"
        + tile("a", "to", "2x5xf16", box([2, 5]), [2, 5])
        + tile("b", "whole", "2x5xf16", box([2, 5]), [2, 5])
        + copy("a", "b", [2, 5]),
        {"x": numbers(4), "y": numbers(10) + 100, "z": numbers(10) + 200},
    )


def test_an_extent_that_only_the_number_of_elements_tells() -> None:
    """The type lists the sizes in another order than the set, and one of them is a symbol."""
    points = affine_set(2, ["d0 >= 0", "-d0 + s0 - 1 >= 0", *interval(1, 0, 3)], symbols=1)
    check(
        view("from", "x", [7, 4], box([7, 4]))
        + view("to", "z", [4, 7], box([4, 7]))
        + tile("a", "from", "7x4xf16", points, [4, 7], " symbols(%n)")
        + tile("b", "to", "4x7xf16", box([4, 7]), [4, 7])
        + copy("a", "b", [4, 7]),
        {"x": numbers(28), "z": torch.zeros(28).half(), "n": 7},
    )


@pytest.mark.parametrize("order", ["%m, %k", "%k, %m"])
def test_a_gather_of_nothing(order: str) -> None:
    """One of the two variables has no value."""
    check(
        view("from", "x", [1], box([1]))
        + view("indices", "i", [3, 3], box([3, 3]), "i32")
        + view("to", "z", [3, 0], box([3, 0]))
        + f"%a = ktdp.construct_indirect_access_tile intermediate_variables(%m, %k) "
        f"%from[ind(%indices[{order}])] {{variables_space_set = {box([3, 0])}, "
        f"variables_space_order = {identity(2)}}} : memref<1xf16>, memref<3x3xi32> -> "
        "!ktdp.access_tile<3x0xindex>\n"
        + tile("b", "to", "3x0xf16", box([3, 0]), [3, 0])
        + copy("a", "b", [3, 0]),
        {"x": numbers(1), "i": torch.zeros(9, dtype=torch.int32), "z": torch.zeros(3).half()},
    )
