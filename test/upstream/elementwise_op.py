"""One op on elements, and the kernels that try it on values at the edges of its types.

Each op runs on whole tensors, in the body of `linalg.generic` and on scalars; `index` has no
tensors. What it must give is the oracle's (`test.oracle.scalars`), or numpy's for functions that
the oracle does not have.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from test.oracle.formats import about
from test.oracle.scalars import function_of

from .case import DTYPES, Case, Data, kernel
from .samples import values_of

_COMBINATIONS = 400
"""Combinations of operands that are tried, spread over all of them."""
_ALONE = 60
"""As many of those of ops that have a form on scalars only."""
_SCALARS = 12
"""How many of them the op on scalars is tried on, where it has a form on tensors too."""


@dataclass(frozen=True)
class Elementwise:
    """An op on elements.

    `forms`: element types of operands and results, one pair a case. `text` is the op with `{0}`,
    `{1}` .. for operands, `{t}` for the first operand's type, `{r}` for the first result's.
    `function` is what it computes where the oracle does not say, up to `ulps`; `typed` gives a
    function that is exact for element types of operands and results. `operands` says which are
    tried.
    """

    op: str
    text: str
    forms: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]
    attributes: dict[str, Any] = field(default_factory=dict)
    function: Callable[..., Any] | None = None
    typed: Callable[..., Callable[..., Any]] | None = None
    ulps: float = 4.0
    operands: Callable[..., bool] = lambda *values: True

    def wanted(self, operands: Sequence[str], results: Sequence[str], values: Any) -> list[Any]:
        """The results, one sequence a result."""
        if self.typed is not None:
            function = self.typed(*operands, *results)
            rows = [function(*v) for v in values]
        elif self.function is None:
            function = function_of(self.op, operands, results, self.attributes)
            rows = [function(*v) for v in values]
        else:
            with np.errstate(all="ignore"):
                rows = [self._rounded(results, self.function(*v)) for v in values]
        return [list(c) for c in zip(*rows, strict=True)] if len(results) > 1 else [rows]

    def _rounded(self, results: Sequence[str], value: Any) -> Any:
        if len(results) > 1:
            return tuple(about(float(v), r, self.ulps) for v, r in zip(value, results, strict=True))
        return about(float(value), results[0], self.ulps)

    def cases(self) -> Iterator[Case]:
        """A kernel for each form of types, with the op written in every way it can be."""
        for operands, results in self.forms:
            alone = self.op.startswith("index.")
            combined = self._combinations(operands, _ALONE if alone else _COMBINATIONS)
            inputs = tensors_of(operands, zip(*combined, strict=True))
            outputs = _results(results, self.wanted(operands, results, combined))
            ways = [_scalars] if alone else [_tensors, _generic, _scalars]
            names = [_result_names(len(results), way) for way in range(len(ways))]
            body = "\n  ".join(
                way(self, inputs, outputs, made) for way, made in zip(ways, names, strict=True)
            )
            label = f"{' '.join(operands)} to {' '.join(results)} {self.attributes or ''}"
            yield kernel(self.op, body, inputs, outputs * len(ways), label)

    def _combinations(self, operands: Sequence[str], most: int) -> list[tuple[Any, ...]]:
        """Values of the operands, spread over all combinations of edges."""
        pools = [values_of(element) for element in operands]
        combined = [v for v in itertools.product(*pools) if self.operands(*v)]
        return combined[:: len(combined) // most + 1]

    def line(self, names: Sequence[str], operands: Sequence[str], results: Sequence[str]) -> str:
        """The op on values and types."""
        named = {"t": operands[0], "r": results[0], "last": operands[-1], "other": results[-1]}
        return self.text.format(*names, **named)


def _result_names(results: int, way: int) -> list[str]:
    """The names that a kernel stores, see `case.kernel`."""
    return [f"%{chr(ord('r') + way * results + i)}" for i in range(results)]


def _names(prefix: str, count: int) -> list[str]:
    return [f"%{prefix}{i}" for i in range(count)]


def _loaded(inputs: Sequence[Data]) -> list[str]:
    return [f"%{chr(ord('a') + i)}" for i in range(len(inputs))]


def _types(values: Sequence[Data]) -> list[str]:
    return [value.type for value in values]


def _elements(values: Sequence[Data]) -> list[str]:
    return [value.element for value in values]


def _tensors(
    op: Elementwise, inputs: Sequence[Data], outputs: Sequence[Data], names: Sequence[str]
) -> str:
    """The op on whole tensors."""
    return f"{', '.join(names)} = {op.line(_loaded(inputs), _types(inputs), _types(outputs))}"


def _generic(
    op: Elementwise, inputs: Sequence[Data], outputs: Sequence[Data], names: Sequence[str]
) -> str:
    """The op in the body of `linalg.generic`."""
    made = ", ".join(_types(outputs))
    starts = _names("start", len(outputs))
    xs, yields = _names("x", len(inputs)), _names("v", len(outputs))
    arguments = [f"{x}: {d.element}" for x, d in zip(xs, inputs, strict=True)]
    arguments += [f"%o{i}: {d.element}" for i, d in enumerate(outputs)]
    maps = ", ".join(["affine_map<(d0) -> (d0)>"] * (len(inputs) + len(outputs)))
    return f"""{_empty(starts, outputs)}
  {_several("generic", names)} = linalg.generic {{indexing_maps = [{maps}],
      iterator_types = ["parallel"]}}
      ins({", ".join(_loaded(inputs))} : {", ".join(_types(inputs))})
      outs({", ".join(starts)} : {made}) {{
  ^bb0({", ".join(arguments)}):
    {", ".join(yields)} = {op.line(xs, _elements(inputs), _elements(outputs))}
    linalg.yield {", ".join(yields)} : {", ".join(_elements(outputs))}
  }} -> {made if len(outputs) == 1 else f"({made})"}{_renamed("generic", names, outputs)}"""


def _scalars(
    op: Elementwise, inputs: Sequence[Data], outputs: Sequence[Data], names: Sequence[str]
) -> str:
    """The op on scalars, one after another; elements that are left out are those of the tensors."""
    size, alone = len(inputs[0].values), names == _result_names(len(outputs), 0)
    made = ", ".join(_types(outputs))
    starts = _names("begin", len(outputs)) if alone else _result_names(len(outputs), 0)
    carried = _names("sofar", len(outputs))
    xs, yields, kept = (
        _names("e", len(inputs)),
        _names("f", len(outputs)),
        _names("g", len(outputs)),
    )
    pairs = ", ".join(f"{c} = {b}" for c, b in zip(carried, starts, strict=True))
    lines = [
        f"{x} = tensor.extract {tensor}[%i] : {d.type}"
        for x, tensor, d in zip(xs, _loaded(inputs), inputs, strict=True)
    ]
    lines.append(f"{', '.join(yields)} = {op.line(xs, _elements(inputs), _elements(outputs))}")
    lines += [
        f"{g} = tensor.insert {y} into {c}[%i] : {d.type}"
        for g, y, c, d in zip(kept, yields, carried, outputs, strict=True)
    ]
    newline = "\n    "
    return f"""{_empty(starts, outputs) if alone else ""}
  %step = arith.constant {1 if alone else max(1, size // _SCALARS)} : index
  %size = arith.constant {size} : index
  {_several("loop", names)} = scf.for %i = %c0 to %size step %step
      iter_args({pairs}) -> ({made}) {{
    {newline.join(lines)}
    scf.yield {", ".join(kept)} : {made}
  }}{_renamed("loop", names, outputs)}"""


def _empty(names: Sequence[str], outputs: Sequence[Data]) -> str:
    pairs = zip(names, outputs, strict=True)
    return "\n  ".join(f"{name} = tensor.empty() : {d.type}" for name, d in pairs)


def _several(name: str, names: Sequence[str]) -> str:
    """What stands before an op's `=`: the one name, or the pack of several results."""
    return names[0] if len(names) == 1 else f"%{name}:{len(names)}"


def _renamed(pack: str, names: Sequence[str], outputs: Sequence[Data]) -> str:
    """Gives several results of one op the names that are stored."""
    if len(names) == 1:
        return ""
    return "".join(
        f"\n  {name} = tensor.cast %{pack}#{i} : {d.type} to {d.type}"
        for i, (name, d) in enumerate(zip(names, outputs, strict=True))
    )


def tensors_of(elements: Sequence[str], columns: Any) -> list[Data]:
    """A tensor for each element type."""
    return [
        Data(torch.tensor(column, dtype=DTYPES[element]), element)
        for element, column in zip(elements, columns, strict=True)
    ]


def _results(elements: Sequence[str], columns: Sequence[Sequence[Any]]) -> list[Data]:
    return [
        Data(torch.zeros(len(column), dtype=DTYPES[element]), element, column)
        for element, column in zip(elements, columns, strict=True)
    ]
