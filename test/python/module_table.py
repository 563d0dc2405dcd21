"""The table of small PyTorch modules that every stage of the compiler must carry.

This file owns the modules, their sizes and what counts as close enough; the tests that import,
compile or run them live beside the stage they test. An entry is data: a name, a factory and a
tolerance class.

    for entry in MODULES:
        module, args = entry.build(torch.float16, Sizes(rows=5, last=65))

Every factory is deterministic: parameters and inputs depend on the dtype and the sizes only. `rows`
is a count of rows (a batch, a sequence), `last` the extent of the last dimension. The extents in
`LAST_EXTENTS` sit around the 64-lane f16 stick of the device and its multiples, where tails go
wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

LAST_EXTENTS = (1, 7, 63, 64, 65, 100, 130)
ROW_COUNTS = (1, 2, 5, 8, 33, 67)
FLOAT_DTYPES = (torch.float16, torch.float32)


@dataclass(frozen=True)
class Sizes:
    """How large a module is: `rows` rows of `last` elements."""

    rows: int = 5
    last: int = 65


Built = tuple[nn.Module, tuple[Tensor, ...]]
Factory = Callable[[torch.dtype, Sizes], Built]


@dataclass(frozen=True)
class Entry:
    """One module of the table.

    `tolerance` is a key of `TOLERANCES`. `reduction` says how many products or terms one output
    element adds up, given the sizes; comparisons scale their absolute tolerance with its square
    root.
    """

    name: str
    factory: Factory
    tolerance: str
    reduction: Callable[[Sizes], int] = lambda sizes: 1

    def build(self, dtype: torch.dtype, sizes: Sizes) -> Built:
        """The module in eval mode and its inputs, always the same for the same dtype and sizes."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            module, args = self.factory(dtype, sizes)
        return module.eval(), args


@dataclass(frozen=True)
class Tolerance:
    """How close a result must be to PyTorch's on the CPU in the same dtype.

    `relative` by dtype; `units` is the absolute part, in units in the last place of 1.0.
    """

    f16: float
    bf16: float
    f32: float
    units: float = 1.0

    def relative(self, dtype: torch.dtype) -> float:
        return {torch.float16: self.f16, torch.bfloat16: self.bf16, torch.float32: self.f32}[dtype]


TOLERANCES: dict[str, Tolerance] = {
    "exact": Tolerance(0.0, 0.0, 0.0, units=0.0),
    "pointwise": Tolerance(1e-3, 1e-2, 1e-5),
    # Where the two terms of an activation cancel, the error is relative to the operand.
    "activation": Tolerance(1e-3, 1e-2, 1e-5, units=8.0),
    "reduction": Tolerance(1e-2, 2e-2, 1e-4, units=4.0),
    "matmul": Tolerance(1e-2, 2e-2, 1e-4, units=4.0),
    "attention": Tolerance(5e-3, 2e-2, 1e-4, units=4.0),
}


def tolerance(entry: Entry, dtype: torch.dtype, sizes: Sizes) -> tuple[float, float]:
    """(rtol, atol) for comparing `entry`; atol grows with the square root of the terms."""
    allowed = TOLERANCES[entry.tolerance]
    units = allowed.units * math.sqrt(entry.reduction(sizes))
    return allowed.relative(dtype), units * torch.finfo(dtype).eps


class Call(nn.Module):
    """A module without state: its forward is one function of tensors."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: Tensor) -> object:
        return self.function(*inputs)


class Perceptron(nn.Module):
    """Three linear layers with ReLU between them."""

    def __init__(self, last: int, hidden: int) -> None:
        super().__init__()
        self.first = nn.Linear(last, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.third = nn.Linear(hidden, last)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.first(x))
        x = torch.relu(self.second(x))
        x = self.third(x)
        return x


class SiluGate(nn.Module):
    """The gated half of a llama feed-forward: silu(gate(x)) * up(x)."""

    def __init__(self, last: int) -> None:
        super().__init__()
        self.gate = nn.Linear(last, last, bias=False)
        self.up = nn.Linear(last, last, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = F.silu(self.gate(x)) * self.up(x)
        return y


class EmbeddingWithPosition(nn.Module):
    """Token embedding plus a position embedding read from a non-persistent buffer of positions."""

    positions: Tensor

    def __init__(self, vocabulary: int, length: int, last: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, last)
        self.places = nn.Embedding(length, last)
        self.register_buffer("positions", torch.arange(length), persistent=False)

    def forward(self, ids: Tensor) -> Tensor:
        x: Tensor = self.tokens(ids) + self.places(self.positions[: ids.shape[1]])
        return x


class NormWithResidual(nn.Module):
    """A residual sum returned beside its layer norm: one value that is an output and an operand."""

    def __init__(self, last: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(last)

    def forward(self, x: Tensor, residual: Tensor) -> tuple[Tensor, Tensor]:
        total = x + residual
        return self.norm(total), total


class SharedByThree(nn.Module):
    """One value read by three matmuls, as the query, key and value projections read one input."""

    def __init__(self, last: int) -> None:
        super().__init__()
        self.query = nn.Linear(last, last)
        self.key = nn.Linear(last, last)
        self.value = nn.Linear(last, last)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        shared = torch.tanh(x)
        return self.query(shared), self.key(shared), self.value(shared)


def values(dtype: torch.dtype, *shape: int) -> Tensor:
    """Standard normal values, drawn in f32 and rounded."""
    return torch.randn(shape).to(dtype)


def _function(
    function: Callable[..., object], *shapes: Callable[[Sizes], tuple[int, ...]]
) -> Factory:
    """A factory for `Call(function)` on one normal tensor per shape."""

    def factory(dtype: torch.dtype, sizes: Sizes) -> Built:
        return Call(function), tuple(values(dtype, *shape(sizes)) for shape in shapes)

    return factory


def _module(
    make: Callable[[Sizes], nn.Module], *shapes: Callable[[Sizes], tuple[int, ...]]
) -> Factory:
    """A factory for a module with state on one normal tensor per shape."""

    def factory(dtype: torch.dtype, sizes: Sizes) -> Built:
        return make(sizes).to(dtype), tuple(values(dtype, *shape(sizes)) for shape in shapes)

    return factory


def flat(sizes: Sizes) -> tuple[int, ...]:
    return (sizes.rows, sizes.last)


def deep(sizes: Sizes) -> tuple[int, ...]:
    return (2, sizes.rows, sizes.last)


def heads(sizes: Sizes) -> tuple[int, ...]:
    """[batch, heads, sequence, head size] of an attention operand."""
    return (2, 3, sizes.rows, sizes.last)


def _bool_masked_attention(dtype: torch.dtype, sizes: Sizes) -> Built:
    """Attention under a bool mask; the last query row may look at nothing."""
    query, key, value = (values(dtype, *heads(sizes)) for _ in range(3))
    mask = torch.rand(2, 1, sizes.rows, sizes.rows) < 0.7
    mask[:, :, -1, :] = False
    return Call(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m)), (
        query,
        key,
        value,
        mask,
    )


def _float_masked_attention(dtype: torch.dtype, sizes: Sizes) -> Built:
    query, key, value = (values(dtype, *heads(sizes)) for _ in range(3))
    mask = values(dtype, sizes.rows, sizes.rows)
    return Call(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m)), (
        query,
        key,
        value,
        mask,
    )


def _grouped_attention(dtype: torch.dtype, sizes: Sizes) -> Built:
    """Four query heads share two key and value heads; the scale is given."""
    query = values(dtype, 2, 4, sizes.rows, sizes.last)
    key, value = (values(dtype, 2, 2, sizes.rows + 1, sizes.last) for _ in range(2))
    call = Call(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.25, enable_gqa=True)
    )
    return call, (query, key, value)


def _embedding(dtype: torch.dtype, sizes: Sizes) -> Built:
    return nn.Embedding(37, sizes.last).to(dtype), (torch.randint(0, 37, (2, sizes.rows)),)


def _embedding_with_position(dtype: torch.dtype, sizes: Sizes) -> Built:
    module = EmbeddingWithPosition(37, sizes.rows + 3, sizes.last).to(dtype)
    return module, (torch.randint(0, 37, (2, sizes.rows)),)


def _where(dtype: torch.dtype, sizes: Sizes) -> Built:
    condition = torch.rand(sizes.rows, sizes.last) < 0.5
    return Call(torch.where), (condition, values(dtype, *flat(sizes)), values(dtype, *flat(sizes)))


def _int_arithmetic(dtype: torch.dtype, sizes: Sizes) -> Built:
    """int64 arithmetic past the range of int32, and a comparison."""
    a = torch.randint(-(2**40), 2**40, (sizes.rows, sizes.last))
    b = torch.randint(1, 1000, (sizes.rows, sizes.last))
    return Call(lambda x, y: (x * y - 3, torch.div(x, y, rounding_mode="floor"), x > y)), (a, b)


def _view_chain(x: Tensor) -> Tensor:
    """Split the last dimension, move rows inside, merge: what attention does around its heads."""
    batch, rows, last = x.shape
    return x.view(batch, rows, last, 1).transpose(1, 2).reshape(batch * last, rows).t().contiguous()


def _reductions() -> list[Entry]:
    """sum, mean, amax and argmax over each dimension of a rank-3 tensor."""
    functions: dict[str, tuple[Callable[[Tensor, int], Tensor], str]] = {
        "sum": (lambda x, dim: x.sum(dim), "reduction"),
        "mean": (lambda x, dim: x.mean(dim), "reduction"),
        "amax": (lambda x, dim: x.amax(dim), "exact"),
        "argmax": (lambda x, dim: x.argmax(dim), "exact"),
    }
    return [
        Entry(
            f"{name}_dim{dim}",
            _function(lambda x, f=function, d=dim: f(x, d), deep),
            tolerance_class,
            lambda sizes, d=dim: deep(sizes)[d],  # type: ignore[misc]  # no inference of defaults
        )
        for name, (function, tolerance_class) in functions.items()
        for dim in range(3)
    ]


def _cats() -> list[Entry]:
    """cat over each dimension of a rank-3 tensor; the pieces differ, one has extent 1."""

    def factory(dim: int) -> Factory:
        def build(dtype: torch.dtype, sizes: Sizes) -> Built:
            def piece(extent: int) -> Tensor:
                shape = list(deep(sizes))
                shape[dim] = extent
                return values(dtype, *shape)

            return Call(lambda *pieces: torch.cat(pieces, dim)), (
                piece(deep(sizes)[dim]),
                piece(1),
                piece(3),
            )

        return build

    return [Entry(f"cat_dim{dim}", factory(dim), "exact") for dim in range(3)]


def _last(sizes: Sizes) -> int:
    return sizes.last


def _hidden(sizes: Sizes) -> int:
    return max(sizes.last, 96)


MODULES: tuple[Entry, ...] = (
    Entry("linear", _module(lambda s: nn.Linear(s.last, 96), flat), "matmul", _last),
    Entry(
        "linear_out",
        _module(lambda s: nn.Linear(96, s.last), lambda s: (2, s.rows, 96)),
        "matmul",
        lambda s: 96,
    ),
    Entry(
        "linear_relu",
        _module(lambda s: nn.Sequential(nn.Linear(s.last, s.last), nn.ReLU()), flat),
        "matmul",
        _last,
    ),
    Entry("mlp", _module(lambda s: Perceptron(s.last, 96), flat), "matmul", _hidden),
    Entry("softmax", _function(lambda x: torch.softmax(x, -1), deep), "reduction"),
    Entry("softmax_rows", _function(lambda x: torch.softmax(x, 1), deep), "reduction"),
    Entry("log_softmax", _function(lambda x: torch.log_softmax(x, -1), deep), "reduction"),
    Entry("layer_norm", _module(lambda s: nn.LayerNorm(s.last), deep), "reduction"),
    Entry("rms_norm", _module(lambda s: nn.RMSNorm(s.last, eps=1e-6), deep), "reduction"),
    Entry("gelu", _function(lambda x: F.gelu(x), flat), "activation"),
    Entry("gelu_tanh", _function(lambda x: F.gelu(x, approximate="tanh"), flat), "activation"),
    Entry("silu_gate", _module(lambda s: SiluGate(s.last), flat), "matmul", _last),
    *_reductions(),
    Entry("matmul", _function(torch.matmul, flat, lambda s: (s.last, 40)), "matmul", _last),
    Entry(
        "bmm",
        _function(torch.bmm, lambda s: (3, s.rows, 24), lambda s: (3, 24, s.last)),
        "matmul",
        lambda s: 24,
    ),
    Entry(
        "matmul_transposed",
        _function(lambda a, b: a @ b.T, flat, lambda s: (40, s.last)),
        "matmul",
        _last,
    ),
    Entry(
        "attention",
        _function(lambda q, k, v: F.scaled_dot_product_attention(q, k, v), heads, heads, heads),
        "attention",
        _last,
    ),
    Entry(
        "attention_causal",
        _function(
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
            heads,
            heads,
            heads,
        ),
        "attention",
        _last,
    ),
    Entry("attention_bool_mask", _bool_masked_attention, "attention", _last),
    Entry("attention_float_mask", _float_masked_attention, "attention", _last),
    Entry("attention_grouped", _grouped_attention, "attention", _last),
    Entry("embedding", _embedding, "exact"),
    Entry("embedding_position", _embedding_with_position, "pointwise"),
    *_cats(),
    Entry(
        "slice", _function(lambda x: x[:, 1::2, 3:], lambda s: (2, s.rows + 1, s.last + 3)), "exact"
    ),
    Entry(
        "slice_last_step",
        _function(lambda x: x[..., 1::3] + 1, lambda s: (s.rows, s.last + 3)),
        "pointwise",
    ),
    Entry("pad", _function(lambda x: F.pad(x, (2, 3, 1, 0), value=1.5), deep), "exact"),
    Entry(
        "pad_negative",
        _function(lambda x: F.pad(x, (-1, 2)), lambda s: (s.rows, s.last + 1)),
        "exact",
    ),
    Entry("transpose", _function(lambda x: x.t() * 2, flat), "exact"),
    Entry("diagonal", _function(lambda x: x.diagonal(0, 1, 2), deep), "exact"),
    Entry("view_chain", _function(_view_chain, deep), "exact"),
    Entry("add_row", _function(torch.add, flat, lambda s: (s.last,)), "pointwise"),
    Entry("add_column", _function(torch.add, flat, lambda s: (s.rows, 1)), "pointwise"),
    Entry("where", _where, "exact"),
    Entry("clamp", _function(lambda x: torch.minimum(x.clamp(-0.5, 0.5), -x), flat), "exact"),
    Entry("norm_residual", _module(lambda s: NormWithResidual(s.last), flat, flat), "reduction"),
    Entry("shared_by_three", _module(lambda s: SharedByThree(s.last), flat), "matmul", _last),
    Entry("int_arithmetic", _int_arithmetic, "exact"),
    Entry(
        "two_outputs",
        _function(lambda x: {"row_sums": x.sum(-1), "doubled": x * 2}, flat),
        "reduction",
        _last,
    ),
)
