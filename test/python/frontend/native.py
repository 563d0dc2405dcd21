"""Runs raw linalg text by torch-mlir's own JIT: what the text means according to MLIR itself.

An oracle for the import alone: it shares no pass and no arithmetic with this package.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ktir.frontend.importer import ImportedModel

_PIPELINE = (
    "func.func(linalg-generalize-named-ops),func.func(linalg-fuse-elementwise-ops),canonicalize,cse,"
    "one-shot-bufferize{bufferize-function-boundaries"
    " function-boundary-type-conversion=identity-layout-map},"
    "buffer-results-to-out-params{modify-public-functions=true},"
    "func.func(convert-linalg-to-loops),func.func(lower-affine),convert-scf-to-cf,"
    "expand-strided-metadata,lower-affine,func.func(arith-expand),func.func(convert-math-to-llvm),"
    "convert-math-to-libm,finalize-memref-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,"
    "convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts"
)


def call_natively(imported: ImportedModel, args: Sequence[Any], **kwargs: Any) -> Any:
    """The model's output, computed from `imported.text`."""
    given = imported.convention.flatten(args, kwargs)
    state = {a.name: a.tensor for a in imported.arguments if a.tensor is not None}
    tensors = {**given, **state}
    results = [torch.empty(result.shape, dtype=result.dtype) for result in imported.results]
    _invoke(imported.text, [tensors[a.name] for a in imported.arguments], results)
    return imported.convention.rebuild(results, tensors)


def _invoke(text: str, tensors: Sequence[Tensor], results: Sequence[Tensor]) -> None:
    """Call `main` of the text on tensors; the results are filled in place."""
    from torch_mlir import ir
    from torch_mlir.execution_engine import ExecutionEngine
    from torch_mlir.passmanager import PassManager
    from torch_mlir.runtime import get_ranked_memref_descriptor

    arrays = [_array(tensor) for tensor in [*tensors, *results]]
    with ir.Context():
        module = ir.Module.parse(text)
        for operation in module.body.operations:
            operation.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
        PassManager.parse(f"builtin.module({_PIPELINE})").run(module.operation)
        engine = ExecutionEngine(module, opt_level=1)
        engine.raw_register_runtime("memrefCopy", ctypes.cast(_COPY, ctypes.c_void_p))
        pointers = [
            ctypes.pointer(ctypes.pointer(get_ranked_memref_descriptor(array))) for array in arrays
        ]
        engine.invoke("main", *pointers)


def _array(tensor: Tensor) -> Any:
    """The memory of a tensor; numpy has no bfloat16, so its bits pass as integers."""
    tensor = tensor.detach().contiguous()
    return tensor.view(torch.int16).numpy() if tensor.dtype == torch.bfloat16 else tensor.numpy()


class _UnrankedMemref(ctypes.Structure):
    _fields_ = (("rank", ctypes.c_int64), ("descriptor", ctypes.c_void_p))


def _bytes_of(memref: Any, element_size: int) -> Any:
    """A strided memref as an array whose last dimension is the bytes of an element."""
    rank = memref.contents.rank
    words = (ctypes.c_int64 * (3 + 2 * rank)).from_address(memref.contents.descriptor)
    _, start, offset, *extents = words
    shape = [*extents[:rank], element_size]
    strides = [*(stride * element_size for stride in extents[rank:]), 1]
    span = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    raw = (ctypes.c_uint8 * span).from_address(start + offset * element_size)
    return np.ndarray(shape, np.uint8, raw, strides=strides)


@ctypes.CFUNCTYPE(  # type: ignore[untyped-decorator]  # typeshed leaves the decorator untyped
    None, ctypes.c_int64, ctypes.POINTER(_UnrankedMemref), ctypes.POINTER(_UnrankedMemref)
)
def _COPY(element_size: int, source: Any, target: Any) -> None:
    """memref.copy, which MLIR's runtime library provides to JIT code."""
    _bytes_of(target, element_size)[...] = _bytes_of(source, element_size)
