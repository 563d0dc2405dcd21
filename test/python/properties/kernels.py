"""The strategies of legal kernels."""

from __future__ import annotations

from hypothesis import strategies as st

from .control import block, recent, statement
from .kernel import Builder, Kernel, Scope
from .memory import load, store
from .messages import exchange
from .scratchpads import neighbour

GRIDS = (None, [1], [2], [3], [4], [2, 1], [2, 2], [1, 3], [2, 1, 2], [4, 1])

SHAPES = (
    (1,), (7,), (63,), (64,), (65,), (1, 1), (4, 7), (2, 63), (3, 64), (2, 65), (1, 64), (65, 2),
    (7, 1), (2, 3, 7), (1, 2, 65), (3, 1, 8), (2, 3), (1, 6), (3, 5), (2, 2, 2, 5), (28, 1), (0,),
    (3, 0), (8, 8),
)  # fmt: skip
"""Shapes of tiles: around the size of a stick, ones, triangular numbers, empty ones."""

ELEMENTS = ("f16", "f16", "f32", "bf16", "i32", "i64", "i1", "i8")


def begin(draw: st.DrawFn) -> tuple[Builder, Scope]:
    """A kernel that has loaded one or two tensors."""
    builder = Builder(draw, draw(st.sampled_from(GRIDS)))
    scope = Scope([], [builder.core])
    shapes = [shape for shape in SHAPES if 0 not in shape or builder.form("empty tiles")]
    shape, element = builder.pick(shapes), builder.pick(ELEMENTS)
    for _ in range(builder.number(1, 2)):
        scope.values.append(load(builder, scope, shape, element))
    return builder, scope


def end(builder: Builder, scope: Scope) -> Kernel:
    """Stores the last value and others."""
    store(builder, scope, scope.values[-1])
    for _ in range(builder.number(0, 2)):
        store(builder, scope, recent(builder, scope))
    return builder.finish()


@st.composite
def straight(draw: st.DrawFn) -> Kernel:
    """Loads, computation and stores in a line."""
    builder, scope = begin(draw)
    block(builder, Scope(scope.values, scope.indices, depth=2), 6)
    return end(builder, scope)


@st.composite
def branching(draw: st.DrawFn) -> Kernel:
    """The same with loops and branches."""
    builder, scope = begin(draw)
    for _ in range(builder.number(1, 5)):
        statement(builder, scope)
    return end(builder, scope)


@st.composite
def moving(draw: st.DrawFn) -> Kernel:
    """Nothing but loads and stores through tiles of all kinds."""
    builder, scope = begin(draw)
    return end(builder, scope)


@st.composite
def messaging(draw: st.DrawFn) -> Kernel:
    """Exchanges between cores, in a line and in loops."""
    builder, scope = begin(draw)
    for _ in range(builder.number(1, 3)):
        builder.pick([exchange, exchange, exchange, neighbour])(builder, scope)
        block(builder, scope, 2)
    return end(builder, scope)
