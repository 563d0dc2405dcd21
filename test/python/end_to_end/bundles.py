"""Many sizes of one table entry as one program, because exporting a model costs far more than
compiling a small one.

Owns the bundles, which of them tests take, and finding the size at fault where a bundle does not
compile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from module_table import (
    FLOAT_DTYPES,
    LAST_EXTENTS,
    MODULES,
    ROW_COUNTS,
    Built,
    Entry,
    Sizes,
)
from torch import Tensor, nn

import ktir

Choice = tuple[Entry, torch.dtype]
"""What the fixture `bundle` takes."""

BY_TURNS: list[Choice] = [(entry, FLOAT_DTYPES[number % 2]) for number, entry in enumerate(MODULES)]
"""Each entry with one of the dtypes."""

ALL = BY_TURNS + [(entry, FLOAT_DTYPES[1 - number % 2]) for number, entry in enumerate(MODULES)]
"""Each entry with both dtypes. It begins with `BY_TURNS`: pytest puts tests together, of all files,
whose parameters have one place in their lists, so that a bundle is compiled once and then gone."""


def name_of(choice: Choice) -> str:
    """How a test's name states its bundle."""
    entry, dtype = choice
    return f"{entry.name}-{dtype}"


class Side(nn.Module):
    """Modules side by side: takes the inputs of all, in order; gives a list of what each gives."""

    def __init__(self, parts: list[Built]) -> None:
        super().__init__()
        self.parts = nn.ModuleList(module for module, _ in parts)
        self.counts = [len(args) for _, args in parts]

    def forward(self, *inputs: Tensor) -> list[Any]:
        outputs, first = [], 0
        for part, count in zip(self.parts, self.counts, strict=True):
            outputs.append(part(*inputs[first : first + count]))
            first += count
        return outputs


@dataclass(frozen=True)
class Bundle:
    """An entry in one dtype at all its sizes, compiled, with what the program gave."""

    entry: Entry
    dtype: torch.dtype
    sizes: tuple[Sizes, ...]
    parts: list[Built]
    program: ktir.Compiled
    args: tuple[Tensor, ...]
    outputs: list[Any]


def sizes_of(entry: Entry, dtype: torch.dtype) -> tuple[Sizes, ...]:
    """Every last extent; the row counts go round, beginning elsewhere for each entry and dtype."""
    start = MODULES.index(entry) + (2 if dtype == torch.float32 else 0)
    rows = [ROW_COUNTS[(start + turn) % len(ROW_COUNTS)] for turn in range(len(LAST_EXTENTS))]
    return tuple(
        Sizes(rows=count, last=last) for count, last in zip(rows, LAST_EXTENTS, strict=True)
    )


def make_bundle(entry: Entry, dtype: torch.dtype) -> Bundle:
    """Compiles and runs an entry at all its sizes; if that fails, names those that fail alone."""
    sizes = sizes_of(entry, dtype)
    parts = [entry.build(dtype, one) for one in sizes]
    args = tuple(arg for _, part in parts for arg in part)
    try:
        program = ktir.compile_module(Side(parts), args)
        return Bundle(entry, dtype, sizes, parts, program, args, program(*args))
    except ktir.KtirError as error:
        found = [f"{one}: {reason}" for one in sizes if (reason := _failure(entry, dtype, one))]
        raise AssertionError(
            f"{entry.name} in {dtype}: {type(error).__name__}: {error}\n\nalone:\n"
            + "\n".join(found)
        ) from error


def _failure(entry: Entry, dtype: torch.dtype, sizes: Sizes) -> str | None:
    """Why the entry fails at one size, if it does."""
    module, args = entry.build(dtype, sizes)
    try:
        ktir.compile_module(module, args)(*args)
    except ktir.KtirError as error:
        return f"{type(error).__name__}: {error}"
    return None
