"""Pieces of `ktdp` kernels as MLIR text."""

from __future__ import annotations


def box(*sizes: int) -> str:
    """The set of all points from 0 to the sizes."""
    dims = ", ".join(f"d{i}" for i in range(len(sizes)))
    bounds = ", ".join(f"d{i} >= 0, -d{i} + {size - 1} >= 0" for i, size in enumerate(sizes))
    return f"affine_set<({dims}) : ({bounds})>"


def identity(rank: int) -> str:
    dims = ", ".join(f"d{i}" for i in range(rank))
    return f"affine_map<({dims}) -> ({dims})>"


def view(
    name: str,
    pointer: str,
    sizes: str,
    strides: str,
    valid: str,
    memref: str,
    space: str = "#ktdp.spyre_memory_space<HBM>",
) -> str:
    return (
        f"%{name} = ktdp.construct_memory_view {pointer}, sizes: [{sizes}], strides: [{strides}] "
        f"{{ coordinate_set = {valid}, memory_space = {space} }} : memref<{memref}>\n"
    )


def tile(name: str, base: str, memref: str, points: str, order: str, shape: str) -> str:
    return (
        f"%{name} = ktdp.construct_access_tile {base} {{ access_tile_set = {points}, "
        f"access_tile_order = {order} }} : memref<{memref}> -> !ktdp.access_tile<{shape}xindex>\n"
    )


def load(name: str, source: str, shape: str, element: str = "f16") -> str:
    return (
        f"%{name} = ktdp.load %{source} : !ktdp.access_tile<{shape}xindex> "
        f"-> tensor<{shape}x{element}>\n"
    )


def store(data: str, target: str, shape: str, element: str = "f16") -> str:
    return (
        f"ktdp.store %{data}, %{target} : tensor<{shape}x{element}>, "
        f"!ktdp.access_tile<{shape}xindex>\n"
    )


def kernel(body: str, arguments: str = "%x: index, %y: index", grid: str = "[1]") -> str:
    return (
        f"func.func @k({arguments}) attributes {{grid = {grid}}} {{\n"
        f"%c0 = arith.constant 0 : index\n{body}return\n}}"
    )
