"""Arrays made up on the command line: `randn`, `zeros:64x64:f16`, `randint:8:i64:high=64:seed=7`.

Owns the form `KIND[:SHAPE][:DTYPE][:OPTION=VALUE ..]` and the values. Random arrays come from
numpy's default generator, seeded with the seed (0 unless given) and the name that the array is
given under: the same command line makes the same arrays everywhere, and two arguments differ.
"""

from __future__ import annotations

import dataclasses
import math
import re
import zlib
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from ktir.errors import InputError
from ktir.kernel_inputs import check_size

KINDS = ("zeros", "ones", "arange", "uniform", "randn", "randint")

DTYPES: Mapping[str, torch.dtype] = {
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
    "i1": torch.bool,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
}

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "uniform": ("low", "high", "seed"),
    "randn": ("seed",),
    "randint": ("low", "high", "seed"),
}

RANGES = {"uniform": (0.0, 1.0), "randint": (0.0, 10.0)}
"""`low` and `high` unless given; values are from `low` on and below `high`."""

_FORM = "KIND[:SHAPE][:DTYPE][:seed=N], as in randn:64x64:f16"


@dataclasses.dataclass(frozen=True)
class Generated:
    """An array to make. `shape` and `dtype` are None where the text leaves them to the kernel."""

    text: str
    kind: str
    shape: tuple[int, ...] | None
    dtype: torch.dtype | None
    options: Mapping[str, float]

    def make(
        self,
        name: str,
        shape: tuple[int, ...] | None,
        dtype: torch.dtype | None,
        expected: str = "",
    ) -> Tensor:
        """The array; `shape` and `dtype` are what the kernel expects under that name, if known;
        `expected` is how it writes the shape.

        Raises InputError if neither the text nor the kernel states them, or it would be too large.
        """
        shape = self.shape if self.shape is not None else shape
        dtype = self.dtype if self.dtype is not None else dtype
        if shape is None or dtype is None:
            what = "shape" if shape is None else "element type"
            found = f", where it is {expected}" if expected and shape is None else ""
            raise InputError(
                f"{name}={self.text}: the {what} cannot be taken from the kernel{found}; state it: "
                f"{_FORM}"
            )
        check_size(f"{name}={self.text}", shape, dtype)
        self._check_range(name, shape, dtype)
        try:
            return self._values(name, shape, dtype).to(dtype)
        except (MemoryError, RuntimeError) as error:
            raise InputError(
                f"{name}={self.text}: {'x'.join(map(str, shape))} elements do not fit into this "
                "computer's memory"
            ) from error

    def _check_range(self, name: str, shape: tuple[int, ...], dtype: torch.dtype) -> None:
        """Refuses values that the element type does not hold."""
        if self.kind not in ("arange", "uniform", "randint"):
            return
        low, high = self.ends()
        if self.kind == "arange":
            low, high = 0.0, float(math.prod(shape))
        last = high if self.kind == "uniform" else high - 1
        limits = torch.finfo(dtype) if dtype.is_floating_point else _integers(dtype)
        if last >= low and not limits.min <= low <= last <= limits.max:
            raise InputError(
                f"{name}={self.text}: values from {low:g} to {last:g} do not fit into "
                f"{str(dtype).removeprefix('torch.')}"
            )

    def ends(self) -> tuple[float, float]:
        """`low` and `high` of random arrays."""
        low, high = RANGES.get(self.kind, (0.0, 1.0))
        return self.options.get("low", low), self.options.get("high", high)

    def _values(self, name: str, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        if self.kind in ("zeros", "ones"):
            return torch.full(shape, float(self.kind == "ones"), dtype=torch.float64)
        if self.kind == "arange":
            return torch.arange(int(np.prod(shape))).reshape(shape)
        low, high = self.ends()
        seed = (int(self.options.get("seed", 0)), zlib.crc32(name.encode()))
        rng = np.random.default_rng(seed)
        if self.kind == "randint":
            return torch.from_numpy(rng.integers(int(low), int(high), shape))
        wide = np.float64 if dtype is torch.float64 else np.float32
        if self.kind == "randn":
            return torch.from_numpy(rng.standard_normal(shape, dtype=wide))
        return torch.from_numpy(rng.random(shape, dtype=wide)) * (high - low) + low


def parse(text: str, option: str) -> Generated | None:
    """What a text asks for; None if it does not begin with a kind.

    Raises InputError, beginning with `option`, for parts that have no meaning.
    """
    kind, *parts = text.split(":")
    if kind not in KINDS:
        return None
    shape: tuple[int, ...] | None = None
    dtype: torch.dtype | None = None
    options: dict[str, float] = {}
    for part in parts:
        name, equals, value = part.partition("=")
        if equals:
            options[_option(kind, name, option, text)] = _number(name, value, option, text)
        elif part in DTYPES and dtype is None:
            dtype = DTYPES[part]
        elif re.fullmatch(r"\d+(x\d+)*", part) and shape is None:
            shape = tuple(map(int, part.split("x")))
        else:
            raise InputError(
                f"{option}: found {part!r} in {text!r}, expected {_FORM}; element types are "
                f"{', '.join(DTYPES)}"
            )
    made = Generated(text, kind, shape, dtype, options)
    low, high = made.ends()
    if low >= high:
        raise InputError(
            f"{option}: {text!r} has no values: low {low:g} is not below high {high:g}"
        )
    return made


def _integers(dtype: torch.dtype) -> torch.iinfo:
    """The range of an integer type; truth values are made from any number."""
    return torch.iinfo(torch.int64 if dtype is torch.bool else dtype)


def _option(kind: str, name: str, option: str, text: str) -> str:
    known = OPTIONS.get(kind, ())
    if name not in known:
        has = f"has {', '.join(known)}" if known else "has no options"
        raise InputError(f"{option}: {text!r} gives {name!r}, but {kind} {has}")
    return name


def _number(name: str, value: str, option: str, text: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    whole = name == "seed" and not (number >= 0 and number.is_integer())
    if whole or number - number != 0:
        raise InputError(f"{option}: {name} in {text!r} is {value!r}, expected a number")
    return number
