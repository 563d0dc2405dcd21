"""Ops that no kernel runs with, and why.

An op of `UNKNOWN` is refused wherever it stands, before anything of it is read; the others are
refused in the kernels of `cases`.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ktir.machine.kernel import run
from ktir.mlir import ir
from ktir.modules import new_context, parse_module
from ktir.options import CompileOptions
from ktir.pipeline import run_stage
from ktir.target import load_target

from .case import LEVELS, Case, data, kernel
from .registry import registered
from .samples import floats

_VECTORS = "kernels compute on tensors; the machine has no vectors"
_MEMORY = "a kernel's memory is what its views name"
_ATOMIC = "cores have no atomic access to memory"
_NO_MEANING = "it has no value that could be computed"

UNKNOWN: dict[str, str] = {
    **dict.fromkeys(registered("vector"), _VECTORS),
    **dict.fromkeys(("affine.vector_load", "affine.vector_store"), _VECTORS),
    **dict.fromkeys(("func.call_indirect", "func.constant"), "functions are called by name"),
    **dict.fromkeys(("ub.unreachable",), _NO_MEANING),
    **dict.fromkeys(
        ("memref.atomic_rmw", "memref.generic_atomic_rmw", "memref.atomic_yield"), _ATOMIC
    ),
    **dict.fromkeys(
        (
            "memref.alloca_scope", "memref.alloca_scope.return", "memref.distinct_objects",
            "memref.dma_start", "memref.dma_wait",
            "memref.extract_aligned_pointer_as_index", "memref.extract_strided_metadata",
            "memref.realloc", "memref.reshape", "memref.view",
        ),
        _MEMORY,
    ),
}  # fmt: skip
"""Ops that are refused by name, each with the reason."""


REASONS: dict[str, str] = {
    **dict.fromkeys(
        ("arith.scaling_extf", "arith.scaling_truncf"), "scales of 8 bits have no values here"
    ),
    **dict.fromkeys(
        (f"linalg.winograd_{part}_transform" for part in ("filter", "input", "output")),
        "the transforms have no body; write the products they are made of",
    ),
}
"""Why the ops are refused that only their kernels show."""


def run_unknown(op: str, level: str) -> None:
    """Runs a kernel that has an op of this name, without operands or results; it need not be
    legal, since its name suffices. Raises what the level raises."""
    target = load_target()
    options = CompileOptions(target_file=target)
    text = "func.func @k() attributes {grid = [1]} {\n  return\n}"
    module = parse_module(text, "the kernel", new_context())
    with module.context, ir.Location.file("kernel.mlir", 7, 3):
        _ = module.context.dialects[op.partition(".")[0]]  # loads it
        (function,) = module.regions[0].blocks[0]
        block = function.operation.regions[0].blocks[0]
        ir.Operation.create(op, ip=ir.InsertionPoint.at_block_begin(block))
    run(
        module,
        "k",
        {},
        level=level,
        target=target,
        lower=lambda module: run_stage(module, "sdf", options, target),
    )


def _everywhere(pattern: str) -> dict[str, str]:
    return dict.fromkeys(LEVELS, pattern)


def _scaled() -> Iterator[Case]:
    a = floats("f32", [4], 0)
    body = """%scale = arith.constant dense<1.0> : tensor<4xf8E8M0FNU>
  %n = arith.scaling_truncf %a, %scale : tensor<4xf32>, tensor<4xf8E8M0FNU> to tensor<4xf8E4M3FN>
  %r = arith.extf %n : tensor<4xf8E4M3FN> to tensor<4xf32>"""
    refused = _everywhere("f8E8M0FNU|scaling_truncf")
    yield kernel("arith.scaling_truncf", body, [a], [a], refused=refused)
    body = """%scale = arith.constant dense<1.0> : tensor<4xf8E8M0FNU>
  %n = arith.truncf %a : tensor<4xf32> to tensor<4xf8E4M3FN>
  %r = arith.scaling_extf %n, %scale : tensor<4xf8E4M3FN>, tensor<4xf8E8M0FNU> to tensor<4xf32>"""
    refused = _everywhere("f8E8M0FNU|f8E4M3FN|scaling_extf")
    yield kernel("arith.scaling_extf", body, [a], [a], refused=refused)


def _winograd() -> Iterator[Case]:
    for part, shape, result in (
        ("filter", (2, 3, 3, 5), (6, 6, 5, 2)),
        ("input", (2, 6, 6, 5), (6, 6, 1, 1, 2, 5)),
        ("output", (6, 6, 1, 1, 2, 2), (2, 4, 4, 2)),
    ):
        a, r = floats("f32", shape, 0), data(torch.zeros(result))
        op = f"linalg.winograd_{part}_transform"
        body = f"""%e = tensor.empty() : {r.type}
  %r = {op} fmr(F_4_3) ins(%a : {a.type}) outs(%e : {r.type}) -> {r.type}"""
        yield kernel(op, body, [a], [r], refused=_everywhere(op))


def cases() -> Iterator[Case]:
    """All kernels of this module."""
    yield from _scaled()
    yield from _winograd()
