"""The examples of ktir-cpu: what each is run on, and what is expected of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from test.public import inputs, oracles
from test.public.inputs import Inputs, Make

SEED = 42


@dataclasses.dataclass(frozen=True)
class Case:
    """One example. `moves`: the kernel only moves data, so that values are compared bit for bit.

    `overflows`: the scratchpad cannot hold the kernel's tiles, and a run must say so. `oracle`
    answers in place of ktir-cpu.
    """

    file: str
    func: str
    make: Make
    moves: bool = False
    overflows: bool = False
    oracle: Callable[[Inputs], dict[str, Any]] | None = None

    def inputs(self) -> Inputs:
        """The same inputs in every run."""
        return self.make(np.random.default_rng(SEED))


CASES = (
    Case("triton-ktir/vector_add_ktir.mlir", "add_kernel", inputs.add),
    Case("triton-ktir/vector_add_dynamic_ktir.mlir", "add_kernel_dynamic", inputs.add_dynamic),
    Case("triton-ktir/softmax_fwd_ktir.mlir", "softmax_kernel", inputs.softmax(4096, 1024, 778)),
    Case("triton-ktir/layernorm_fwd_ktir.mlir", "_layer_norm_fwd_fused", inputs.layer_norm),
    Case(
        "triton-ktir/matmul_fwd_ktir.mlir",
        "matmul_kernel",
        inputs.matmul(64, 8192, 2048, (32, 512, 128)),
    ),
    Case("triton-ktir/sdpa_2d.mlir", "sdpa_kernel_2d", inputs.attention),
    Case("triton-ktir/indexed_add.mlir", "indexed_add_kernel", inputs.indexed_add),
    Case(
        "triton-ktir/paged_attention.mlir",
        "kernel_unified_attention_spyre_2d",
        inputs.paged_attention,
    ),
    Case("sdsc/sdpa_pv_ksplit.mlir", "sdpa_pv_ksplit", inputs.split_matmul),
    Case("ktir/ffn_swiglu.mlir", "ffn_swiglu", inputs.mlp(1, 64, 128, 0.1)),
    Case("ktir/ffn_swiglu_4core.mlir", "ffn_swiglu_4core", inputs.mlp(4, 256, 1024, 0.05)),
    Case("ktir/nested_yield.ktir", "nested_yield", inputs.one_array("out", (4,), np.float32)),
    Case("ktir/reduce_generic.mlir", "reduce_explicit_region", inputs.one_array("arg0", (1, 4))),
    Case("ktir/reduce_multiop.mlir", "reduce_multiop", inputs.one_array("arg0", (1, 8))),
    Case("ktir/ring_reduce.mlir", "ring_reduce", inputs.ring(4, 1)),
    Case(
        "ktir/ring_reduce_inner_loop.mlir", "ring_reduce_inner_loop", inputs.ring(4, 1, n_iters=3)
    ),
    Case("ktir/scalar_broadcast.mlir", "scalar_broadcast", inputs.scalar_broadcast, moves=True),
    Case("ktir/softmax_wide.mlir", "softmax_kernel", inputs.softmax_wide),
    Case(
        "latency/matmul_small.mlir", "matmul_kernel_small", inputs.matmul(16, 64, 64, (8, 32, 32))
    ),
    Case("latency/ring_reduce_multi_group.mlir", "ring_reduce_multi_group", inputs.ring(16, 4)),
    Case("latency/rmsnorm_4core_2x2.mlir", "rmsnorm_2x2", inputs.rms_norm),
    Case("latency/rmsnorm_4core_4x1.mlir", "rmsnorm_4x1", inputs.rms_norm),
    Case("latency/rope_fwd_4x2.mlir", "rope_fwd_kernel", inputs.rope),
    Case("latency/softmax_small.mlir", "softmax_kernel_small", inputs.softmax(64, 64, 50)),
    Case(
        "latency/softmax_small_explicit.mlir",
        "softmax_kernel_small_explicit",
        inputs.softmax(64, 64, 50),
    ),
    Case("rfc/add-with-control-flow.mlir", "add", inputs.add_rows),
    Case(
        "rfc/distributed-view-copy.mlir", "distributed_view_copy", inputs.three_memories, moves=True
    ),
    Case(
        "rfc/distributed-view-copy-dynamic.mlir",
        "distributed_view_copy_dynamic",
        inputs.columns(16),
        moves=True,
    ),
    Case(
        "rfc/distributed-view-copy-rowmerge-dynamic.mlir",
        "distributed_view_copy_rowmerge_dynamic",
        inputs.rows(32),
        moves=True,
    ),
    Case(
        "rfc/indirect-access-copy.mlir",
        "indirect_access_copy",
        inputs.overlapping,
        moves=True,
        oracle=oracles.gathered,
    ),
    Case(
        "rfc/indirect-scatter.mlir",
        "indirect_scatter",
        inputs.overlapping,
        moves=True,
        oracle=oracles.scattered,
    ),
    Case(
        "rfc/paged-tensor-copy.mlir", "paged_tensor_copy_1core", inputs.pages_read, overflows=True
    ),
    Case(
        "rfc/paged-tensor-write.mlir",
        "paged_tensor_write_1core",
        inputs.pages_written,
        overflows=True,
    ),
)
"""Every example, once."""

REASONS: Mapping[str, str] = {}
"""Why a file is not expected to pass, by its name under `examples/`."""
