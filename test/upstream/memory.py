"""`memref`: views of views, constants of the module, single elements, sizes, tiles by address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch

from .case import DTYPES, Case, Data, data, kernel

_X = torch.arange(35).view(7, 5).half() - 4
_A = data(_X)
_OPEN = "strided<[{}], offset: ?>"


def _set(*sizes: int) -> str:
    dims = ", ".join(f"d{i}" for i in range(len(sizes)))
    bounds = ", ".join(f"d{i} >= 0, -d{i} + {size - 1} >= 0" for i, size in enumerate(sizes))
    return f"affine_set<({dims}) : ({bounds})>"


def _loaded(view: str, memref: str, element: str, *sizes: int) -> str:
    """Loads all of a view as %r."""
    dims = ", ".join(f"d{i}" for i in range(len(sizes)))
    shape = "".join(f"{size}x" for size in sizes)
    zeros = ", ".join("0" for _ in sizes)
    return f"""
  %tile = ktdp.construct_access_tile {view}[{zeros}] {{ access_tile_set = {_set(*sizes)},
    access_tile_order = affine_map<({dims}) -> ({dims})> }}
    : {memref} -> !ktdp.access_tile<{shape}index>
  %r = ktdp.load %tile : !ktdp.access_tile<{shape}index> -> tensor<{shape}{element}>"""


def _viewed(
    op: str, made: str, memref: str, wanted: torch.Tensor, refused: Mapping[str, str] | None = None
) -> Case:
    """A view that an op makes of the kernel's first, loaded whole."""
    body = f"%v = {made} to {memref}" + _loaded("%v", memref, "f16", *wanted.shape)
    return kernel(op, body, [_A], [data(wanted.contiguous())], refused=refused)


def _views() -> Iterator[Case]:
    whole = "memref<7x5xf16>"
    part = "memref<2x4xf16, strided<[10, 1], offset: ?>>"
    yield _viewed(
        "memref.subview", f"memref.subview %a_view[%c1, 1] [2, 4] [2, 1] : {whole}", part,
        _X[1:4:2, 1:],
    )  # fmt: skip
    yield _viewed("memref.cast", f"memref.cast %a_view : {whole}", "memref<?x5xf16>", _X)
    yield kernel(
        "memref.collapse_shape",
        f"%v = memref.collapse_shape %a_view [[0, 1]] : {whole} into memref<35xf16>"
        + _loaded("%v", "memref<35xf16>", "f16", 35),
        [_A], [data(_X.reshape(35))],
    )  # fmt: skip
    yield kernel(
        "memref.expand_shape",
        f"%v = memref.expand_shape %a_view [[0], [1, 2]] output_shape [7, 5, 1]"
        f" : {whole} into memref<7x5x1xf16>" + _loaded("%v", "memref<7x5x1xf16>", "f16", 7, 5, 1),
        [_A], [data(_X.reshape(7, 5, 1))],
    )  # fmt: skip
    yield kernel(
        "memref.transpose",
        "%v = memref.transpose %a_view (i, j) -> (j, i)"
        f" : {whole} to memref<5x7xf16, strided<[1, 5]>>"
        + _loaded("%v", "memref<5x7xf16, strided<[1, 5]>>", "f16", 5, 7),
        [_A], [data(_X.T.contiguous())],
    )  # fmt: skip
    yield kernel(
        "memref.reinterpret_cast",
        f"%v = memref.reinterpret_cast %a_view to offset: [2], sizes: [3, 4], strides: [5, 2]"
        f" : {whole} to memref<3x4xf16, strided<[5, 2], offset: 2>>"
        + _loaded("%v", "memref<3x4xf16, strided<[5, 2], offset: 2>>", "f16", 3, 4),
        [_A], [data(_X.as_strided((3, 4), (5, 2), 2).contiguous())],
    )  # fmt: skip
    yield kernel(
        "memref.assume_alignment",
        f"%v = memref.assume_alignment %a_view, 128 : {whole}"
        + _loaded("%v", whole, "f16", 7, 5), [_A], [_A],
    )  # fmt: skip
    space = "memref<7x5xf16, #ktdp.memory_space<global>>"
    yield kernel(
        "memref.memory_space_cast",
        f"%v = memref.memory_space_cast %a_view : {whole} to {space}"
        + _loaded("%v", space, "f16", 7, 5), [_A], [_A],
    )  # fmt: skip


def _chains() -> Iterator[Case]:
    """Views of views of views."""
    part = "memref<2x4xf16, strided<[10, 1], offset: ?>>"
    made = f"""%p = memref.subview %a_view[%c1, 1] [2, 4] [2, 1] : memref<7x5xf16> to {part}
  """
    turned = "memref<4x2xf16, strided<[1, 10], offset: ?>>"
    cut = _X[1:4:2, 1:]
    body = f"""{made}%v = memref.transpose %p (i, j) -> (j, i) : {part} to {turned}"""
    yield kernel(
        "memref.transpose", body + _loaded("%v", turned, "f16", 4, 2), [_A],
        [data(cut.T.contiguous())], "of a part",
    )  # fmt: skip
    divided = "memref<2x1x2x2xf16, strided<[10, 10, 2, 1], offset: ?>>"
    body = f"""{made}%v = memref.expand_shape %p [[0, 1], [2, 3]] output_shape [2, 1, 2, 2]
    : {part} into {divided}"""
    yield kernel(
        "memref.expand_shape", body + _loaded("%v", divided, "f16", 2, 1, 2, 2), [_A],
        [data(cut.reshape(2, 1, 2, 2).contiguous())], "of a part",
    )  # fmt: skip
    other = "memref<3x4xf16, strided<[5, 2], offset: 2>>"
    body = f"""{made}%v = memref.reinterpret_cast %p to offset: [2], sizes: [3, 4], strides: [5, 2]
    : {part} to {other}"""
    yield kernel(
        "memref.reinterpret_cast", body + _loaded("%v", other, "f16", 3, 4), [_A],
        [data(_X.as_strided((3, 4), (5, 2), 2).contiguous())], "of a part",
    )  # fmt: skip


def _copied() -> Iterator[Case]:
    body = """%p = memref.subview %a_view[0, 0] [3, 5] [1, 1]
    : memref<7x5xf16> to memref<3x5xf16, strided<[5, 1]>>
  %q = memref.subview %a_view[4, 0] [3, 5] [1, 1]
    : memref<7x5xf16> to memref<3x5xf16, strided<[5, 1], offset: 20>>
  memref.copy %p, %q
    : memref<3x5xf16, strided<[5, 1]>> to memref<3x5xf16, strided<[5, 1], offset: 20>>
  %r = ktdp.load %a_tile : !ktdp.access_tile<7x5xindex> -> tensor<7x5xf16>"""
    wanted = torch.cat([_X[:4], _X[:3]])
    yield kernel("memref.copy", body, [_A], [data(wanted)])


def _elements() -> Iterator[Case]:
    body = """%v = memref.load %a_view[%c2, %c1] : memref<7x5xf16>
  %w = memref.load %a_view[%c0, %c0] : memref<7x5xf16>
  %r = tensor.from_elements %v, %w : tensor<2xf16>"""
    yield kernel("memref.load", body, [_A], [data(torch.stack([_X[2, 1], _X[0, 0]]))])
    body = """%z = arith.constant 77.0 : f16
  memref.store %z, %a_view[%c2, %c1] : memref<7x5xf16>
  %r = ktdp.load %a_tile : !ktdp.access_tile<7x5xindex> -> tensor<7x5xf16>"""
    changed = _X.clone()
    changed[2, 1] = 77
    yield kernel("memref.store", body, [_A], [data(changed)])
    none = "memref<f16>"
    body = f"""%v = memref.collapse_shape %b_view [] : memref<1x1xf16> into {none}
  %z = memref.load %v[] : {none}
  %w = arith.addf %z, %z : f16
  memref.store %w, %v[] : {none}
  %r = ktdp.load %b_tile : !ktdp.access_tile<1x1xindex> -> tensor<1x1xf16>"""
    one = data(torch.full((1, 1), 3.5).half())
    twice = data(one.values * 2)
    yield kernel("memref.store", body, [_A, one], [twice], "of a view without dimensions")
    body = """%m = memref.dim %a_view, %c0 : memref<7x5xf16>
  %n = memref.dim %a_view, %c1 : memref<7x5xf16>
  %r = tensor.from_elements %m, %n : tensor<2xindex>"""
    yield kernel("memref.dim", body, [_A], [Data(torch.tensor([7, 5]), "index")])
    body = """%n = memref.rank %a_view : memref<7x5xf16>
  %r = tensor.from_elements %n : tensor<1xindex>"""
    yield kernel("memref.rank", body, [_A], [Data(torch.tensor([2]), "index")])
    body = """%v = affine.load %a_view[%c2 + 1, %c1 * 2] : memref<7x5xf16>
  %r = tensor.from_elements %v : tensor<1xf16>"""
    yield kernel("affine.load", body, [_A], [data(_X[3, 2].reshape(1))])
    body = """%z = arith.constant 77.0 : f16
  affine.store %z, %a_view[%c2, symbol(%c1)] : memref<7x5xf16>
  affine.prefetch %a_view[%c2, %c1], read, locality<3>, data : memref<7x5xf16>
  %r = ktdp.load %a_tile : !ktdp.access_tile<7x5xindex> -> tensor<7x5xf16>"""
    yield kernel("affine.store", body, [_A], [data(changed)])
    yield kernel("affine.prefetch", body, [_A], [data(changed)])
    body = """memref.prefetch %a_view[%c2, %c1], read, locality<3>, data : memref<7x5xf16>
  %r = ktdp.load %a_tile : !ktdp.access_tile<7x5xindex> -> tensor<7x5xf16>"""
    yield kernel("memref.prefetch", body, [_A], [_A])


def _globals() -> Iterator[Case]:
    for op in ("memref.global", "memref.get_global"):
        for element, text, values in (
            ("f16", "[[1.0, -2.5], [0.0, 4.0]]", [[1.0, -2.5], [0.0, 4.0]]),
            ("i32", "7", [[7, 7], [7, 7]]),
            ("i1", "[[true, false], [false, true]]", [[1, 0], [0, 1]]),
        ):
            memref = f"memref<2x2x{element}>"
            module = f'memref.global "private" constant @w : {memref} = dense<{text}>'
            body = f"%w = memref.get_global @w : {memref}" + _loaded("%w", memref, element, 2, 2)
            wanted = Data(torch.tensor(values).to(DTYPES[element]), element)
            yield kernel(op, body, [], [wanted], element, module=module)


def _allocated() -> Iterator[Case]:
    body = """%m = memref.alloc() : memref<7x5xf16, #ktdp.memory_space<ct_local>>
  %t = ktdp.construct_access_tile %m[0, 0] { access_tile_set = SET,
    access_tile_order = affine_map<(d0, d1) -> (d0, d1)> }
    : memref<7x5xf16, #ktdp.memory_space<ct_local>> -> !ktdp.access_tile<7x5xindex>
  ktdp.store %a, %t : tensor<7x5xf16>, !ktdp.access_tile<7x5xindex>
  %r = ktdp.load %t : !ktdp.access_tile<7x5xindex> -> tensor<7x5xf16>
  memref.dealloc %m : memref<7x5xf16, #ktdp.memory_space<ct_local>>""".replace("SET", _set(7, 5))
    for op in ("memref.alloc", "memref.dealloc"):
        yield kernel(op, body, [_A], [_A])
    body = body.replace("memref.alloc(", "memref.alloca(").rpartition("\n")[0]
    yield kernel("memref.alloca", body, [_A], [_A])


def cases() -> Iterator[Case]:
    """All kernels of this module."""
    for part in (_views, _chains, _copied, _elements, _globals, _allocated):
        yield from part()
