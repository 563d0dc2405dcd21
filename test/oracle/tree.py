"""An MLIR module as plain Python: the only part of the oracle that knows the bindings.

Values are numbered; attributes become ints, floats, strings, lists, `Map`, `Set` or `Type`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ktir.mlir import ir

from .affine import parse_map, parse_set
from .errors import OracleLimit
from .formats import from_bits, is_float, width, wrap

DYNAMIC = -(1 << 63)
"""What a static list holds where an operand says the number."""

_SHAPED = re.compile(r"(?:tensor|memref|!ktdp\.access_tile)<((?:(?:\d+|\?)x)*)(\w+)")
_DENSE = re.compile(r"dense<(.*)> : ", re.DOTALL)
_NUMBER = re.compile(r"0x[0-9A-Fa-f]+|[-+]?\d[\d.]*(?:[eE][-+]?\d+)?|true|false")


@dataclass(frozen=True)
class Type:
    """A type: `element` is its scalar type; `shape` is None for scalars, -1 stands for `?`."""

    text: str
    element: str
    shape: tuple[int, ...] | None


@lru_cache(maxsize=4096)
def parse_type(text: str) -> Type:
    """A type from its printed form."""
    match = _SHAPED.match(text)
    if match is None:
        runtime = re.match(r"!ktdp\.runtime_arg<(\w+)", text)
        return Type(text, runtime[1] if runtime else text, None)
    sizes = match[1].split("x")[:-1]
    return Type(text, match[2], tuple(-1 if n == "?" else int(n) for n in sizes))


@dataclass
class Block:
    """Arguments by number, and ops in order."""

    arguments: list[int]
    types: list[Type]
    ops: list[Op]


@dataclass
class Op:
    """One operation. `cache` holds what the interpreter worked out about it."""

    name: str
    operands: list[int]
    operand_types: list[Type]
    results: list[int]
    types: list[Type]
    attributes: dict[str, Any]
    regions: list[list[Block]]
    place: str
    cache: dict[str, Any] = field(default_factory=dict)

    def groups(self) -> list[list[int]]:
        """Operands by the groups of the op's definition."""
        sizes = self.attributes["operandSegmentSizes"]
        found, start = [], 0
        for size in sizes:
            found.append(self.operands[start : start + size])
            start += size
        return found

    def block(self, region: int = 0) -> Block:
        """The only block of a region."""
        (block,) = self.regions[region]
        return block

    def once(self, key: str, make: Callable[[], Any]) -> Any:
        """What `make` returns, called the first time only."""
        if key not in self.cache:
            self.cache[key] = make()
        return self.cache[key]


def read_module(module: ir.Operation) -> dict[str, Op]:
    """The functions of a module and the modules inside it, by name."""
    return {op.attributes["sym_name"]: op for op in _functions(_Reader().op(module))}


def _functions(op: Op) -> Iterator[Op]:
    if op.name == "func.func":
        yield op
    elif op.name == "builtin.module":
        for inner in op.block().ops:
            yield from _functions(inner)


class _Reader:
    """Numbers values in the order in which they are defined."""

    def __init__(self) -> None:
        self._numbers: dict[ir.Value, int] = {}

    def op(self, op: ir.Operation) -> Op:
        operands = list(op.operands)
        return Op(
            op.name,
            [self._numbers[value] for value in operands],
            [parse_type(str(value.type)) for value in operands],
            [self._number(value) for value in op.results],
            [parse_type(str(value.type)) for value in op.results],
            {name: plain(op.attributes[name]) for name in op.attributes},
            [[self._block(block) for block in region.blocks] for region in op.regions],
            f"'{op.name}' at {op.location}",
        )

    def _block(self, block: ir.Block) -> Block:
        numbers = [self._number(argument) for argument in block.arguments]
        types = [parse_type(str(argument.type)) for argument in block.arguments]
        return Block(numbers, types, [self.op(op.operation) for op in block.operations])

    def _number(self, value: ir.Value) -> int:
        return self._numbers.setdefault(value, len(self._numbers))


def plain(attribute: Any) -> Any:
    """An attribute as a Python value."""
    if isinstance(attribute, (ir.BoolAttr, ir.StringAttr, ir.FloatAttr)):
        return attribute.value
    if isinstance(attribute, ir.IntegerAttr):
        return int(attribute.value)
    if isinstance(attribute, ir.ArrayAttr):
        return [plain(entry) for entry in attribute]
    if isinstance(attribute, (ir.DenseI64ArrayAttr, ir.DenseI32ArrayAttr)):
        return [int(entry) for entry in attribute]
    if isinstance(attribute, ir.AffineMapAttr):
        return parse_map(str(attribute))
    if isinstance(attribute, ir.TypeAttr):
        return parse_type(str(attribute.value))
    text = str(attribute)
    if text.startswith("affine_set<"):
        return parse_set(text)
    if isinstance(attribute, ir.DenseElementsAttr):
        return dense(text, parse_type(str(attribute.type)))
    return text


def dense(text: str, shaped: Type) -> list[Any]:
    """The elements of a printed dense attribute, in row-major order; one for a splat."""
    match = _DENSE.match(text)
    if match is None:
        raise OracleLimit(f"constant {text[:80]}")
    if match[1].startswith('"0x'):
        return _unpacked(bytes.fromhex(match[1][3:-1]), shaped.element)
    return [_number(token, shaped.element) for token in _NUMBER.findall(match[1])]


def _number(token: str, element: str) -> Any:
    if token in ("true", "false"):
        return int(token == "true")
    if is_float(element):
        hexadecimal = token.startswith("0x")
        return from_bits(int(token, 16), element) if hexadecimal else float(token)
    return wrap(int(token, 0), element)


def _unpacked(data: bytes, element: str) -> list[Any]:
    """The elements of hexadecimal data, little endian."""
    if element == "i1":
        return [int(byte != 0) for byte in data]
    sizes = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}
    size = sizes[element] if is_float(element) else width(element) // 8
    parts = [data[i : i + size] for i in range(0, len(data), size)]
    bits = [int.from_bytes(part, "little") for part in parts]
    if is_float(element):
        return [from_bits(b, element) for b in bits]
    return [wrap(b, element) for b in bits]
