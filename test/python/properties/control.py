"""Random control flow around random computation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .compute import compute
from .elementwise import binary, element_of, is_float
from .indices import index
from .kernel import Builder, Index, Scope, Value
from .memory import load, store
from .messages import exchange
from .open_tiles import open_copy
from .scratchpads import neighbour, own_copy


def statement(builder: Builder, scope: Scope) -> None:
    """One or more ops."""
    kinds: list[Callable[[Builder, Scope], None]] = [_compute for _ in range(8)]
    kinds += [_load, _store, index, open_copy]
    if scope.depth < 2:
        kinds += [_for, _if, _for_with_tail, _while, _forall, _switch, _once, _parallel, _call]
    if scope.uniform:
        kinds += [exchange] * 2
    if scope.uniform and scope.depth == 0:
        kinds.append(neighbour)
    builder.pick(kinds)(builder, scope)


def block(builder: Builder, scope: Scope, most: int) -> None:
    """Some statements."""
    for _ in range(builder.number(0, most)):
        statement(builder, scope)


def _compute(builder: Builder, scope: Scope) -> None:
    compute(builder, scope, recent(builder, scope))


def recent(builder: Builder, scope: Scope) -> Value:
    """A value, more likely a late one."""
    return builder.pick([*scope.values, *scope.values[-3:], *scope.values[-1:]])


def _load(builder: Builder, scope: Scope) -> None:
    value = recent(builder, scope)
    if value.shape:
        scope.values.append(load(builder, scope, value.shape, value.element))


def _store(builder: Builder, scope: Scope) -> None:
    value = recent(builder, scope)
    if builder.form("scratchpad view", 3):
        scope.values.append(own_copy(builder, scope, value))
        return
    if not value.rough:
        store(builder, scope, value)


def _carried(builder: Builder, scope: Scope, most: int = 2) -> list[Value]:
    """Values that a loop carries; exact ones, since what is added to them is not known."""
    exact = [
        v for v in scope.values
        if not v.rough and (0 not in v.shape or builder.form("loop that carries empty tensors"))
    ]  # fmt: skip
    return [builder.pick(exact) for _ in range(builder.number(0, most))] if exact else []


def _arguments(builder: Builder, values: Sequence[Value]) -> list[Value]:
    return [Value(builder.name("a"), v.element, v.shape) for v in values]


def _yielded(builder: Builder, scope: Scope, values: Sequence[Value]) -> str:
    """What a region yields: values in scope of these types."""
    names = []
    for value in values:
        same = [v.name for v in scope.values if v.type == value.type and not v.rough]
        names.append(builder.pick([*same, *same[-2:]]))
    types = ", ".join(value.type for value in values)
    return f"scf.yield {', '.join(names)} : {types}" if names else "scf.yield"


def _results(builder: Builder, values: Sequence[Value], text: str) -> list[Value]:
    """Emits an op with such results; returns them."""
    if not values:
        builder.emit(text)
        return []
    name = builder.name()
    count = len(values)
    builder.emit(f"{name}:{count} = {text}" if count > 1 else f"{name} = {text}")
    names = [f"{name}#{i}" for i in range(count)] if count > 1 else [name]
    return [Value(n, v.element, v.shape) for n, v in zip(names, values, strict=True)]


def _types(values: Sequence[Value]) -> str:
    types = ", ".join(value.type for value in values)
    return f"({types})" if len(values) > 1 else types


def _bound(builder: Builder, scope: Scope) -> tuple[str, int, bool]:
    """The end of a loop, the most it can be, and whether it is the same for all cores."""
    small = [i for i in scope.indices if i.low >= 0 and i.high <= 3]
    kind = builder.pick(["constant", "argument", "index"])
    if kind == "index" and small:
        index = builder.pick(small)
        return index.name, index.high, False
    number = builder.number(0, 3)
    name = builder.scalar(number) if kind == "argument" else builder.constant(number)
    return name, number, True


def _for(builder: Builder, scope: Scope) -> None:
    _loop(builder, scope, 0)


def _for_with_tail(builder: Builder, scope: Scope) -> None:
    _loop(builder, scope, builder.number(0, 2))


def _loop(builder: Builder, scope: Scope, first: int) -> None:
    """`scf.for` with any number of carried tensors."""
    end, most, together = _bound(builder, scope)
    step = builder.number(1, 2)
    low, by = builder.constant(first), builder.constant(step)
    carried = _carried(builder, scope)
    arguments = _arguments(builder, carried)
    inner = scope.inner(together)
    induction = builder.name("i")
    inner.values += arguments
    if most > first:
        inner.indices.append(Index(induction, first, most - 1))
    inits = ", ".join(f"{a.name} = {v.name}" for a, v in zip(arguments, carried, strict=True))
    passed = f" iter_args({inits}) -> ({', '.join(v.type for v in carried)})" if carried else ""
    results = _results(
        builder, carried, f"scf.for {induction} = {low} to {end} step {by}{passed} {{"
    )
    block(builder, inner, 3)
    if carried:
        builder.emit(_yielded(builder, inner, carried))
    builder.emit("}")
    scope.values += results


def condition(builder: Builder, scope: Scope) -> str:
    """The name of an i1: by core, by an index, by an argument, or by data."""
    kind = builder.pick(["index", "argument", "data"])
    if kind == "argument":
        return builder.scalar(builder.number(0, 1), "i1")
    exact = [v for v in scope.values if not v.rough and v.shape and 0 not in v.shape]
    if kind == "data" and exact:
        value = builder.pick(exact)
        scalar = element_of(builder, scope, value)
        if value.element == "i1":
            return scalar
        zero = "0.0" if is_float(value) else "0"
        other = builder.define(f"arith.constant {zero} : {value.element}")
        test = "cmpf ogt" if is_float(value) else "cmpi sgt"
        return builder.define(f"arith.{test}, {scalar}, {other} : {value.element}")
    index = builder.pick(scope.indices)
    other = builder.constant(builder.number(0, 2))
    test = builder.pick(["eq", "ult", "ne", "sge"])
    return builder.define(f"arith.cmpi {test}, {index.name}, {other} : index")


def _if(builder: Builder, scope: Scope) -> None:
    """`scf.if`, with results and an else, or without."""
    test = condition(builder, scope)
    values = _carried(builder, scope)
    returns = f" -> ({', '.join(v.type for v in values)})" if values else ""
    results = _results(builder, values, f"scf.if {test}{returns} {{")
    _arm(builder, scope, values)
    if values or builder.chance(2):
        builder.emit("} else {")
        _arm(builder, scope, values)
    builder.emit("}")
    scope.values += results


def _arm(builder: Builder, scope: Scope, values: Sequence[Value]) -> None:
    inner = scope.inner()
    block(builder, inner, 3)
    if values:
        builder.emit(_yielded(builder, inner, values))


def _while(builder: Builder, scope: Scope) -> None:
    """A loop with a condition that counts up to a bound, which may differ by core."""
    if not builder.form("scf.while"):
        return
    end, _, together = _bound(builder, scope)
    carried = _carried(builder, scope, most=1)
    start, one = builder.constant(0), builder.constant(1)
    before, after = _arguments(builder, carried), _arguments(builder, carried)
    types = ", ".join(["index", *(v.type for v in carried)])
    count = builder.name("w")
    inits = [f"{count}a = {start}"]
    inits += [f"{a.name} = {v.name}" for a, v in zip(before, carried, strict=True)]
    name = builder.name()
    builder.emit(
        f"{name}:{len(carried) + 1} = scf.while ({', '.join(inits)}) : ({types}) -> ({types}) {{"
    )
    test = builder.define(f"arith.cmpi slt, {count}a, {end} : index")
    passed = ", ".join([f"{count}a", *(v.name for v in before)])
    builder.emit(f"scf.condition({test}) {passed} : {types}")
    builder.emit("} do {")
    signature = ", ".join([f"{count}b: index", *(f"{v.name}: {v.type}" for v in after)])
    builder.emit(f"^bb0({signature}):")
    inner = scope.inner(together)
    inner.values += after
    block(builder, inner, 2)
    more = builder.define(f"arith.addi {count}b, {one} : index")
    yielded = _yielded(builder, inner, carried).removeprefix("scf.yield")
    names, _, _ = yielded.partition(" :")
    builder.emit(f"scf.yield {', '.join([more, *filter(None, [names.strip()])])} : {types}")
    builder.emit("}")
    scope.values += [Value(f"{name}#{i + 1}", v.element, v.shape) for i, v in enumerate(carried)]


def _forall(builder: Builder, scope: Scope) -> None:
    """`scf.forall` over the rows of a tensor, each iteration replacing one."""
    rows = [
        v
        for v in scope.values
        if len(v.shape) == 2 and v.shape[0] <= 4 and 0 not in v.shape and not v.rough
    ]
    if not rows or not builder.form("scf.forall"):
        return
    value = builder.pick(rows)
    count, columns = value.shape
    index, shared, result = builder.name("i"), builder.name("a"), builder.name()
    builder.emit(
        f"{result} = scf.forall ({index}) in ({count}) shared_outs({shared} = {value.name}) "
        f"-> ({value.type}) {{"
    )
    row = f"tensor<1x{columns}x{value.element}>"
    text = (
        f"tensor.extract_slice {value.name}[{index}, 0] [1, {columns}] [1, 1] "
        f": {value.type} to {row}"
    )
    part = builder.value(text, value.element, (1, columns))
    inner = scope.inner()
    inner.values = [part]
    inner.indices.append(Index(index, 0, count - 1))
    for _ in range(builder.number(0, 2)):
        compute(builder, inner, builder.pick(inner.values))
    part = [v for v in inner.values if v.type == part.type and not v.rough][-1]
    builder.emit("scf.forall.in_parallel {")
    builder.emit(
        f"tensor.parallel_insert_slice {part.name} into {shared}[{index}, 0] [1, {columns}] [1, 1] "
        f": {row} into {value.type}"
    )
    builder.emit("}")
    builder.emit("}")
    scope.values.append(Value(result, value.element, value.shape))


def _switch(builder: Builder, scope: Scope) -> None:
    """`scf.index_switch` with one or two cases."""
    if not builder.form("scf.index_switch"):
        return
    chosen, values = builder.pick(scope.indices), _carried(builder, scope)
    returns = f" -> {', '.join(v.type for v in values)}" if values else ""
    results = _results(builder, values, f"scf.index_switch {chosen.name}{returns}")
    for case in builder.shuffled([0, 1, 2])[: builder.number(1, 2)]:
        builder.emit(f"case {case} {{")
        _ended_arm(builder, scope, values)
    builder.emit("default {")
    _ended_arm(builder, scope, values)
    scope.values += results


def _ended_arm(builder: Builder, scope: Scope, values: Sequence[Value]) -> None:
    _arm(builder, scope, values)
    if not values:
        builder.emit("scf.yield")
    builder.emit("}")


def _once(builder: Builder, scope: Scope) -> None:
    """`scf.execute_region`."""
    values = _carried(builder, scope)
    if not values or not builder.form("scf.execute_region"):
        return
    returns = ", ".join(v.type for v in values)
    results = _results(builder, values, f"scf.execute_region -> ({returns}) {{")
    _arm(builder, scope, values)
    builder.emit("}")
    scope.values += results


def _parallel(builder: Builder, scope: Scope) -> None:
    """`scf.parallel` that folds a number of each iteration."""
    if not builder.form("scf.parallel with results"):
        return
    end, _, _ = _bound(builder, scope)
    low, step = builder.constant(0), builder.constant(1)
    start = builder.define("arith.constant 3 : i32")
    at, left, right = builder.name("i"), builder.name("l"), builder.name("r")
    result = builder.name()
    builder.emit(
        f"{result} = scf.parallel ({at}) = ({low}) to ({end}) step ({step}) init ({start}) "
        f"-> i32 {{"
    )
    number = builder.define(f"arith.index_cast {at} : index to i32")
    square = builder.define(f"arith.muli {number}, {number} : i32")
    builder.emit(f"scf.reduce({square} : i32) {{")
    builder.emit(f"^bb0({left}: i32, {right}: i32):")
    total = builder.define(f"arith.{builder.pick(['addi', 'maxsi'])} {left}, {right} : i32")
    builder.emit(f"scf.reduce.return {total} : i32")
    builder.emit("}")
    builder.emit("}")
    scope.values.append(builder.value(f"tensor.splat {result} : tensor<3x4xi32>", "i32", (3, 4)))


def _call(builder: Builder, scope: Scope) -> None:
    """A call of a function that computes on its arguments."""
    if not builder.form("call of a function"):
        return
    values = _carried(builder, scope)
    if not values:
        return
    name = f"helper{len(builder.functions)}"
    outer, builder.lines = builder.lines, []
    inner = Scope(_arguments(builder, values), [], depth=2, uniform=False)
    signature = ", ".join(f"{v.name}: {v.type}" for v in inner.values)
    for _ in range(builder.number(0, 2)):
        value = builder.pick(inner.values)
        made = binary(builder, Scope([value], []), value)
        inner.values += [made] if made else []
    yielded = _yielded(builder, inner, values).replace("scf.yield", "return")
    types = ", ".join(v.type for v in values)
    lines = "".join(f"  {line}\n" for line in [*builder.lines, yielded])
    head = f"func.func private @{name}({signature}) -> ({types}) {{\n"
    builder.functions.append(f"{head}{lines}}}\n")
    builder.lines = outer
    text = f"func.call @{name}({', '.join(v.name for v in values)}) : ({types}) -> ({types})"
    scope.values += _results(builder, values, text)
