"""Index values of a kernel as expressions of its scalar arguments.

Owns reading them off the ops that compute them (constants, `arith`, tile ids, loop variables),
their text, and the range of values they take once the arguments are known.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ktir.intervals import ARITH, CASTS, RULES, Range
from ktir.machine.ktdp_ops import runtime_arg
from ktir.mlir import ir

AnyOp = ir.Operation | ir.OpView
"""An op as the bindings hand it out."""


@dataclasses.dataclass(frozen=True)
class Expression:
    """An index value: a constant, the name of an argument, a variable, or an op on expressions.

    `kind`: "constant" (with `value`), "name" (with `text`), "variable" (`text`, from `parts[0]` up
    to before `parts[1]` in steps of `parts[2]`), "unknown" (`text`), or one of
    `ktir.intervals.RULES`, on `parts`.
    """

    kind: str
    parts: tuple[Expression, ...] = ()
    value: int = 0
    text: str = ""

    def bounds(self, given: Mapping[str, int]) -> Range | None:
        """The range of values for these values of arguments; None if it cannot be known."""
        if self.kind == "constant":
            return self.value, self.value
        if self.kind == "name":
            return (given[self.text], given[self.text]) if self.text in given else None
        ranges = [part.bounds(given) for part in self.parts]
        known = [bounds for bounds in ranges if bounds is not None]
        if len(known) < len(ranges) or self.kind == "unknown":
            return None
        if self.kind == "variable":
            return _steps(*known)
        return RULES[self.kind](*known)

    def known(self, given: Mapping[str, int]) -> int | None:
        """The value, if these arguments leave only one."""
        bounds = self.bounds(given)
        return bounds[0] if bounds is not None and bounds[0] == bounds[1] else None

    def __str__(self) -> str:
        if self.kind == "constant":
            return str(self.value)
        if self.kind in SYMBOLS:
            return SYMBOLS[self.kind].join(_factor(part, self.kind) for part in self.parts)
        if self.kind in RULES:
            return f"{self.kind}({', '.join(map(str, self.parts))})"
        return self.text


def _steps(first: Range, end: Range, step: Range) -> Range | None:
    """The range of a variable that goes in steps."""
    if step[0] < 1:
        return None
    steps = max(end[1] - 1 - first[0], 0) // step[0]
    return first[0], first[0] + steps * step[0] if first[0] == first[1] else max(end[1] - 1, 0)


SYMBOLS = {"add": " + ", "sub": " - ", "mul": "*", "floordiv": " / ", "rem": " % "}
"""How ops between two expressions are written."""

UNKNOWN = Expression("unknown", text="?")


def constant(value: int) -> Expression:
    """A constant."""
    return Expression("constant", value=value)


def apply(kind: str, *parts: Expression) -> Expression:
    """An op of `ktir.intervals.RULES` on two expressions, folded where it can be."""
    left, right = parts
    if left.kind == right.kind == "constant":
        folded = Expression(kind, parts).known({})
        return UNKNOWN if folded is None else constant(folded)
    zero, one = constant(0), constant(1)
    if kind == "add" and zero in parts:
        return right if left == zero else left
    if kind == "mul" and one in parts:
        return right if left == one else left
    if kind == "mul" and zero in parts:
        return zero
    if kind in ("sub", "floordiv") and right == (zero if kind == "sub" else one):
        return left
    return Expression(kind, parts)


class Reader:
    """Reads values of one kernel.

    `names`: of the kernel's arguments. `grid`: cores in each dimension.
    """

    def __init__(self, kernel: ir.Operation, names: Sequence[str], grid: Sequence[int]) -> None:
        self._block = kernel.regions[0].blocks[0] if len(kernel.regions[0].blocks) else None
        self._names, self._grid = names, grid

    def read(self, value: ir.Value) -> Expression:
        """The expression of an index or integer value; `UNKNOWN` where no rule says it."""
        if isinstance(value, ir.BlockArgument):
            return self._block_argument(value)
        op = value.owner
        if op.name == "arith.constant":
            attribute = op.attributes["value"]
            known = isinstance(attribute, ir.IntegerAttr)
            return constant(ir.IntegerAttr(attribute).value) if known else UNKNOWN
        if op.name in CASTS:
            return self.read(op.operands[0])
        if op.name in ARITH:
            return apply(ARITH[op.name], *(self.read(operand) for operand in op.operands))
        if op.name in ("ktdp.get_compute_tile_id", "sdf.core_id"):
            return self._tile_id(value)
        if op.name == "ktdp.runtime_arg_extract":
            return self._promised(op)
        return UNKNOWN

    def argument(self, value: ir.Value) -> int | None:
        """The number of the kernel's argument that a value is, as it is or extracted."""
        if isinstance(value, ir.BlockArgument):
            return value.arg_number if value.owner == self._block else None
        owner = value.owner
        is_extract = owner.name == "ktdp.runtime_arg_extract"
        if owner.name in CASTS or (is_extract and _kind(owner) == "value"):
            return self.argument(owner.operands[0])
        return None

    def _block_argument(self, value: ir.BlockArgument[Any]) -> Expression:
        if value.owner == self._block:
            return Expression("name", text=self._names[value.arg_number])
        loop = value.owner.owner
        if loop.name != "scf.for" or value.arg_number != 0:
            return UNKNOWN
        return Expression("variable", tuple(map(self.read, list(loop.operands)[:3])), text="i")

    def _tile_id(self, value: ir.Value) -> Expression:
        number = ir.OpResult(value).result_number
        extent = self._grid[number] if number < len(self._grid) else 1
        if extent == 1:
            return constant(0)
        ends = (constant(0), constant(extent), constant(1))
        return Expression("variable", ends, text=f"core[{number}]")

    def _promised(self, op: AnyOp) -> Expression:
        kind = _kind(op)
        if kind == "value":
            return self.read(op.operands[0])
        promise = runtime_arg(op.operands[0].type)[1].get(kind)
        return UNKNOWN if promise is None else constant(promise)


def _kind(op: AnyOp) -> str:
    """What a `ktdp.runtime_arg_extract` takes: value, granularity or upperbound."""
    return ("value", "granularity", "upperbound")[ir.IntegerAttr(op.attributes["kind"]).value]


def _factor(part: Expression, within: str) -> str:
    """A part in parentheses where its op binds less than the one around it."""
    loose = ("add", "sub", "floordiv", "rem") if within in ("mul", "floordiv", "rem") else ()
    return f"({part})" if part.kind in loose else str(part)
