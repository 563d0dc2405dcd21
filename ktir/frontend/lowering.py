"""The one place that touches torch-mlir: graph in, generic MLIR text out.

torch-mlir brings its own MLIR (a development version), ours is another: both live in one process
and only text passes between them. torch-mlir is imported inside functions, so that nothing else
needs it.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Node
from torch.utils import _pytree as pytree

from ktir.errors import KtirError, UnsupportedError
from ktir.frontend.source import frames, located, module_path, origin_name

# torch-mlir's own pass pipelines, in order; the names are its command line's.
_PIPELINES = (
    "builtin.module(func.func(torch-match-quantized-custom-ops),"
    "torchdynamo-export-to-torch-backend-pipeline{extra-library=})",
    "builtin.module(torch-backend-to-linalg-on-tensors-backend-pipeline)",
)
_DIALECTS = frozenset({"builtin", "func", "linalg", "tensor", "arith", "math", "cf"})
_INSTALL = (
    "torch-mlir is not installed and is needed to compile PyTorch models: "
    "pip install 'ktir[models]'"
)


def default_decompositions() -> dict[Any, Any]:
    """torch-mlir's choice of torch's decompositions. Raises KtirError if it is not installed."""
    return dict(_torch_mlir("extras.fx_decomp_util").get_decomposition_table())


def lower_to_linalg(module: GraphModule, names: Sequence[str]) -> str:
    """Generic MLIR text of `func.func @main` for a graph of tensor placeholders and tensor outputs.

    `names` become the `ktir.name` attributes of the arguments. Locations are
    `"node"("module"(callsite(..)))`. Raises UnsupportedError for an operator that torch-mlir cannot
    lower, KtirError if it is not installed.
    """
    ir = _torch_mlir("ir")
    context = ir.Context()
    _torch_mlir("dialects.torch").register_dialect(context)
    diagnostics: list[tuple[str, str]] = []

    def note(diagnostic: Any) -> bool:
        diagnostics.append((str(diagnostic.location), diagnostic.message))
        return True

    handler = context.attach_diagnostic_handler(note)
    try:
        operation = _import_graph(context, module)
        _run_pipelines(context, operation, module, diagnostics)
        _refuse_foreign_ops(operation, module)
        with context:
            _name_arguments(operation, names)
            _mark_doubles(operation, module)
        return str(operation.get_asm(print_generic_op_form=True, enable_debug_info=True))
    finally:
        handler.detach()


def _torch_mlir(name: str) -> Any:
    """A module of torch-mlir. Raises KtirError if it is not installed."""
    try:
        return importlib.import_module(f"torch_mlir.{name}")
    except ImportError as error:
        raise KtirError(_INSTALL) from error


# ---- import ----------------------------------------------------------------------------


def _import_graph(context: Any, module: GraphModule) -> Any:
    """The graph in the torch dialect."""
    fx_importer = _torch_mlir("extras.fx_importer")

    class Locations(fx_importer.ContextCache):  # type: ignore[misc, name-defined]
        """Names the node and its module above the Python frames."""

        __slots__ = ()

        def get_node_location(self, node: Node) -> Any:
            return _location(self._c, node)

    importer = fx_importer.FxImporter(context=context)
    importer._cc = Locations(context, py_attr_tracker=importer._py_attr_tracker)
    try:
        importer.import_stateless_graph(module.graph, func_name="main")
    except Exception as error:
        node = _node_in_frames(error)
        if node is None:
            raise
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        refusal = f"{located(node)}: torch-mlir cannot import it: {reason}"
        raise UnsupportedError(refusal) from None
    return importer.module.operation


def _location(context: Any, node: Node) -> Any:
    """loc("layer_norm_2"("encoder.layer.0.norm"(callsite(inner at outer)))).

    Placeholders have the location of `main`, for which the importer asks the first node. None keeps
    the last one.
    """
    location = _torch_mlir("ir").Location
    if node.op == "placeholder":
        return location.name("main", context=context)
    if node.op != "call_function":
        return None
    files = [location.file(file, line, 0, context=context) for file, line in frames(node)]
    place = location.unknown(context=context)
    if len(files) > 1:
        place = location.callsite(files[-1], files[-2::-1], context=context)
    elif files:
        place = files[0]
    if path := module_path(node):
        place = location.name(path, place, context=context)
    return location.name(origin_name(node), place, context=context)


def _node_in_frames(error: Exception) -> Node | None:
    """The node that the importer was working on when it raised."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        node = trace.tb_frame.f_locals.get("node")
        found = node if isinstance(node, Node) else found
        trace = trace.tb_next
    return found


# ---- pipelines -------------------------------------------------------------------------


def _run_pipelines(
    context: Any, operation: Any, module: GraphModule, diagnostics: Sequence[tuple[str, str]]
) -> None:
    """Lower the operation in place. The first diagnostic of a failure names the operator."""
    pass_manager = _torch_mlir("passmanager").PassManager
    context.emit_error_diagnostics = True  # to our handler; some passes emit without failing
    for pipeline in _PIPELINES:
        try:
            with context:
                pass_manager.parse(pipeline).run(operation)
        except Exception as error:  # noqa: BLE001 - its MLIR's own class of errors
            location, message = diagnostics[0] if diagnostics else ("", str(error).strip())
            reason = message.splitlines()[0].split(":", 1)[0]
            raise UnsupportedError(_refusal(location, f"torch-mlir {reason}", module)) from None


def _refuse_foreign_ops(operation: Any, module: GraphModule) -> None:
    """Raise UnsupportedError if ops that are not for tensors in linalg are left (tm_tensor)."""
    walk = _torch_mlir("ir").WalkResult
    foreign: list[tuple[str, str]] = []

    def visit(op: Any) -> Any:
        if op.name.split(".", 1)[0] not in _DIALECTS:
            foreign.append((op.name, str(op.location)))
            return walk.INTERRUPT
        return walk.ADVANCE

    operation.walk(visit)
    for name, location in foreign:
        raise UnsupportedError(_refusal(location, f"torch-mlir lowers it to {name}", module))


def _refusal(location: str, reason: str, module: GraphModule) -> str:
    """The reason at the node that a location names, or at an unknown one."""
    match = re.match(r'loc\("([^"]+)"', location)
    for node in module.graph.nodes:
        if match and node.op == "call_function" and origin_name(node) == match.group(1):
            return f"{located(node)}: {reason}"
    return f"{reason} at {location or 'an unknown location'}"


def _name_arguments(operation: Any, names: Sequence[str]) -> None:
    """Write each argument's name beside it as `ktir.name`."""
    ir = _torch_mlir("ir")
    for function in operation.regions[0].blocks[0].operations:
        if function.operation.name == "func.func":
            entries = [ir.DictAttr.get({"ktir.name": ir.StringAttr.get(name)}) for name in names]
            function.attributes["arg_attrs"] = ir.ArrayAttr.get(entries)


def _mark_doubles(operation: Any, module: GraphModule) -> None:
    """Write which nodes the model itself has in f64 beside the function as `ktir.doubles`: what
    torch-mlir computes in f64 elsewhere is its own choice.
    """
    ir = _torch_mlir("ir")
    names = sorted({origin_name(node) for node in module.graph.nodes if _is_double(node)})
    for function in operation.regions[0].blocks[0].operations if names else ():
        if function.operation.name == "func.func":
            entries = [ir.StringAttr.get(name) for name in names]
            function.attributes["ktir.doubles"] = ir.ArrayAttr.get(entries)


def _is_double(node: Node) -> bool:
    """Whether a node computes a tensor of f64."""
    values = pytree.tree_leaves(node.meta.get("val")) if node.op == "call_function" else []
    return any(isinstance(value, Tensor) and value.dtype == torch.float64 for value in values)
