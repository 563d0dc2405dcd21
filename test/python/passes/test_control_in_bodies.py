"""Control flow inside bodies of structured ops: the same bytes at both levels, and the values of
numpy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from open_bodies import Array, T, open_kernel
from test_lower_to_sdf import assert_same_at_both_levels, lowered

_EMPTY = f"%e = tensor.empty(%m) : {T}\n"
_LOOPS = (
    "{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], "
    'iterator_types = ["parallel"]}'
)


def _generic(body: str) -> str:
    """`%s` of the element `%p` at place `%i`."""
    return (
        f"{_EMPTY}%r = linalg.generic {_LOOPS} ins(%a : {T}) outs(%e : {T}) {{\n"
        f"^bb0(%p: f32, %q: f32):\n%i = linalg.index 0 : index\n{body}linalg.yield %s : f32\n"
        f"}} -> {T}\n"
    )


def _climb(x: float) -> float:
    step = abs(x) + 1
    while x < 10:
        x += step
    return x


def _mixed(i: int, x: float) -> float:
    value = x
    for k in range(i):
        value = value + x if k % 2 else value * 0.5
    return value


_POSITIVE = "%pos = arith.cmpf ogt, %p, %zero : f32\n"
BODIES: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "branch": (
        _generic(
            f"{_POSITIVE}%s = scf.if %pos -> (f32) {{\n%t = math.sqrt %p : f32\n"
            "scf.yield %t : f32\n} else {\n%t = arith.negf %p : f32\nscf.yield %t : f32\n}\n"
        ),
        lambda a: np.where(a > 0, np.sqrt(np.abs(a)), -a),
    ),
    "branch with two results": (
        _generic(
            f"{_POSITIVE}%b:2 = scf.if %pos -> (f32, f32) {{\nscf.yield %p, %zero : f32, f32\n"
            "} else {\n%t = arith.negf %p : f32\nscf.yield %zero, %t : f32, f32\n}\n"
            "%w = arith.addf %b#1, %b#1 : f32\n%s = arith.addf %b#0, %w : f32\n"
        ),
        lambda a: np.where(a > 0, a, -2 * a),
    ),
    "loop": (
        _generic(
            "%s = scf.for %k = %c0 to %i step %c1 iter_args(%v = %p) -> (f32) {\n"
            "%t = arith.addf %v, %p : f32\nscf.yield %t : f32\n}\n"
        ),
        lambda a: a * (np.arange(len(a)) + 1),
    ),
    "loop over a branch": (
        _generic(
            "%half = arith.constant 0.5 : f32\n"
            "%s = scf.for %k = %c0 to %i step %c1 iter_args(%v = %p) -> (f32) {\n"
            "%rest = arith.remui %k, %c2 : index\n%odd = arith.cmpi eq, %rest, %c1 : index\n"
            "%t = scf.if %odd -> (f32) {\n%u = arith.addf %v, %p : f32\nscf.yield %u : f32\n"
            "} else {\n%u = arith.mulf %v, %half : f32\nscf.yield %u : f32\n}\n"
            "scf.yield %t : f32\n}\n"
        ),
        lambda a: np.array([_mixed(i, x) for i, x in enumerate(a)]),
    ),
    "while": (
        _generic(
            "%ten = arith.constant 10.0 : f32\n%one = arith.constant 1.0 : f32\n"
            "%ab = math.absf %p : f32\n%step = arith.addf %ab, %one : f32\n"
            "%s = scf.while (%v = %p) : (f32) -> f32 {\n"
            "%go = arith.cmpf olt, %v, %ten : f32\nscf.condition(%go) %v : f32\n} do {\n"
            "^bb0(%v: f32):\n%t = arith.addf %v, %step : f32\nscf.yield %t : f32\n}\n"
        ),
        lambda a: np.array([_climb(x) for x in a]),
    ),
    "switch": (
        _generic(
            "%c3 = arith.constant 3 : index\n%k = arith.remui %i, %c3 : index\n"
            "%s = scf.index_switch %k -> f32\ncase 0 {\n%t = arith.addf %p, %p : f32\n"
            "scf.yield %t : f32\n}\ncase 2 {\nscf.yield %zero : f32\n}\n"
            "default {\nscf.yield %p : f32\n}\n"
        ),
        lambda a: a * np.resize([2.0, 1.0, 0.0], len(a)),
    ),
    "map": (
        f"{_EMPTY}%r = linalg.map ins(%a : {T}) outs(%e : {T}) (%p: f32, %q: f32) {{\n"
        f"{_POSITIVE}%t = scf.if %pos -> (f32) {{\nscf.yield %p : f32\n}} else {{\n"
        "scf.yield %zero : f32\n}\nlinalg.yield %t : f32\n}\n",
        lambda a: np.maximum(a, 0),
    ),
    "reduce": (
        "%i0 = tensor.splat %zero : tensor<f32>\n"
        f"%s = linalg.reduce ins(%a : {T}) outs(%i0 : tensor<f32>) dimensions = [0] "
        f"(%p: f32, %q: f32) {{\n{_POSITIVE}%t = scf.if %pos -> (f32) {{\n"
        "%u = arith.addf %p, %q : f32\nscf.yield %u : f32\n} else {\nscf.yield %q : f32\n}\n"
        f"linalg.yield %t : f32\n}}\n%v = tensor.extract %s[] : tensor<f32>\n"
        f"%r = tensor.splat %v[%m] : {T}\n",
        lambda a: np.full(len(a), np.maximum(a, 0).sum()),
    ),
    "generate": (
        f"%r = tensor.generate %m {{\n^bb0(%i: index):\n%one = arith.constant 1.0 : f32\n"
        "%s = scf.for %k = %c0 to %i step %c2 iter_args(%v = %zero) -> (f32) {\n"
        "%t = arith.addf %v, %one : f32\nscf.yield %t : f32\n}\n"
        f"tensor.yield %s : f32\n}} : {T}\n",
        lambda a: np.array([(i + 1) // 2 for i in range(len(a))], dtype=np.float64),
    ),
    "index of an element": (
        _generic(
            f"{_POSITIVE}%j = scf.if %pos -> (index) {{\nscf.yield %i : index\n}} else {{\n"
            "scf.yield %c0 : index\n}\n"
            f"%s = tensor.extract %a[%j] : {T}\n"
        ),
        lambda a: np.where(a > 0, a, a[:1]),
    ),
}


@pytest.mark.parametrize("count", [0, 1, 5, 37, 64])
@pytest.mark.parametrize("name", BODIES)
def test_every_element_takes_its_own_way(name: str, count: int) -> None:
    body, meaning = BODIES[name]
    x = torch.randn(64, generator=torch.Generator().manual_seed(count)) * 4
    left = assert_same_at_both_levels(open_kernel(body), {"x": x, "y": x, "n": count})
    for start in range(0, count, 16):
        piece = slice(start, min(start + 16, count))
        found = np.asarray(left["y"])[piece]
        np.testing.assert_allclose(found, meaning(x.double().numpy()[piece]), rtol=1e-4)


def test_an_element_extracted_in_a_branch_is_refused_when_lowered() -> None:
    body = _generic(
        f"{_POSITIVE}%s = scf.if %pos -> (f32) {{\n%t = tensor.extract %a[%c0] : {T}\n"
        "scf.yield %t : f32\n} else {\nscf.yield %p : f32\n}\n"
    )
    with pytest.raises(AssertionError, match="extracts an element inside of control flow"):
        lowered(open_kernel(body))
