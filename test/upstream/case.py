"""Kernels of the table: their text, what they are run on and what they leave.

Owns how a piece of IR becomes a kernel that loads, computes and stores, and how it is run and
compared at a level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

import ktir.passes  # noqa: F401  (registers the passes)
from ktir.machine.kernel import run
from ktir.machine.source_names import argument_names
from ktir.modules import new_context, parse_module
from ktir.options import CompileOptions
from ktir.pipeline import run_stage
from ktir.target import load_target
from test.oracle import Rough
from test.oracle.formats import about, same

LEVELS = ("ktir", "sdf")

DTYPES = {
    "i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
    "i64": torch.int64, "index": torch.int64, "f16": torch.float16, "bf16": torch.bfloat16,
    "f32": torch.float32, "f64": torch.float64,
}  # fmt: skip
"""Element types that memory holds."""

ELEMENTS = {dtype: element for element, dtype in DTYPES.items() if element != "index"}


@dataclass(frozen=True)
class Data:
    """A tensor and its element type; `wanted` are its elements where some are known roughly only
    (see `test.oracle.formats.Rough`)."""

    values: Tensor
    element: str
    wanted: Sequence[Any] | None = None

    @property
    def type(self) -> str:
        """The type of the tensor."""
        return f"tensor<{_sizes(self.values)}{self.element}>"

    @property
    def elements(self) -> Sequence[Any]:
        """All elements in row-major order."""
        return self.values.reshape(-1).tolist() if self.wanted is None else self.wanted


def data(values: Tensor, element: str = "") -> Data:
    """A tensor whose element type follows from its dtype, unless it is said."""
    return Data(values, element or ELEMENTS[values.dtype])


def near(values: Tensor, ulps: float) -> Data:
    """Floats that may be off by some units in the last place."""
    element = ELEMENTS[values.dtype]
    return Data(values, element, [about(x, element, ulps) for x in values.reshape(-1).tolist()])


def within(values: Tensor, error: float) -> Data:
    """Floats that may be off by `error` times the greatest of them."""
    scale = float(values.double().abs().max())
    wanted = [Rough(x, error * scale, abs(x), 0.0) for x in values.reshape(-1).tolist()]
    return Data(values, ELEMENTS[values.dtype], wanted)


@dataclass(frozen=True)
class Case:
    """A kernel that exercises `op`.

    `refused` has for levels that refuse the kernel a pattern of what they say; a case that every
    level refuses needs no `outputs`.
    """

    op: str
    text: str
    arguments: Mapping[str, Any]
    outputs: Mapping[str, Data]
    label: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)

    def run(self, level: str) -> Mapping[Any, Any]:
        """The arrays as one level leaves them, with the full check on. Raises what it raises."""
        target = load_target()
        options = CompileOptions(target_file=target)
        return run(
            parse_module(self.text, "the kernel", new_context()),
            "k",
            self.arguments,
            names=argument_names(self.text),
            level=level,
            check="full",
            target=target,
            lower=lambda module: run_stage(module, "sdf", options, target),
        ).arrays

    def check(self, level: str) -> None:
        """Raises AssertionError where a level leaves something else than expected."""
        arrays = self.run(level)
        for name, wanted in self.outputs.items():
            found = arrays[name].reshape(-1).tolist()
            assert len(found) == len(wanted.elements)
            pairs = enumerate(zip(wanted.elements, found, strict=True))
            wrong = [f"[{i}]: expected {w!r}, found {f!r}" for i, (w, f) in pairs if not same(w, f)]
            assert not wrong, "\n".join(
                [f"{self.op} {self.label}, {level}: {name} is wrong", *wrong[:8], self.text]
            )


def _sizes(values: Tensor) -> str:
    return "".join(f"{size}x" for size in values.shape)


def _strides(shape: Sequence[int]) -> list[int]:
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    return strides


def _place(name: str, pointer: str, what: Data) -> str:
    shape = list(what.values.shape)
    dims = ", ".join(f"d{i}" for i in range(len(shape)))
    bounds = ", ".join(f"d{i} >= 0, -d{i} + {size - 1} >= 0" for i, size in enumerate(shape))
    valid, order = f"affine_set<({dims}) : ({bounds})>", f"affine_map<({dims}) -> ({dims})>"
    sizes, memref = _sizes(what.values), f"memref<{_sizes(what.values)}{what.element}>"
    zeros = ", ".join("%c0" for _ in shape)
    return f"""
  %{name}_view = ktdp.construct_memory_view %{pointer}, sizes: {shape}, strides: {_strides(shape)}
    {{ coordinate_set = {valid}, memory_space = #ktdp.spyre_memory_space<HBM> }} : {memref}
  %{name}_tile = ktdp.construct_access_tile %{name}_view[{zeros}]
    {{ access_tile_set = {valid}, access_tile_order = {order} }}
    : {memref} -> !ktdp.access_tile<{sizes}index>"""


def _load(name: str, pointer: str, what: Data) -> str:
    tile = f"!ktdp.access_tile<{_sizes(what.values)}index>"
    return (
        _place(name, pointer, what)
        + f"\n  %{name} = ktdp.load %{name}_tile : {tile} -> {what.type}"
    )


def _store(name: str, pointer: str, what: Data) -> str:
    tile = f"!ktdp.access_tile<{_sizes(what.values)}index>"
    return (
        _place(name, pointer, what) + f"\n  ktdp.store %{name}, %{name}_tile : {what.type}, {tile}"
    )


def kernel(
    op: str,
    body: str,
    inputs: Sequence[Data] = (),
    outputs: Sequence[Data] = (),
    label: str = "",
    module: str = "",
    scalars: Mapping[str, tuple[str, Any]] | None = None,
    refused: Mapping[str, str] | None = None,
) -> Case:
    """A kernel that loads `inputs` as %a, %b .., runs `body`, and stores %r, %s .. as `outputs`.

    `%c0`, `%c1`, `%c2` are indices. `module`: other ops at the top of the module. `scalars`:
    further arguments by name, with type and value.
    """
    scalars = scalars or {}
    into = [chr(ord("a") + i) for i in range(len(inputs))]
    out = [chr(ord("r") + i) for i in range(len(outputs))]
    pointers = [f"p{name}" for name in (*into, *out)]
    arguments = [f"%{p}: index" for p in pointers]
    arguments += [f"%{name}: {type_}" for name, (type_, _) in scalars.items()]
    constants = "".join(f"\n  %c{i} = arith.constant {i} : index" for i in range(3))
    loads = "".join(_load(n, f"p{n}", d) for n, d in zip(into, inputs, strict=True))
    stores = "".join(_store(n, f"p{n}", d) for n, d in zip(out, outputs, strict=True))
    text = (
        f"module {{\n{module}\nfunc.func @k({', '.join(arguments)}) attributes {{grid = [1]}} {{"
        f"{constants}{loads}\n  {body.strip()}{stores}\n  return\n}}\n}}\n"
    )
    given: dict[str, Any] = {f"p{n}": d.values for n, d in zip(into, inputs, strict=True)}
    given |= {f"p{n}": torch.zeros_like(d.values) for n, d in zip(out, outputs, strict=True)}
    given |= {name: value for name, (_, value) in scalars.items()}
    assert op.removeprefix("func.") in text, f"the kernel does not have {op}:\n{text}"
    left = {f"p{n}": d for n, d in zip(out, outputs, strict=True)}
    return Case(op, text, given, left, label, refused or {})
