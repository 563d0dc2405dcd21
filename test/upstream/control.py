"""`scf`, `affine`, `func` and `cf`: control flow over tensors and scalars, and index arithmetic."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator

import torch

from test.oracle.formats import wrap

from .case import DTYPES, Case, Data, data, kernel

_X = torch.arange(15).view(3, 5).half() - 4
_A = data(_X)
_T = _A.type
_COUNTS = torch.tensor([3, 0, 1, 2, 7], dtype=torch.int32)


def _index(*values: int) -> Data:
    return Data(torch.tensor(values), "index")


def _loops() -> Iterator[Case]:
    body = f"""%n = arith.constant 5 : index
  %z = arith.constant 0.0 : f16
  %r, %last = scf.for %i = %c0 to %n step %c2 iter_args(%x = %a, %s = %z) -> ({_T}, f16) {{
    %y = arith.addf %x, %a : {_T}
    %t = tensor.extract %y[%c0, %i] : {_T}
    scf.yield %y, %t : {_T}, f16
  }}
  %s = tensor.from_elements %last : tensor<1xf16>"""
    wanted = [data(_X * 4), data((_X * 4)[0, 4:5])]
    yield kernel("scf.for", body, [_A], wanted, "values carried")
    body = f"""%r = scf.for %i = %c2 to %c1 step %c1 iter_args(%x = %a) -> ({_T}) {{
    %y = arith.negf %x : {_T}
    scf.yield %y : {_T}
  }}"""
    yield kernel("scf.for", body, [_A], [_A], "no trip")
    body = """%n = arith.constant 5 : i32
  %z = arith.constant 0 : i32
  %o = arith.constant 1 : i32
  %sum = scf.for %i = %z to %n step %o iter_args(%s = %z) -> (i32) : i32 {
    %w = arith.index_cast %i : i32 to index
    %v = tensor.extract %a[%w] : tensor<5xi32>
    %inner = scf.for %j = %z to %v step %o iter_args(%t = %s) -> (i32) : i32 {
      %u = arith.addi %t, %i : i32
      scf.yield %u : i32
    }
    scf.yield %inner : i32
  }
  %r = tensor.from_elements %sum : tensor<1xi32>"""
    total = sum(i * int(count) for i, count in enumerate(_COUNTS))
    wanted = [data(torch.tensor([total], dtype=torch.int32))]
    yield kernel("scf.for", body, [data(_COUNTS)], wanted, "of i32, trips from memory")
    body = (
        f"""%r:2 = scf.while (%x = %a, %i = %c0) : ({_T}, index) -> ({_T}, index) {{
    %v = tensor.extract %x[%c0, %c0] : {_T}
    %limit = arith.constant -60.0 : f16
    %go = arith.cmpf ogt, %v, %limit : f16
    scf.condition(%go) %x, %i : {_T}, index
  }} do {{
  ^bb0(%x: {_T}, %i: index):
    %y = arith.addf %x, %x : {_T}
    %j = arith.addi %i, %c1 : index
    scf.yield %y, %j : {_T}, index
  }}
  %t = tensor.cast %r#0 : {_T} to {_T}
  %s = tensor.from_elements %r#1 : tensor<1xindex>""".replace("%r:2", "%w:2")
        .replace("%r#", "%w#")
        .replace("%t = tensor.cast", "%r = tensor.cast")
    )
    for op in ("scf.while", "scf.condition", "scf.yield"):
        yield kernel(op, body, [_A], [data(_X * 16), _index(4)])


def _unsigned() -> Iterator[Case]:
    """Bounds that are negative, or in the wrong order, when read as signed."""
    for low, high, step, element in (
        (100, 200, 20, "i8"),
        (200, 100, 20, "i8"),
        (250, 255, 3, "i8"),
        (-9, -1, 4, "index"),
        (5, -1, 2**62, "i64"),
    ):
        bits = {"i8": 8, "index": 64, "i64": 64}[element]
        counted = list(range(low % 2**bits, high % 2**bits, step))
        lines = [
            f"%{n} = arith.constant {v} : {element}"
            for n, v in zip("lhd", (low, high, step), strict=True)
        ]
        newline = "\n  "
        body = f"""{newline.join(lines)}
  %zero = arith.constant 0 : {element}
  %r0, %s0 = scf.for unsigned %i = %l to %h step %d iter_args(%n = %c0, %t = %zero)
      -> (index, {element}) : {element} {{
    %m = arith.addi %n, %c1 : index
    %u = arith.xori %t, %i : {element}
    scf.yield %m, %u : index, {element}
  }}
  %r = tensor.from_elements %r0 : tensor<1xindex>
  %s = tensor.from_elements %s0 : tensor<1x{element}>"""
        if element == "index":
            body = body.replace(") : index {", ") {")
        mixed = functools.reduce(operator.xor, counted, 0)
        last = Data(torch.zeros(1, dtype=DTYPES[element]), element, [wrap(mixed, element)])
        yield kernel("scf.for", body, [], [_index(len(counted)), last], f"unsigned {low} {high}")


def _branches() -> Iterator[Case]:
    for number, wanted in ((0, _X), (1, -_X), (5, _X + _X)):
        body = f"""%n = arith.constant {number} : index
  %v = tensor.extract %b[%c0] : tensor<1xindex>
  %r = scf.index_switch %v -> {_T}
  case 0 {{
    scf.yield %a : {_T}
  }}
  case 1 {{
    %x = arith.negf %a : {_T}
    scf.yield %x : {_T}
  }}
  default {{
    %x = arith.addf %a, %a : {_T}
    scf.yield %x : {_T}
  }}"""
        inputs = [_A, _index(number)]
        yield kernel("scf.index_switch", body, inputs, [data(wanted)], f"case {number}")
    for truth, wanted in ((True, _X + 1), (False, _X)):
        body = f"""%one = arith.constant dense<1.0> : {_T}
  %r, %n = scf.if %t -> ({_T}, index) {{
    %x = arith.addf %a, %one : {_T}
    scf.yield %x, %c2 : {_T}, index
  }} else {{
    scf.yield %a, %c1 : {_T}, index
  }}
  %s = tensor.from_elements %n : tensor<1xindex>"""
        outputs = [data(wanted), _index(2 if truth else 1)]
        yield kernel("scf.if", body, [_A], outputs, str(truth), scalars={"t": ("i1", truth)})
    body = f"""%r, %n = scf.execute_region -> ({_T}, index) {{
    %x = arith.mulf %a, %a : {_T}
    scf.yield %x, %c2 : {_T}, index
  }}
  %s = tensor.from_elements %n : tensor<1xindex>"""
    yield kernel("scf.execute_region", body, [_A], [data(_X * _X), _index(2)])


def _parallel() -> Iterator[Case]:
    body = f"""%e = tensor.empty() : {_T}
  %r = scf.forall (%i, %j) = (0, 0) to (3, 5) step (1, 1) shared_outs(%o = %e) -> ({_T}) {{
    %v = tensor.extract_slice %a[%i, %j] [1, 1] [1, 1] : {_T} to tensor<1x1xf16>
    %w = arith.mulf %v, %v : tensor<1x1xf16>
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %w into %o[%i, %j] [1, 1] [1, 1]
        : tensor<1x1xf16> into {_T}
    }}
  }}"""
    for op in ("scf.forall", "scf.forall.in_parallel"):
        yield kernel(op, body, [_A], [data(_X * _X)])
    body = f"""%n = arith.constant 3 : index
  %m = arith.constant 5 : index
  %z = arith.constant 0.0 : f16
  %o = arith.constant 1.0 : f16
  %sum, %most = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c2) init (%z, %o)
      -> (f16, f16) {{
    %v = tensor.extract %a[%i, %j] : {_T}
    scf.reduce(%v, %v : f16, f16) {{
    ^bb0(%p: f16, %q: f16):
      %s = arith.addf %p, %q : f16
      scf.reduce.return %s : f16
    }}, {{
    ^bb0(%p: f16, %q: f16):
      %s = arith.maximumf %p, %q : f16
      scf.reduce.return %s : f16
    }}
  }}
  %r = tensor.from_elements %sum, %most : tensor<2xf16>"""
    wanted = torch.stack([_X[:, ::2].sum(), _X.max()])
    for op in ("scf.parallel", "scf.reduce", "scf.reduce.return"):
        yield kernel(op, body, [_A], [data(wanted)])


def _affine() -> Iterator[Case]:
    body = """%p = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 floordiv 2 - 9)>(%i)[%n]
  %q = affine.apply affine_map<(d0)[s0] -> ((d0 - 20) mod 7 + (d0 - 20) ceildiv 7 + s0)>(%i)[%n]
  %r = tensor.from_elements %p, %q : tensor<2xindex>"""
    scalars = {"i": ("index", 4), "n": ("index", 7)}
    yield kernel("affine.apply", body, [], [_index(6, (-16) % 7 - 2 + 7)], scalars=scalars)
    body = """%p = affine.min affine_map<(d0)[s0] -> (4, s0 - d0, d0 * 2)>(%i)[%n]
  %r = tensor.from_elements %p : tensor<1xindex>"""
    yield kernel("affine.min", body, [], [_index(3)], scalars=scalars)
    body = """%p = affine.max affine_map<(d0)[s0] -> (4, s0 - d0, d0 * 2)>(%i)[%n]
  %r = tensor.from_elements %p : tensor<1xindex>"""
    yield kernel("affine.max", body, [], [_index(8)], scalars=scalars)
    body = """%p = affine.linearize_index [%i, %c1, %n] by (3, %n, 10) : index
  %r = tensor.from_elements %p : tensor<1xindex>"""
    wanted = [_index((4 * 7 + 1) * 10 + 7)]
    yield kernel("affine.linearize_index", body, [], wanted, scalars=scalars)
    body = """%p:3 = affine.delinearize_index %m into (4, %n, 10) : index, index, index
  %r = tensor.from_elements %p#0, %p#1, %p#2 : tensor<3xindex>"""
    more = {"m": ("index", 218), "n": ("index", 7)}
    yield kernel("affine.delinearize_index", body, [], [_index(3, 0, 8)], scalars=more)
    body = """%z = arith.constant 0.0 : f16
  %sum = affine.for %i = 0 to min affine_map<(d0) -> (d0, 5)>(%n) step 2
      iter_args(%s = %z) -> (f16) {
    %v = affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) -> f16 {
      %x = tensor.extract %a[%c2, %i] : tensor<3x5xf16>
      affine.yield %x : f16
    } else {
      affine.yield %z : f16
    }
    %t = arith.addf %s, %v : f16
    affine.yield %t : f16
  }
  %r = tensor.from_elements %sum : tensor<1xf16>"""
    wanted = [data((_X[2, 2] + _X[2, 4]).reshape(1))]
    for op in ("affine.for", "affine.if", "affine.yield"):
        yield kernel(op, body, [_A], wanted, scalars={"n": ("index", 9)})
    body = """%z = arith.constant 0.0 : f16
  %sum = affine.parallel (%i, %j) = (0, 1) to (3, 5) step (1, 2) reduce ("addf") -> f16 {
    %x = tensor.extract %a[%i, %j] : tensor<3x5xf16>
    affine.yield %x : f16
  }
  %r = tensor.from_elements %sum : tensor<1xf16>"""
    yield kernel("affine.parallel", body, [_A], [data(_X[:, 1::2].sum().reshape(1))])


_FUNCTIONS = f"""func.func private @twice(%x: {_T}, %n: index) -> ({_T}, index) {{
  %y = arith.addf %x, %x : {_T}
  %c1 = arith.constant 1 : index
  %m = arith.addi %n, %c1 : index
  return %y, %m : {_T}, index
}}
func.func private @four_times(%x: {_T}, %n: index) -> ({_T}, index) {{
  %y, %m = func.call @twice(%x, %n) : ({_T}, index) -> ({_T}, index)
  %z, %k = func.call @twice(%y, %m) : ({_T}, index) -> ({_T}, index)
  return %z, %k : {_T}, index
}}"""


def _functions() -> Iterator[Case]:
    body = f"""%r, %n = func.call @four_times(%a, %c1) : ({_T}, index) -> ({_T}, index)
  %s = tensor.from_elements %n : tensor<1xindex>"""
    for op in ("func.call", "func.func"):
        outputs = [data(_X * 4), _index(3)]
        yield kernel(op, body, [_A], outputs, module=_FUNCTIONS)
    yield kernel("func.return", body, [_A], [data(_X * 4), _index(3)], module=_FUNCTIONS)


def _asserted() -> Iterator[Case]:
    body = """%v = tensor.extract %a[%c2, %c2] : tensor<3x5xf16>
  %w = arith.constant 100.0 : f16
  %ok = arith.cmpf olt, %v, %w : f16
  cf.assert %ok, "elements are small"
  %r = tensor.cast %a : tensor<3x5xf16> to tensor<3x5xf16>"""
    yield kernel("cf.assert", body, [_A], [_A])


def _blocks() -> Iterator[Case]:
    """Blocks that branch to each other; what is stored is in the last one."""
    for truth, wanted in ((True, _X * 2), (False, -_X)):
        body = f"""cf.cond_br %t, ^double, ^negate
^double:
  %d = arith.addf %a, %a : {_T}
  cf.br ^end(%d : {_T})
^negate:
  %m = arith.negf %a : {_T}
  cf.br ^end(%m : {_T})
^end(%r: {_T}):"""
        scalars = {"t": ("i1", truth)}
        for op in ("cf.cond_br", "cf.br"):
            yield kernel(op, body, [_A], [data(wanted)], str(truth), scalars=scalars)
    for number, wanted in ((0, _X * 2), (3, -_X), (7, _X)):
        body = f"""cf.switch %n : i32, [
    default: ^end(%a : {_T}),
    0: ^double,
    3: ^negate
  ]
^double:
  %d = arith.addf %a, %a : {_T}
  cf.br ^end(%d : {_T})
^negate:
  %m = arith.negf %a : {_T}
  cf.br ^end(%m : {_T})
^end(%r: {_T}):"""
        chosen = {"n": ("i32", number)}
        yield kernel("cf.switch", body, [_A], [data(wanted)], str(number), scalars=chosen)
    body = f"""%begin = arith.constant 0 : index
  cf.br ^head(%begin, %a : index, {_T})
^head(%i: index, %x: {_T}):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %y = arith.addf %x, %a : {_T}
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %y : index, {_T})
^end:
  %r = tensor.cast %x : {_T} to {_T}"""
    yield kernel("cf.cond_br", body, [_A], [data(_X * 4)], "loop", scalars={"n": ("index", 3)})


def _poison() -> Iterator[Case]:
    """A value that nobody defined may stand where it is not used."""
    body = f"""%p = ub.poison : f16
  %v = tensor.extract %a[%c0, %c1] : {_T}
  %true = arith.constant true
  %w = arith.select %true, %v, %p : f16
  %r = tensor.from_elements %w : tensor<1xf16>"""
    yield kernel("ub.poison", body, [_A], [data(_X[0, 1:2])])


def cases() -> Iterator[Case]:
    """All kernels of this module."""
    for part in (
        _blocks,
        _poison,
        _loops,
        _unsigned,
        _branches,
        _parallel,
        _affine,
        _functions,
        _asserted,
    ):
        yield from part()
