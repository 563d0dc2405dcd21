"""Checks and rewrites of FX graphs between torch.export and torch-mlir.

Owns what must be refused before anything is lowered, and the rewrites that only make sense just
before torch-mlir: a graph after `fold_upcasts` says more than torch can run.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from ktir.errors import UnsupportedError
from ktir.frontend.opmath import NARROW_FLOATS
from ktir.frontend.source import located

aten = torch.ops.aten

_PRODUCTS = (aten.mm.default, aten.bmm.default)
_CASTS = (aten._to_copy.default, torch.ops.prims.convert_element_type.default)
# Operators that move elements without looking at them: a cast commutes with each of these.
_VIEWS = (
    aten.view.default,
    aten.reshape.default,
    aten._unsafe_view.default,
    aten.permute.default,
    aten.transpose.int,
    aten.t.default,
    aten.expand.default,
    aten.clone.default,
    aten.unsqueeze.default,
    aten.squeeze.dim,
    aten.squeeze.dims,
)

# Operators that torch-mlir lowers to ops outside linalg, or on which it aborts the process.
_NOT_LOWERED = (
    aten.sort,
    aten.topk,
    aten.kthvalue,
    aten.median,
    aten.mode,
    aten.scatter,
    aten.scatter_add,
    aten.scatter_reduce,
    aten.index_put,
    aten._unsafe_index_put,
    aten.index_add,
    aten.index_copy,
    aten.masked_scatter,
    aten.nonzero,
    aten.unique_consecutive,
    aten._unique2,
    aten.cummax,
    aten.cummin,
    aten.logcumsumexp,
    aten.histc,
    aten.bincount,
)


def calls(graph: Graph) -> Iterator[Node]:
    """The operator nodes of a graph in order."""
    return (node for node in graph.nodes if node.op == "call_function")


def refuse_random(graph: Graph) -> None:
    """Raise UnsupportedError for an operator that draws random numbers."""
    for node in calls(graph):
        target = node.target
        if not isinstance(target, torch._ops.OpOverload):
            continue
        if target is aten.dropout.default and node.args[2] is False:
            continue
        attention = target is aten.scaled_dot_product_attention.default
        dropout = node.kwargs.get("dropout_p", node.args[4] if len(node.args) > 4 else 0.0)
        if dropout == 0.0 if attention else torch.Tag.nondeterministic_seeded not in target.tags:
            continue
        raise UnsupportedError(
            f"{located(node)}: random numbers are not supported; model.eval() turns dropout off"
        )


def refuse_unlowered(graph: Graph) -> None:
    """Raise UnsupportedError for what has no form in linalg, and for dynamic shapes."""
    for node in calls(graph):
        target = node.target
        if target is operator.getitem:
            continue
        if not isinstance(target, torch._ops.OpOverload):
            raise UnsupportedError(f"{located(node)}: only calls of operators are supported")
        if target._overloadpacket in _NOT_LOWERED:
            raise UnsupportedError(f"{located(node)}: it has no form in linalg yet")
        if not all(isinstance(extent, int) for extent in _extents(node)):
            raise UnsupportedError(f"{located(node)}: the shape depends on data or is dynamic")


def _extents(node: Node) -> Iterator[Any]:
    """Extents of every tensor a node yields."""
    value = node.meta.get("val")
    for part in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(part, Tensor):
            yield from part.shape


def fold_upcasts(graph: Graph) -> None:
    """Let matrix products read f16 and bf16 operands directly where they read f32 copies of them.

    The result stays f32: operand and result types that torch has no kernel for, and that torch-mlir
    lowers to a matmul which multiplies and accumulates in f32.
    """
    for node in list(calls(graph)):
        if node.target not in _PRODUCTS:
            continue
        left, right = _operand(node, 0), _operand(node, 1)
        narrow = _narrow_dtype(left)
        if narrow is None or narrow != _narrow_dtype(right):
            continue
        with graph.inserting_before(node):
            node.args = (_without_cast(graph, left), _without_cast(graph, right))
    graph.eliminate_dead_code()


def forget_devices(graph: Graph) -> None:
    """Let every tensor be made on the CPU: torch-mlir does not lower what is made on `meta`."""
    for node in calls(graph):
        if node.kwargs.get("device") is not None:
            node.update_kwarg("device", torch.device("cpu"))


def _operand(node: Node, place: int) -> Node:
    """Operand `place` of an operator whose operand is a tensor."""
    operand = node.args[place]
    assert isinstance(operand, Node)
    return operand


def _is_upcast(node: Node) -> bool:
    if node.op != "call_function" or node.target not in _CASTS:
        return False
    source = _operand(node, 0).meta["val"]
    return source.dtype in NARROW_FLOATS and node.meta["val"].dtype == torch.float32


def _narrow_dtype(node: Node) -> torch.dtype | None:
    """The narrow dtype whose f32 copy `node` is, looking through views; None if it is not one."""
    while node.op == "call_function" and node.target in _VIEWS:
        node = _operand(node, 0)
    if not _is_upcast(node):
        return None
    dtype: torch.dtype = _operand(node, 0).meta["val"].dtype
    return dtype


def _without_cast(graph: Graph, node: Node) -> Node:
    """The same views of the tensor under the cast."""
    source = _operand(node, 0)
    if _is_upcast(node):
        return source
    bare = _without_cast(graph, source)
    view = graph.node_copy(node, lambda operand: bare if operand is source else operand)
    view.meta["val"] = node.meta["val"].to(bare.meta["val"].dtype)
    view.meta.pop("tensor_meta", None)
    return view
