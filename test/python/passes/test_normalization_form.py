"""What normalised code looks like: what is fused, what is done once, and where no copy is made."""

from __future__ import annotations

import torch
from module_table import MODULES, Sizes
from normalizing import Normalized, normalize
from torch import Tensor, nn
from torch.nn import functional as F

from ktir.mlir import ir
from ktir.passes.contraction import CASTS
from ktir.passes.ir_utils import shape_of
from ktir.passes.normalization.generics import Generic, is_contraction, is_elementwise
from ktir.passes.normalization.sources import describe

VIEWS = ("tensor.expand_shape", "tensor.collapse_shape")


class DecoderBlock(nn.Module):
    """A llama layer in small: RMS norm, rotary grouped attention, causal mask, gated MLP."""

    def __init__(self, width: int = 32, heads: int = 4, groups: int = 2) -> None:
        super().__init__()
        self.head, self.heads, self.groups = width // heads, heads, groups
        self.first, self.second = nn.RMSNorm(width, eps=1e-6), nn.RMSNorm(width, eps=1e-6)
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, groups * self.head, bias=False)
        self.value = nn.Linear(width, groups * self.head, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.gate, self.up = (nn.Linear(width, 2 * width, bias=False) for _ in range(2))
        self.down = nn.Linear(2 * width, width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        batch, rows, _ = x.shape
        h = self.first(x)
        query, key, value = (
            layer(h).view(batch, rows, -1, self.head).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        query, key = (t * cos + self.rotate_half(t) * sin for t in (query, key))
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, rows, -1))
        h = self.second(x)
        x = x + self.down(F.silu(self.gate(h)) * self.up(h))
        return x

    @staticmethod
    def rotate_half(t: Tensor) -> Tensor:
        first, second = t.chunk(2, dim=-1)
        return torch.cat((-second, first), dim=-1)


def entry(name: str, sizes: Sizes | None = None) -> Normalized:
    found = next(entry for entry in MODULES if entry.name == name)
    return normalize(*found.build(torch.float16, sizes or Sizes()))


def decoder_block() -> Normalized:
    torch.manual_seed(0)
    args = (torch.randn(2, 6, 32), torch.randn(6, 8), torch.randn(6, 8))
    return normalize(DecoderBlock().half().eval(), [arg.half() for arg in args])


def contractions(code: Normalized) -> list[Generic]:
    return [view for view in code.generics if is_contraction(view)]


def bodies_with(code: Normalized, name: str) -> list[Generic]:
    return [view for view in code.generics if name in code.names(view)]


def test_contractions_hold_casts_and_one_product() -> None:
    code = decoder_block()
    assert len(contractions(code)) == 9
    for view in contractions(code):
        assert set(code.names(view)) <= CASTS | {"arith.mulf", "arith.addf"}
        assert str(ir.RankedTensorType(view.inits[0].type).element_type) == "f32"


def test_weights_are_read_as_given() -> None:
    code = decoder_block()
    weights = [argument for argument in code.arguments if len(shape_of(argument)) == 2][:7]
    for weight in weights:
        (use,) = list(weight.uses)
        assert use.owner.operation.name == "linalg.generic"
        assert "f16" in str(weight.type)
    assert all(any(value in weights for value in view.inputs) for view in contractions(code)[:3])


def test_views_do_not_cut_a_kernel() -> None:
    """No reshape stands between a contraction and the elementwise generic behind it."""
    code = decoder_block()
    for view in contractions(code):
        assert not [u for u in view.op.results[0].uses if u.owner.operation.name in VIEWS]


def test_scores_are_computed_once() -> None:
    code = entry("softmax")
    (exponential,) = bodies_with(code, "math.exp")
    assert is_elementwise(exponential)
    assert len(list(exponential.op.results[0].uses)) == 2
    assert len(code.generics) == 4


def test_arithmetic_with_several_users_is_done_once() -> None:
    code = entry("shared_by_three")
    assert len(bodies_with(code, "math.tanh")) == 1
    assert len(contractions(code)) == 3


def test_row_statistics_stay_small() -> None:
    """The root of the variance is taken once a row, and rows are broadcast by maps."""
    code = entry("layer_norm")
    (root,) = bodies_with(code, "math.rsqrt")
    assert root.loops == 2
    assert not [op for op in code.ops if op.operation.name in VIEWS]


def test_elementwise_chains_fuse() -> None:
    # Of silu_gate: two products and one generic for silu and the gate.
    for name, count in (("gelu", 1), ("clamp", 1), ("silu_gate", 3)):
        code = entry(name)
        assert len(code.generics) == count


def test_names_and_types_of_arguments_stay() -> None:
    code = decoder_block()
    declared = [(a.name, tuple(a.shape)) for a in code.imported.arguments]
    text = str(code.module)
    assert [shape_of(argument) for argument in code.arguments] == [
        extents for _, extents in declared
    ]
    assert all(f'ktir.name = "{name}"' in text for name, _ in declared)


def test_locations_lead_to_the_model() -> None:
    code = decoder_block()
    for view in code.generics:
        assert ".py:" in describe(view.op), describe(view.op)
