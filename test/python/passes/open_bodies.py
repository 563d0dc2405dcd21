"""Bodies of kernels on tensors of a size that is a value: MLIR, and what it means in numpy.

Each is for `open_kernel`: `%a` is the core's piece of x, of `%m` elements, and `%r` has to become a
tensor of as many elements. The meaning takes the piece in f64 and the number of the core.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Meaning = Callable[[Array, int], Array]

T = "tensor<?xf32>"
_HALF = "%h = arith.divui %m, %c2 : index\n%rest = arith.subi %m, %h : index\n"
_LOW = f"%lo = tensor.extract_slice %a[0] [%h] [1] : {T} to {T}\n"
_EMPTY = f"%e = tensor.empty(%m) : {T}\n"
_PARALLEL = (
    "{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], "
    'iterator_types = ["parallel"]}'
)
_BY_PLACE = "%number = arith.index_cast %i : index to i32\n%f = arith.sitofp %number : i32 to f32\n"


def open_kernel(body: str, cores: int = 4, tile: int = 16) -> str:
    """A kernel that gives each core up to `tile` of the `n` elements of x; the last ones get fewer,
    or none."""
    size = cores * tile
    all_ = f"affine_set<(d0) : (d0 >= 0, -d0 + {size - 1} >= 0)>"
    some = "affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>"
    views = "".join(
        f"%{name}v = ktdp.construct_memory_view %{name}, sizes: [{size}], strides: [1] "
        f"{{coordinate_set = {all_}, memory_space = #ktdp.spyre_memory_space<HBM>}} : "
        f"memref<{size}xf32>\n"
        f"%{name}t = ktdp.construct_access_tile %{name}v[%at] symbols(%m) "
        f"{{access_tile_set = {some}, access_tile_order = affine_map<(d0) -> (d0)>}} : "
        f"memref<{size}xf32> -> !ktdp.access_tile<?xindex>\n"
        for name in "xy"
    )
    return (
        f"func.func @kernel(%x: index, %y: index, %n: index) attributes {{grid = [{cores}]}} {{\n"
        "%core = ktdp.get_compute_tile_id : index\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        f"%c2 = arith.constant 2 : index\n%room = arith.constant {tile} : index\n"
        "%zero = arith.constant 0.0 : f32\n"
        "%at = arith.muli %core, %room : index\n%left = arith.subi %n, %at : index\n"
        "%some = arith.minsi %left, %room : index\n%m = arith.maxsi %some, %c0 : index\n"
        f"{views}%a = ktdp.load %xt : <?xindex> -> {T}\n{body}"
        f"ktdp.store %r, %yt : {T}, <?xindex>\nreturn\n}}\n"
    )


def _padded(a: Array, core: int) -> Array:
    low = a[: len(a) // 2]
    return np.concatenate([np.full(len(a) - len(low), 1.5), low])


def _halved(a: Array, core: int) -> Array:
    half = len(a) // 2
    return np.concatenate([a[:half] ** 2, a[half:]])


def _grown(a: Array, core: int) -> Array:
    return 2 * a if len(a) else a


def _by_core(a: Array, core: int) -> Array:
    half = len(a) // 2
    return np.concatenate([a[:half], 3 * a[half:]]) if core < 2 else 2 * a


def _top(a: Array, core: int) -> Array:
    return np.concatenate([a[-1:], a[:-1]])


OPEN_BODIES: dict[str, tuple[str, Meaning]] = {
    "elementwise": (
        f"%b = arith.addf %a, %a : {T}\n%r = math.exp %b : {T}\n",
        lambda a, core: np.exp(2 * a),
    ),
    "splat": (
        f"%s = tensor.splat %zero[%m] : {T}\n%r = arith.subf %s, %a : {T}\n",
        lambda a, core: -a,
    ),
    "fill": (
        f"{_EMPTY}%s = linalg.fill ins(%zero : f32) outs(%e : {T}) -> {T}\n"
        f"%r = arith.subf %s, %a : {T}\n",
        lambda a, core: -a,
    ),
    "dim": (
        f"%d = tensor.dim %a, %c0 : {T}\n%di = arith.index_cast %d : index to i32\n"
        f"%df = arith.sitofp %di : i32 to f32\n%s = tensor.splat %df[%d] : {T}\n"
        f"%r = arith.mulf %a, %s : {T}\n",
        lambda a, core: a * len(a),
    ),
    "generic": (
        f"{_EMPTY}%r = linalg.generic {_PARALLEL} ins(%a : {T}) outs(%e : {T}) {{\n"
        f"^bb0(%p: f32, %q: f32):\n%i = linalg.index 0 : index\n{_BY_PLACE}"
        f"%s = arith.addf %p, %f : f32\nlinalg.yield %s : f32\n}} -> {T}\n",
        lambda a, core: a + np.arange(len(a)),
    ),
    "generic that reads elsewhere": (
        f"{_EMPTY}%last = arith.subi %m, %c1 : index\n"
        f"%r = linalg.generic {_PARALLEL} ins(%a : {T}) outs(%e : {T}) {{\n"
        "^bb0(%p: f32, %q: f32):\n%i = linalg.index 0 : index\n"
        "%j = arith.subi %last, %i : index\n"
        f"%s = tensor.extract %a[%j] : {T}\nlinalg.yield %s : f32\n}} -> {T}\n",
        lambda a, core: a[::-1],
    ),
    "map and broadcast of a sum": (
        "%i0 = tensor.splat %zero : tensor<f32>\n"
        f"%s = linalg.reduce {{arith.addf}} ins(%a : {T}) outs(%i0 : tensor<f32>) "
        "dimensions = [0]\n"
        f"{_EMPTY}%w = linalg.broadcast ins(%s : tensor<f32>) outs(%e : {T}) dimensions = [0]\n"
        f"%r = linalg.map {{arith.addf}} ins(%a, %w : {T}, {T}) outs(%e : {T})\n",
        lambda a, core: a + a.sum(),
    ),
    "dot": (
        "%i0 = tensor.splat %zero : tensor<f32>\n"
        f"%s = linalg.dot ins(%a, %a : {T}, {T}) outs(%i0 : tensor<f32>) -> tensor<f32>\n"
        f"%v = tensor.extract %s[] : tensor<f32>\n%w = tensor.splat %v[%m] : {T}\n"
        f"%r = arith.addf %a, %w : {T}\n",
        lambda a, core: a + a @ a,
    ),
    "fold in order": (
        "%i0 = tensor.splat %zero : tensor<f32>\n"
        "%s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], "
        f'iterator_types = ["reduction"]}} ins(%a : {T}) outs(%i0 : tensor<f32>) {{\n'
        "^bb0(%p: f32, %q: f32):\n%half = arith.constant 0.5 : f32\n"
        "%t = arith.mulf %q, %half : f32\n%u = arith.addf %t, %p : f32\nlinalg.yield %u : f32\n"
        "} -> tensor<f32>\n"
        f"%v = tensor.extract %s[] : tensor<f32>\n%w = tensor.splat %v[%m] : {T}\n"
        f"%r = arith.addf %a, %w : {T}\n",
        lambda a, core: a + sum(x * 0.5 ** (len(a) - 1 - i) for i, x in enumerate(a)),
    ),
    "softmax": (
        f"{_EMPTY}%r = linalg.softmax dimension(0) ins(%a : {T}) outs(%e : {T}) -> {T}\n",
        lambda a, core: np.exp(a) / np.exp(a).sum(),
    ),
    "slices and concat": (
        f"{_HALF}{_LOW}%hi = tensor.extract_slice %a[%h] [%rest] [1] : {T} to {T}\n"
        f"%r = tensor.concat dim(0) %hi, %lo : ({T}, {T}) -> {T}\n",
        lambda a, core: np.roll(a, len(a) - len(a) // 2),
    ),
    "slice of another stride": (
        f"{_HALF}%odd = tensor.extract_slice %a[1] [%h] [2] : {T} to {T}\n"
        f"%r = tensor.insert_slice %odd into %a[0] [%h] [1] : {T} into {T}\n",
        lambda a, core: np.concatenate([a[1::2], a[len(a) // 2 :]]),
    ),
    "slice inserted": (
        f"{_HALF}{_LOW}%sq = arith.mulf %lo, %lo : {T}\n"
        f"%r = tensor.insert_slice %sq into %a[0] [%h] [1] : {T} into {T}\n",
        _halved,
    ),
    "shapes": (
        "%x2 = tensor.expand_shape %a [[0, 1]] output_shape [%m, 1] : "
        f"{T} into tensor<?x1xf32>\n%e = tensor.empty(%m) : tensor<1x?xf32>\n"
        "%t = linalg.transpose ins(%x2 : tensor<?x1xf32>) outs(%e : tensor<1x?xf32>) "
        f"permutation = [1, 0]\n%c = tensor.collapse_shape %t [[0, 1]] : tensor<1x?xf32> into {T}\n"
        f"%r = arith.addf %c, %a : {T}\n",
        lambda a, core: 2 * a,
    ),
    "reshaped pairs": (
        f"{_HALF}%even = arith.muli %h, %c2 : index\n"
        f"%s = tensor.extract_slice %a[0] [%even] [1] : {T} to {T}\n"
        "%i0 = arith.index_cast %h : index to i32\n%i1 = arith.constant 2 : i32\n"
        "%shape = tensor.from_elements %i0, %i1 : tensor<2xi32>\n"
        f"%p = tensor.reshape %s(%shape) : ({T}, tensor<2xi32>) -> tensor<?x2xf32>\n"
        "%e = tensor.empty(%h) : tensor<2x?xf32>\n"
        "%t = linalg.transpose ins(%p : tensor<?x2xf32>) outs(%e : tensor<2x?xf32>) "
        f"permutation = [1, 0]\n%c = tensor.collapse_shape %t [[0, 1]] : tensor<2x?xf32> into {T}\n"
        f"%r = tensor.insert_slice %c into %a[0] [%even] [1] : {T} into {T}\n",
        lambda a, core: np.concatenate(
            [a[: len(a) // 2 * 2].reshape(-1, 2).T.ravel(), a[len(a) // 2 * 2 :]]
        ),
    ),
    "pad": (
        f"%v = arith.constant 1.5 : f32\n{_HALF}{_LOW}"
        "%r = tensor.pad %lo low[%rest] high[0] {\n^bb0(%i: index):\ntensor.yield %v : f32\n"
        f"}} : {T} to {T}\n",
        _padded,
    ),
    "generate": (
        f"%g = tensor.generate %m {{\n^bb0(%i: index):\n{_BY_PLACE}tensor.yield %f : f32\n}} : "
        f"{T}\n"
        f"%r = arith.mulf %g, %a : {T}\n",
        lambda a, core: a * np.arange(len(a)),
    ),
    "casts": (
        f"%b = tensor.bitcast %a : {T} to tensor<?xi32>\n"
        f"%c = tensor.bitcast %b : tensor<?xi32> to {T}\n"
        f"%k = tensor.cast %c : {T} to {T}\n%r = arith.addf %k, %a : {T}\n",
        lambda a, core: 2 * a,
    ),
    "cast to a known size": (
        "%c3 = arith.constant 3 : index\n%three = arith.minsi %c3, %m : index\n"
        "%is = arith.cmpi eq, %three, %c3 : index\n"
        f"%r = scf.if %is -> ({T}) {{\n"
        f"%s = tensor.extract_slice %a[0] [%three] [1] : {T} to {T}\n"
        f"%k = tensor.cast %s : {T} to tensor<3xf32>\n%d = arith.addf %k, %k : tensor<3xf32>\n"
        f"%b = tensor.cast %d : tensor<3xf32> to {T}\n"
        f"%i = tensor.insert_slice %b into %a[0] [%three] [1] : {T} into {T}\n"
        f"scf.yield %i : {T}\n}} else {{\nscf.yield %a : {T}\n}}\n",
        lambda a, core: np.concatenate([2 * a[:3], a[3:]]) if len(a) >= 3 else a,
    ),
    "element": (
        "%some_ = arith.cmpi ugt, %m, %c0 : index\n"
        f"%r = scf.if %some_ -> ({T}) {{\n%last = arith.subi %m, %c1 : index\n"
        f"%v = tensor.extract %a[%last] : {T}\n%d = arith.addf %v, %v : f32\n"
        f"%i = tensor.insert %d into %a[%c0] : {T}\nscf.yield %i : {T}\n"
        f"}} else {{\nscf.yield %a : {T}\n}}\n",
        lambda a, core: np.concatenate([2 * a[-1:], a[1:]]),
    ),
    "gather": (
        "%g = tensor.generate %m {\n^bb0(%i: index, %j: index):\n%s = arith.addi %i, %c1 : index\n"
        "%t = arith.remui %s, %m : index\ntensor.yield %t : index\n} : tensor<?x1xindex>\n"
        f"%r = tensor.gather %a[%g] gather_dims([0]) : ({T}, tensor<?x1xindex>) -> {T}\n",
        lambda a, core: np.roll(a, -1),
    ),
    "scatter": (
        "%g = tensor.generate %m {\n^bb0(%i: index, %j: index):\n%s = arith.addi %i, %c1 : index\n"
        "%t = arith.remui %s, %m : index\ntensor.yield %t : index\n} : tensor<?x1xindex>\n"
        f"{_EMPTY}%r = tensor.scatter %a into %e[%g] scatter_dims([0]) unique : "
        f"({T}, {T}, tensor<?x1xindex>) -> {T}\n",
        _top,
    ),
    "carried": (
        "%c3 = arith.constant 3 : index\n"
        f"%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %a) -> ({T}) {{\n"
        f"%q = arith.addf %p, %a : {T}\nscf.yield %q : {T}\n}}\n",
        lambda a, core: 4 * a,
    ),
    "carried and growing": (
        f"%o = tensor.extract_slice %a[0] [0] [1] : {T} to tensor<0xf32>\n"
        f"%o2 = tensor.cast %o : tensor<0xf32> to {T}\n"
        f"%r = scf.for %i = %c0 to %m step %c1 iter_args(%p = %o2) -> ({T}) {{\n"
        f"%d = tensor.dim %p, %c0 : {T}\n%d1 = arith.addi %d, %c1 : index\n"
        "%d2 = arith.minsi %d1, %room : index\n"
        f"%q = tensor.extract_slice %a[0] [%d2] [1] : {T} to {T}\n%q2 = arith.addf %q, %q : {T}\n"
        f"scf.yield %q2 : {T}\n}}\n",
        _grown,
    ),
    "carried and shrinking": (
        f"%s = scf.for %i = %c1 to %m step %c1 iter_args(%p = %a) -> ({T}) {{\n"
        f"%d = tensor.dim %p, %c0 : {T}\n%d1 = arith.subi %d, %c1 : index\n"
        f"%q = tensor.extract_slice %p[1] [%d1] [1] : {T} to {T}\nscf.yield %q : {T}\n}}\n"
        f"%l = tensor.dim %s, %c0 : {T}\n%k = arith.subi %m, %l : index\n"
        f"%r = tensor.insert_slice %s into %a[0] [%l] [1] : {T} into {T}\n",
        lambda a, core: np.concatenate([a[-1:], a[1:]]),
    ),
    "while": (
        f"%w:2 = scf.while (%p = %a, %k = %c0) : ({T}, index) -> ({T}, index) {{\n"
        f"%go = arith.cmpi slt, %k, %core : index\nscf.condition(%go) %p, %k : {T}, index\n}} "
        f"do {{\n^bb0(%p: {T}, %k: index):\n%q = arith.addf %p, %a : {T}\n"
        f"%k1 = arith.addi %k, %c1 : index\nscf.yield %q, %k1 : {T}, index\n}}\n"
        f"%r = arith.addf %w#0, %a : {T}\n",
        lambda a, core: a * (core + 2),
    ),
    "while that halves": (
        f"%w = scf.while (%p = %a) : ({T}) -> {T} {{\n%d = tensor.dim %p, %c0 : {T}\n"
        f"%go = arith.cmpi sgt, %d, %c1 : index\n%q = arith.addf %p, %p : {T}\n"
        f"scf.condition(%go) %q : {T}\n}} do {{\n^bb0(%p: {T}):\n%d = tensor.dim %p, %c0 : {T}\n"
        f"%k = arith.divui %d, %c2 : index\n"
        f"%q = tensor.extract_slice %p[0] [%k] [1] : {T} to {T}\nscf.yield %q : {T}\n}}\n"
        f"%l = tensor.dim %w, %c0 : {T}\n"
        f"%r = tensor.insert_slice %w into %a[0] [%l] [1] : {T} into {T}\n",
        lambda a, core: (
            np.concatenate([a[:1] * 2.0 ** len(bin(len(a))[2:]), a[1:]]) if len(a) else a
        ),
    ),
    "branch of other sizes": (
        "%small = arith.cmpi slt, %core, %c2 : index\n"
        f"%q = scf.if %small -> ({T}) {{\n{_HALF}{_LOW}scf.yield %lo : {T}\n}} else {{\n"
        f"%b = arith.addf %a, %a : {T}\nscf.yield %b : {T}\n}}\n%d = tensor.dim %q, %c0 : {T}\n"
        f"%k = tensor.splat %zero[%m] : {T}\n%three = arith.constant dense<3.0> : tensor<16xf32>\n"
        f"%t = tensor.extract_slice %three[0] [%m] [1] : tensor<16xf32> to {T}\n"
        f"%x3 = arith.mulf %a, %t : {T}\n"
        f"%r = tensor.insert_slice %q into %x3[0] [%d] [1] : {T} into {T}\n",
        _by_core,
    ),
    "shared result of a loop": (
        f"{_EMPTY}%r = scf.forall (%i) in (%m) shared_outs(%o = %e) -> ({T}) {{\n"
        f"%s = tensor.extract_slice %a[%i] [1] [1] : {T} to tensor<1xf32>\n"
        "%d = arith.addf %s, %s : tensor<1xf32>\nscf.forall.in_parallel {\n"
        f"tensor.parallel_insert_slice %d into %o[%i] [1] [1] : tensor<1xf32> into {T}\n}}\n}}\n",
        lambda a, core: 2 * a,
    ),
}
