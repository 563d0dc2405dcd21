"""A random kernel, and its text while it grows.

Owns names, arguments with their data, the values and indices in scope, and the drawing of choices.
What is put into a kernel is in `memory`, `compute`, `control` and `messages`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import torch
from hypothesis import strategies as st
from torch import Tensor

from .forms import LEVELS, has

T = TypeVar("T")

FLOATS = ("f16", "bf16", "f32")
INTEGERS = ("i32", "i64", "i8", "i1")
DTYPES = {
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "i8": torch.int8,
    "i32": torch.int32,
    "i64": torch.int64,
    "i1": torch.bool,
}


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel as text, what it is run on, and the levels that it is for."""

    text: str
    arguments: dict[str, Tensor | int | float]
    device: dict[int, Tensor]
    levels: tuple[str, ...]
    cores: int

    def __repr__(self) -> str:
        """What is needed to repeat a failure by hand."""
        lines = [self.text, f"levels: {self.levels}"]
        for name, value in (*self.arguments.items(), *self.device.items()):
            shown = value.tolist() if isinstance(value, Tensor) else value
            dtype = f" {value.dtype}" if isinstance(value, Tensor) else ""
            lines.append(f"{name}{dtype} = {shown}")
        return "\n".join(lines)


@dataclasses.dataclass(frozen=True)
class Value:
    """A tensor in scope. `rough`: its elements are not exact, so it is moved and stored only."""

    name: str
    element: str
    shape: tuple[int, ...]
    rough: bool = False

    @property
    def type(self) -> str:
        """Its type as MLIR spells it."""
        return tensor_type(self.shape, self.element)


def tensor_type(shape: Sequence[int], element: str) -> str:
    """`tensor<4x8xf16>`."""
    return f"tensor<{sized(shape, element)}>"


def sized(shape: Sequence[int], element: str) -> str:
    """`4x8xf16`; -1 is written as `?`."""
    return "".join(f"{'?' if size < 0 else size}x" for size in shape) + element


@dataclasses.dataclass(frozen=True)
class Index:
    """An index value in scope, and the range that it stays in, both ends included."""

    name: str
    low: int
    high: int
    by_core: bool = False


@dataclasses.dataclass
class Scope:
    """What may be used at a place of the text."""

    values: list[Value]
    indices: list[Index]
    depth: int = 0
    uniform: bool = True
    """Whether all cores come by equally often."""

    def inner(self, uniform: bool = False) -> Scope:
        """The scope of a region in it; `uniform` says whether the region keeps cores together."""
        together = self.uniform and uniform
        return Scope(list(self.values), list(self.indices), self.depth + 1, together)


class Builder:
    """A kernel that grows."""

    def __init__(self, draw: st.DrawFn, grid: Sequence[int] | None) -> None:
        self._draw = draw
        self.grid = grid
        self.cores = int(np.prod(grid)) if grid else 1
        self.lines: list[str] = []
        self.aliases: dict[str, str] = {}
        self.functions: list[str] = []
        self.arguments: dict[str, Tensor | int | float] = {}
        self.types: dict[str, str] = {}
        self.device: dict[int, Tensor] = {}
        self.levels = draw(st.sampled_from([LEVELS, LEVELS, LEVELS[:1]]))
        self._count = 0
        self._scratchpad = 1 << 19
        self.core = Index("%core", 0, self.cores - 1, by_core=True)

    # Choices.

    def pick(self, options: Sequence[T]) -> T:
        """One of several."""
        return self._draw(st.sampled_from(list(options)))

    def number(self, low: int, high: int) -> int:
        """A number in a range, both ends included."""
        return self._draw(st.integers(low, high))

    def chance(self, one_in: int) -> bool:
        """True once in so many times; false is what a failure shrinks to."""
        return self._draw(st.integers(0, one_in - 1)) == one_in - 1

    def form(self, name: str, one_in: int = 1) -> bool:
        """True once in so many times, if the levels that the kernel is for have a form."""
        return all(has(level, name) for level in self.levels) and self.chance(one_in)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """A permutation."""
        return self._draw(st.permutations(list(items)))

    # Text.

    def name(self, prefix: str = "v") -> str:
        """A fresh SSA name."""
        self._count += 1
        return f"%{prefix}{self._count}"

    def emit(self, line: str) -> None:
        """Appends a line."""
        self.lines.append(line)

    def define(self, text: str, prefix: str = "v") -> str:
        """Appends `%fresh = text`; returns the name."""
        name = self.name(prefix)
        self.emit(f"{name} = {text}")
        return name

    def value(self, text: str, element: str, shape: Sequence[int], rough: bool = False) -> Value:
        """Appends an op whose one result is a tensor."""
        return Value(self.define(text), element, tuple(shape), rough)

    def constant(self, number: int) -> str:
        """An index constant."""
        return self.define(f"arith.constant {number} : index", "c")

    def alias(self, text: str) -> str:
        """An alias for an attribute."""
        return self.aliases.setdefault(text, f"#alias{len(self.aliases)}")

    @contextmanager
    def region(self, opening: str, closing: str = "}") -> Iterator[None]:
        """Text inside a region of an op."""
        self.emit(opening)
        yield
        self.emit(closing)

    # Arguments.

    def array(self, data: Tensor) -> str:
        """The SSA name of the address of a new array."""
        if self.chance(8):
            end = max([4096, *(a * d.element_size() + d.nbytes for a, d in self.device.items())])
            address = (end + 8192) // 128 * 128 // data.element_size()
            self.device[address] = data
            return self.constant(address)
        name = f"p{len(self.arguments)}"
        self.arguments[name], self.types[name] = data, "index"
        return f"%{name}"

    def scalar(self, value: float, type_: str = "index") -> str:
        """The SSA name of a new scalar argument."""
        name = f"n{len(self.arguments)}"
        self.arguments[name], self.types[name] = value, type_
        if type_ != "index" or not isinstance(value, int) or value < 1 or not self.chance(8):
            return f"%{name}"
        unit = self.pick([n for n in (1, 2, 4) if value % n == 0])
        promises = f"index, granularity={unit}, upperbound={value + self.number(0, 4)}"
        self.types[name] = f"!ktdp.runtime_arg<{promises}>"
        return self.define(
            f"ktdp.runtime_arg_extract value from %{name} : {self.types[name]} -> index"
        )

    def scratchpad(self, size: int) -> int:
        """The byte address of fresh room in the scratchpad."""
        start = self._scratchpad
        self._scratchpad += (size + 127) // 128 * 128
        return start

    def data(self, count: int, element: str) -> Tensor:
        """Elements of a new array; what they are depends on a seed that is drawn."""
        generator = np.random.default_rng(self._draw(st.integers(0, 2**16)))
        return elements(generator, self.pick(REGIMES), count, element)

    def finish(self) -> Kernel:
        """The whole kernel."""
        signature = ", ".join(f"%{name}: {type_}" for name, type_ in self.types.items())
        grid = f" attributes {{grid = {list(self.grid)}}}" if self.grid else ""
        body = "\n".join(f"  {line}" for line in [*self._preamble(), *self.lines, "return"])
        aliases = "".join(f"{alias} = {text}\n" for text, alias in self.aliases.items())
        text = f"{aliases}func.func @kernel({signature}){grid} {{\n{body}\n}}\n"
        text += "".join(self.functions)
        return Kernel(text, self.arguments, self.device, self.levels, self.cores)

    def _preamble(self) -> list[str]:
        """The number of the core, from its coordinates."""
        if not self.grid:
            return ["%core = arith.constant 0 : index"]
        count = len(self.grid)
        names = [f"%id#{i}" for i in range(count)]
        lines = [f"%id:{count} = ktdp.get_compute_tile_id : {', '.join(['index'] * count)}"]
        number, size = names[0], self.grid[0]
        for axis in range(1, count):
            lines.append(f"%core_size{axis} = arith.constant {size} : index")
            lines.append(f"%core_part{axis} = arith.muli {names[axis]}, %core_size{axis} : index")
            lines.append(f"%core_sum{axis} = arith.addi {number}, %core_part{axis} : index")
            number, size = f"%core_sum{axis}", size * self.grid[axis]
        lines.append("%core_zero = arith.constant 0 : index")
        lines.append(f"%core = arith.addi {number}, %core_zero : index")
        return lines


REGIMES = ("small", "small", "normal", "wide")
"""How the elements of an array are chosen: few bits, near 1, or anything."""

_SPECIAL = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1.0, -1.0, 6e-8, 65504.0, 1e-40]


def elements(generator: Any, regime: str, count: int, element: str) -> Tensor:
    """`count` elements of a regime."""
    dtype = DTYPES[element]
    if element == "i1":
        return torch.from_numpy(generator.integers(0, 2, count).astype(bool))
    if not dtype.is_floating_point:
        limits = torch.iinfo(dtype)
        bounds = (-5, 6) if regime != "wide" else (limits.min, limits.max)
        numbers = generator.integers(*bounds, count, dtype=np.int64, endpoint=regime == "wide")
        return torch.from_numpy(numbers).to(dtype)
    if regime == "small":
        numbers = generator.integers(-16, 17, count) / 4
    else:
        numbers = generator.standard_normal(count)
        if regime == "wide":
            numbers = numbers * np.exp2(generator.integers(-18, 15, count))
            special = generator.random(count) < 0.2
            numbers = np.where(special, generator.choice(_SPECIAL, count), numbers)
    return torch.from_numpy(numbers).to(dtype)
