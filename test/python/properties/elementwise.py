"""Random ops on each element of tensors: arithmetic, comparisons, conversions, single elements.

A step takes the builder, the scope and a value of it, and returns a new value, or None where its op
does not apply. Rough values are only moved and converted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .kernel import FLOATS, Builder, Scope, Value, tensor_type

Step = Callable[[Builder, Scope, Value], "Value | None"]

FLOAT_BINARY = (
    "addf",
    "subf",
    "mulf",
    "divf",
    "maximumf",
    "minimumf",
    "maxnumf",
    "minnumf",
    "remf",
)
INTEGER_BINARY = (
    "addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui", "divsi",
    "divui", "remsi", "remui", "shli", "shrsi", "shrui", "floordivsi", "ceildivsi", "ceildivui",
)  # fmt: skip
FLOAT_UNARY = (
    "arith.negf", "math.absf", "math.ceil", "math.floor", "math.trunc", "math.roundeven",
    "math.round", "math.sqrt",
)  # fmt: skip
INTEGER_UNARY = ("math.absi", "math.ctpop", "math.ctlz", "math.cttz")
INEXACT = ("math.exp", "math.tanh", "math.rsqrt", "math.sin", "math.log", "math.erf", "math.exp2")
ORDERED = (
    "oeq",
    "ogt",
    "oge",
    "olt",
    "ole",
    "one",
    "ord",
    "ueq",
    "ugt",
    "uge",
    "ult",
    "ule",
    "uno",
)
INTEGER_TESTS = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def is_float(value: Value) -> bool:
    """Whether a tensor holds floats."""
    return value.element in FLOATS


def like(builder: Builder, scope: Scope, value: Value) -> Value:
    """An exact tensor of the same type: one in scope, or a constant."""
    same = [v for v in scope.values if v.type == value.type and not v.rough]
    if same and not builder.chance(5):
        return builder.pick(same)
    return splat_constant(builder, value.shape, value.element)


def literal(builder: Builder, element: str) -> str:
    """A number of an element type."""
    if element == "i1":
        return builder.pick(["true", "false"])
    if element in FLOATS:
        return builder.pick(["0.0", "1.0", "-0.5", "2.5", "-0.0"])
    return builder.pick(["0", "1", "-3", "7"])


def typed_literal(builder: Builder, element: str) -> str:
    """A number with its type."""
    number = literal(builder, element)
    return number if element == "i1" else f"{number} : {element}"


def splat_constant(builder: Builder, shape: Sequence[int], element: str) -> Value:
    """A constant that is the same everywhere."""
    type_ = tensor_type(shape, element)
    text = f"arith.constant dense<{literal(builder, element)}> : {type_}"
    return builder.value(text, element, shape)


def empty(builder: Builder, shape: Sequence[int], element: str) -> str:
    """The name of a new `tensor.empty`."""
    return builder.define(f"tensor.empty() : {tensor_type(shape, element)}", "e")


def binary(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """An op of `arith` on two tensors."""
    if value.rough:
        return None
    other = like(builder, scope, value)
    op = builder.pick(FLOAT_BINARY if is_float(value) else integer_binary(value.element))
    operands = [value.name, other.name] if builder.chance(2) else [other.name, value.name]
    return builder.value(
        f"arith.{op} {', '.join(operands)} : {value.type}", value.element, value.shape
    )


def integer_binary(element: str) -> Sequence[str]:
    """The ops of `arith` on two integers of a type."""
    return INTEGER_BINARY[:10] if element == "i1" else INTEGER_BINARY


def unary(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """An exact op on one tensor."""
    if value.rough or value.element == "i1":
        return None
    op = builder.pick(FLOAT_UNARY if is_float(value) else INTEGER_UNARY)
    return builder.value(f"{op} {value.name} : {value.type}", value.element, value.shape)


def ternary(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A fused product and sum, or a comparison and a selection."""
    if value.rough:
        return None
    other = like(builder, scope, value)
    if is_float(value) and builder.chance(4):
        third = like(builder, scope, value)
        text = f"math.fma {value.name}, {other.name}, {third.name} : {value.type}"
        return builder.value(text, value.element, value.shape)
    mask = compare(builder, value, other)
    first, second = builder.shuffled([value.name, like(builder, scope, value).name])
    text = (
        f"arith.select {mask}, {first}, {second} : {tensor_type(value.shape, 'i1')}, {value.type}"
    )
    return builder.value(text, value.element, value.shape)


def compare(builder: Builder, a: Value, b: Value) -> str:
    """The name of a tensor of i1."""
    if is_float(a):
        return builder.define(f"arith.cmpf {builder.pick(ORDERED)}, {a.name}, {b.name} : {a.type}")
    return builder.define(
        f"arith.cmpi {builder.pick(INTEGER_TESTS)}, {a.name}, {b.name} : {a.type}"
    )


def mask(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A comparison, kept as a tensor of i1."""
    if value.rough:
        return None
    name = compare(builder, value, like(builder, scope, value))
    return Value(name, "i1", value.shape)


CASTS = {
    ("f16", "f32"): ("arith.extf",),
    ("bf16", "f32"): ("arith.extf",),
    ("f32", "f16"): ("arith.truncf",),
    ("f32", "bf16"): ("arith.truncf",),
    ("f16", "i32"): ("arith.fptosi",),
    ("f32", "i32"): ("arith.fptosi", "arith.fptoui", "arith.bitcast"),
    ("f32", "i64"): ("arith.fptosi", "arith.fptoui"),
    ("bf16", "i8"): ("arith.fptosi",),
    ("i32", "f16"): ("arith.sitofp", "arith.uitofp"),
    ("i32", "f32"): ("arith.sitofp", "arith.uitofp", "arith.bitcast"),
    ("i32", "bf16"): ("arith.sitofp",),
    ("i64", "f32"): ("arith.sitofp", "arith.uitofp"),
    ("i64", "f16"): ("arith.sitofp", "arith.uitofp"),
    ("i8", "f16"): ("arith.sitofp", "arith.uitofp"),
    ("i1", "f16"): ("arith.uitofp", "arith.sitofp"),
    ("i1", "i32"): ("arith.extui", "arith.extsi"),
    ("i8", "i32"): ("arith.extui", "arith.extsi"),
    ("i32", "i64"): ("arith.extui", "arith.extsi"),
    ("i64", "i32"): ("arith.trunci",),
    ("i32", "i8"): ("arith.trunci",),
    ("i32", "i1"): ("arith.trunci",),
}
"""Ops that convert from one element type to another."""


def convert(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A conversion to another element type."""
    targets = [to for source, to in CASTS if source == value.element]
    if value.rough:
        targets = [to for to in targets if to in FLOATS]
    if not targets:
        return None
    target = builder.pick(targets)
    op = builder.pick(CASTS[value.element, target])
    type_ = tensor_type(value.shape, target)
    text = f"{op} {value.name} : {value.type} to {type_}"
    return builder.value(text, target, value.shape, value.rough)


def inexact(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A function that is not exact."""
    if value.rough or not is_float(value):
        return None
    text = f"{builder.pick(INEXACT)} {value.name} : {value.type}"
    return builder.value(text, value.element, value.shape, rough=True)


def from_scalar(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """A scalar everywhere: the core's number, an element of a tensor, or an argument."""
    kind = builder.pick(["core", "element", "argument"])
    if kind == "element" and value.shape and 0 not in value.shape and not value.rough:
        scalar = element_of(builder, scope, value)
    elif kind == "core" and value.element in ("i32", "f16", "f32"):
        scalar = builder.define("arith.index_cast %core : index to i32")
        if value.element != "i32":
            scalar = builder.define(f"arith.sitofp {scalar} : i32 to {value.element}")
    elif value.element in ("f16", "f32", "i32", "i64"):
        number: float = builder.number(-3, 3) / 2 if is_float(value) else builder.number(-3, 3)
        scalar = builder.scalar(number, value.element)
    else:
        return None
    return builder.value(f"tensor.splat {scalar} : {value.type}", value.element, value.shape)


def element_of(builder: Builder, scope: Scope, value: Value) -> str:
    """The name of one element of a tensor."""
    at = [place_in(builder, scope, size - 1) for size in value.shape]
    return builder.define(f"tensor.extract {value.name}[{', '.join(at)}] : {value.type}", "x")


def place_in(builder: Builder, scope: Scope, most: int) -> str:
    """The name of an index in [0, most]."""
    fitting = [i.name for i in scope.indices if i.low >= 0 and i.high <= most]
    if fitting and builder.chance(2):
        return builder.pick(fitting)
    return builder.constant(builder.number(0, most))


def set_element(builder: Builder, scope: Scope, value: Value) -> Value | None:
    """One element replaced by another."""
    if not value.shape or 0 in value.shape or value.rough:
        return None
    scalar = element_of(builder, scope, value)
    at = [place_in(builder, scope, size - 1) for size in value.shape]
    text = f"tensor.insert {scalar} into {value.name}[{', '.join(at)}] : {value.type}"
    return builder.value(text, value.element, value.shape)
