"""The `linalg` dialect on tensors: every op with a body is one structured op; `softmax` is a
composition.

Named ops carry a body and indexing maps of their own, which is what is decoded. Loops that an
output is subscripted with are parallel, the others are reductions, unless the op says so itself.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ktir.errors import UnsupportedError
from ktir.machine import table
from ktir.machine.block import Step
from ktir.machine.decode import Scope, handler, scalar_type, terminators
from ktir.machine.frame import Frame
from ktir.machine.numerics import Kind, reduce_tree
from ktir.machine.scalar import Signature
from ktir.machine.structured_decode import decode_structured, structured_step
from ktir.mlir import ir
from ktir.mlir.dialects import linalg

terminators("linalg.yield", "tensor.yield")

_BODIES = """
generic map reduce transpose broadcast copy select elementwise contract
add sub mul div div_unsigned max min powf exp log abs ceil floor negf
reciprocal round sqrt rsqrt square tanh erf
matmul matmul_transpose_a matmul_transpose_b quantized_matmul matvec vecmat dot mmt4d
batch_matmul batch_matmul_transpose_a batch_matmul_transpose_b batch_reduce_matmul
batch_matvec batch_vecmat batch_mmt4d
conv_1d conv_2d conv_3d conv_1d_nwc_wcf conv_1d_ncw_fcw conv_2d_nhwc_hwcf conv_2d_nhwc_fhwc
conv_2d_nchw_fchw conv_2d_ngchw_fgchw conv_2d_ngchw_gfchw conv_2d_nhwgc_gfhwc conv_3d_ndhwc_dhwcf
conv_3d_ncdhw_fcdhw conv_2d_nhwc_hwcf_q conv_2d_nchw_fchw_q conv_2d_nhwc_fhwc_q
conv_2d_ngchw_gfchw_q conv_2d_nhwgc_gfhwc_q conv_3d_ndhwc_dhwcf_q
depthwise_conv_1d_nwc_wc depthwise_conv_1d_nwc_wcm depthwise_conv_1d_ncw_cw
depthwise_conv_2d_nhwc_hwc depthwise_conv_2d_nhwc_hwcm depthwise_conv_2d_nchw_chw
depthwise_conv_2d_nhwc_hwc_q depthwise_conv_2d_nhwc_hwcm_q
depthwise_conv_3d_ndhwc_dhwc depthwise_conv_3d_ndhwc_dhwcm depthwise_conv_3d_ncdhw_cdhw
pooling_nhwc_sum pooling_nhwc_max pooling_nhwc_min pooling_nhwc_max_unsigned
pooling_nhwc_min_unsigned pooling_nchw_sum pooling_nchw_max pooling_ncw_sum pooling_ncw_max
pooling_nwc_sum pooling_nwc_max pooling_nwc_min pooling_nwc_max_unsigned pooling_nwc_min_unsigned
pooling_ndhwc_sum pooling_ndhwc_max pooling_ndhwc_min
quantized_batch_matmul fill_rng_2d
"""
"""Ops with a body and indexing maps."""


@handler(*(f"linalg.{name}" for name in _BODIES.split()))
def decode_structured_op(op: Any, scope: Scope) -> Step:
    """Any op with a body and indexing maps, on tensors."""
    outputs = len(op.results)
    if outputs == 0:
        raise UnsupportedError("linalg on memrefs; the machine's values are tensors")
    operands = list(op.operands)
    maps = _indexing_maps(op)
    iterators = _iterators(op, maps, outputs)
    split = len(operands) - outputs
    types = [operand.type for operand in operands]
    fills = [_fill_of(value, scope) for value in operands[split:]]
    structured, captured = decode_structured(
        op.regions[0].blocks[0], iterators, maps, types[:split], types[split:], scope, fills
    )
    slots = scope.slots(operands)
    results = scope.define_all(list(op.results))
    return structured_step(structured, slots[:split], slots[split:], captured, results)


def _fill_of(value: ir.Value, scope: Scope) -> Tensor | None:
    """The one value that a constant tensor holds everywhere, shape []; None for any other value."""
    constant = scope.constant_of(value)
    if constant is None or constant.numel() == 0:
        return None
    repeated = all(s == 0 or n == 1 for s, n in zip(constant.stride(), constant.shape, strict=True))
    return constant[(0,) * constant.dim()] if repeated else None


@handler("linalg.fill")
def decode_fill(op: Any, scope: Scope) -> Step | None:
    """One scalar everywhere; a constant if it is one and the shape is known."""
    constant = scope.constant_of(op.operands[0])
    result = op.results[0] if len(op.results) else None
    if constant is None or result is None or not result.type.has_static_shape:
        return decode_structured_op(op, scope)
    scope.constant(
        result, constant.view((1,) * (result.type.rank + 1)).expand(1, *result.type.shape)
    )
    return None


def _indexing_maps(op: Any) -> list[ir.AffineMap]:
    attribute = linalg.get_indexing_maps(op)  # type: ignore[attr-defined]  # made at run time
    if attribute is None:
        raise UnsupportedError("the op has no indexing maps")
    return [ir.AffineMapAttr(entry).value for entry in ir.ArrayAttr(attribute)]


def _iterators(op: Any, maps: list[ir.AffineMap], outputs: int) -> list[str]:
    if "iterator_types" in op.attributes:
        kinds = [str(kind) for kind in ir.ArrayAttr(op.attributes["iterator_types"])]
        return [kind.partition("<")[2].rstrip(">") for kind in kinds]
    parallel = {
        expr.position
        for affine_map in maps[-outputs:]
        for expr in affine_map.results
        if isinstance(expr, ir.AffineDimExpr)
    }
    return ["parallel" if d in parallel else "reduction" for d in range(maps[0].n_dims)]


@handler("linalg.softmax")
def decode_softmax(op: Any, scope: Scope) -> Step:
    """`exp(x - max) / sum`, each step rounded to the element type."""
    axis = ir.IntegerAttr(op.attributes["dimension"]).value + 1
    x = scope.slot(op.operands[0])
    type_text = scalar_type(op.operands[0].type)
    exp = table.lookup("math.exp", Signature((type_text,), (type_text,)))
    result = scope.define(op.results[0])

    def softmax(x: Tensor) -> Tensor:
        shifted: Tensor = exp(x - reduce_tree(x, Kind.MAXIMUMF, [axis]).unsqueeze(axis))
        return torch.div(shifted, reduce_tree(shifted, Kind.ADDF, [axis]).unsqueeze(axis))

    def step(frame: Frame) -> None:
        frame[result] = softmax(frame[x])

    return step
