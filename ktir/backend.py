"""`torch.compile(model, backend="ktir")`: graphs that torch captures run on the machine.

Owns the entry point that torch looks up by name and what it refuses. Compiling a graph is
`ktir.api`'s business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.fx import GraphModule, Interpreter
from torch.fx.traceback import preserve_node_meta

from ktir.api import compile_module
from ktir.errors import UnsupportedError


def backend(graph: GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """A function that does what `graph` does, for inputs of these shapes and dtypes.

    The model's weights are inputs of the graph as well, so a call sees them as they are then.

    Raises UnsupportedError where gradients are asked for or shapes are dynamic, and what
    `ktir.compile_module` raises; torch wraps it in its own BackendCompilerFailed.
    """
    if any(not isinstance(value, Tensor) for value in inputs):
        raise UnsupportedError(
            "a size of the graph is dynamic, but only static shapes are supported; use "
            "torch.compile(.., dynamic=False)"
        )
    if torch.is_grad_enabled() and any(value.requires_grad for value in inputs):
        raise UnsupportedError(
            "an input or a weight requires a gradient, but only inference is supported; call the "
            "model under torch.no_grad()"
        )
    return compile_module(_Located(graph), tuple(value.detach() for value in inputs))


class _Located(nn.Module):
    """Runs a graph op by op, so that each keeps the line of the model that it came from."""

    def __init__(self, graph: GraphModule) -> None:
        super().__init__()
        self.graph = graph

    def forward(self, *inputs: Tensor) -> Any:
        with preserve_node_meta():
            return Interpreter(self.graph).run(*inputs)
