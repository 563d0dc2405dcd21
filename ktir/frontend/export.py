"""From a PyTorch module to a graph of operators whose every tensor is a named argument.

Owns torch.export, the lifting of state and the shape of `main`: which arguments it takes, which
results it gives, and which outputs of the model are none of its business (inputs or constants
passed straight through, None). Leaves the meaning of operators to `decompositions.py` and the
lowering of the graph to `importer.py`.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import ExportedProgram
from torch.export.graph_signature import (
    ConstantArgument,
    InputKind,
    InputSpec,
    OutputKind,
    TensorArgument,
)
from torch.fx import Graph, GraphModule, Node
from torch.utils import _pytree as pytree

from ktir.errors import ImportFailure, KtirError, UnsupportedError
from ktir.frontend.calling import (
    ArgumentOutput,
    CallingConvention,
    FixedInput,
    FixedOutput,
    Input,
    Output,
    ResultOutput,
    TensorInput,
)
from ktir.frontend.decompositions import decomposition_table
from ktir.frontend.graph import fold_upcasts, forget_devices, refuse_random, refuse_unlowered
from ktir.frontend.source import raised_at


class ArgumentKind(StrEnum):
    """What an argument of `main` holds."""

    USER = "user"
    PARAMETER = "parameter"
    BUFFER = "buffer"
    CONSTANT = "constant"


@dataclass(frozen=True)
class Argument:
    """One argument of `main`.

    `name` is the forward parameter's for a user input ("input_ids"), the dotted path for state
    ("encoder.weight"). `tensor` is the value of state, None for user inputs.
    """

    name: str
    kind: ArgumentKind
    shape: tuple[int, ...]
    dtype: torch.dtype
    tensor: Tensor | None = None


@dataclass(frozen=True)
class Result:
    """One result of `main`; `name` is its path in the model's output ("last_hidden_state", "0")."""

    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype


@dataclass(frozen=True)
class Exported:
    """A model as a graph.

    `program` is what torch can run and save, after our decompositions; `graph_module` is the graph
    for torch-mlir: its placeholders are `arguments`, its outputs are `results`, nothing else goes
    in or out.
    """

    program: ExportedProgram
    graph_module: GraphModule
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    convention: CallingConvention


def export_model(
    model: nn.Module,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None = None,
    dtype: torch.dtype | None = None,
) -> Exported:
    """Export `model` for the shapes and dtypes of the example inputs.

    With `dtype` a copy of the model and its floating inputs are cast first. Raises ImportFailure if
    torch cannot export the model, UnsupportedError for random numbers, mutated inputs or buffers,
    dynamic shapes and operators without a form in linalg.
    """
    inputs = (tuple(args), dict(kwargs or {}))
    if dtype is not None:
        model = copy.deepcopy(model).to(dtype)
        inputs = pytree.tree_map_only(Tensor, lambda t: _cast(t, dtype), inputs)
    program = _run_export(model, *inputs)
    return from_program(program, _parameter_names(model))


def from_program(program: ExportedProgram, parameters: Sequence[str] = ()) -> Exported:
    """The same for a program that torch.export made, read from a `.pt2` file for instance.

    `parameters` are the names of the positional parameters of the model's forward, in order.
    """
    refuse_random(program.graph)
    with _failures_as("decompose the exported program"):
        program = program.run_decompositions(decomposition_table())
    _refuse_mutation(program)
    return _Interface(program).build(parameters)


def _cast(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


def _parameter_names(model: nn.Module) -> list[str]:
    """Positional parameters of forward by name, up to a *args."""
    names = []
    for parameter in inspect.signature(model.forward).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            break
        names.append(parameter.name)
    return names


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Hold back torch's warnings, log lines and graph dumps; errors still arrive as exceptions."""
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)


def _run_export(model: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ExportedProgram:
    """torch.export.export without its noise."""
    with _failures_as(f"export {type(model).__name__}"):
        return torch.export.export(model, args, kwargs, strict=False)


@contextlib.contextmanager
def _failures_as(task: str) -> Iterator[None]:
    """Turn torch's many kinds of failure into one ImportFailure with the first reason and place."""
    try:
        with _quiet(), torch.no_grad():
            yield
    except KtirError:
        raise
    except Exception as error:  # noqa: BLE001 - torch raises whatever the model or it itself raises
        raise ImportFailure(
            f"torch cannot {task}: {_first_reason(error)}, at {raised_at(error.__traceback__)}; "
            "check that the model runs on these inputs and that no control flow depends on values"
        ) from None


def _first_reason(error: Exception) -> str:
    """The first line of a message that says something, with the name of its exception."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0].rstrip('.')}" if lines else type(error).__name__


def _refuse_mutation(program: ExportedProgram) -> None:
    """Raise UnsupportedError if the model writes to a buffer, a parameter or an input."""
    kinds = {
        OutputKind.BUFFER_MUTATION: "buffer",
        OutputKind.PARAMETER_MUTATION: "parameter",
        OutputKind.USER_INPUT_MUTATION: "input",
    }
    for spec in program.graph_signature.output_specs:
        if spec.kind in kinds:
            raise UnsupportedError(
                f"the model writes to its {kinds[spec.kind]} {spec.target!r}: changing state "
                "is not supported; return the new value instead"
            )


class _Interface:
    """Turns an exported program's signature into arguments and results, on a copy of its graph."""

    def __init__(self, program: ExportedProgram) -> None:
        self.program = program
        self.graph: Graph = copy.deepcopy(program.graph)
        self.arguments: list[Argument] = []
        self.inputs: list[Input] = []
        self.by_node: dict[Node, Argument] = {}

    def build(self, parameters: Sequence[str]) -> Exported:
        """Rewrite inputs and outputs, then the products."""
        refuse_unlowered(self.graph)
        self._lift_attributes()
        self._rewrite_inputs()
        outputs, results = self._rewrite_outputs()
        module = GraphModule(self.program.graph_module, self.graph)
        fold_upcasts(self.graph)
        forget_devices(self.graph)
        module.recompile()
        convention = CallingConvention(
            inputs=tuple(self.inputs),
            in_spec=self.program.call_spec.in_spec,
            parameters=tuple(parameters),
            outputs=outputs,
            out_spec=self.program.call_spec.out_spec,
        )
        return Exported(self.program, module, tuple(self.arguments), results, convention)

    # ---- inputs ------------------------------------------------------------------------

    def _rewrite_inputs(self) -> None:
        specs = self.program.graph_signature.input_specs
        placeholders = [node for node in self.graph.nodes if node.op == "placeholder"]
        seen: dict[Any, Node] = {}
        for node, spec in zip(placeholders, specs, strict=False):
            if spec.kind == InputKind.USER_INPUT:
                self._user_input(node, spec)
            else:
                self._state(node, spec, seen)
        for node in placeholders[len(specs) :]:  # lifted by _lift_attributes
            self._add_argument(node, ArgumentKind.CONSTANT, node.name, node.meta["lifted"])

    def _user_input(self, node: Node, spec: InputSpec) -> None:
        if isinstance(spec.arg, ConstantArgument):
            self.inputs.append(FixedInput(spec.arg.name, spec.arg.value))
            self.graph.erase_node(node)
            return
        if not isinstance(spec.arg, TensorArgument) or not _is_static(node):
            raise UnsupportedError(f"input {node.target!r}: dynamic shapes are not supported")
        argument = self._add_argument(node, ArgumentKind.USER, spec.arg.name, None)
        self.inputs.append(TensorInput(argument.name, argument.shape, argument.dtype))

    def _state(self, node: Node, spec: InputSpec, seen: dict[Any, Node]) -> None:
        """Drop unused state, merge equal state, write small constants in place."""
        kinds = {
            InputKind.PARAMETER: ArgumentKind.PARAMETER,
            InputKind.BUFFER: ArgumentKind.BUFFER,
            InputKind.CONSTANT_TENSOR: ArgumentKind.CONSTANT,
        }
        if spec.kind not in kinds:
            raise UnsupportedError(f"input {node.name!r} of kind {spec.kind.name} is not supported")
        if not node.users:
            self.graph.erase_node(node)
            return
        target = str(spec.target)
        tensor = self.program.state_dict.get(target)
        tensor = self.program.constants[target] if tensor is None else tensor
        first = seen.setdefault(_identity(tensor), node)
        if first is not node:
            node.replace_all_uses_with(first)
            self.graph.erase_node(node)
        elif kinds[spec.kind] is ArgumentKind.CONSTANT and _is_inline(tensor):
            self._write_in_place(node, tensor)
        else:
            self._add_argument(node, kinds[spec.kind], target, tensor.detach())

    def _add_argument(
        self, node: Node, kind: ArgumentKind, name: str, tensor: Tensor | None
    ) -> Argument:
        taken = {argument.name for argument in self.arguments}
        while name in taken:
            name += "_"
        value = node.meta["val"]
        argument = Argument(name, kind, tuple(value.shape), value.dtype, tensor)
        self.arguments.append(argument)
        self.by_node[node] = argument
        return argument

    def _lift_attributes(self) -> None:
        """Make placeholders of tensors that tracing left on the module, or write them in place."""
        last = [node for node in self.graph.nodes if node.op == "placeholder"][-1:]
        for node in [node for node in self.graph.nodes if node.op == "get_attr"]:
            tensor = getattr(self.program.graph_module, str(node.target), None)
            if not isinstance(tensor, Tensor):
                raise UnsupportedError(f"{node.target}: nested graphs are not supported")
            if _is_inline(tensor):
                self._write_in_place(node, tensor)
                continue
            with self.graph.inserting_after(last[0]) if last else contextlib.nullcontext():
                lifted = self.graph.placeholder(str(node.target))
            lifted.meta = {**node.meta, "lifted": tensor}
            node.replace_all_uses_with(lifted)
            self.graph.erase_node(node)
            last = [lifted]

    def _write_in_place(self, node: Node, tensor: Tensor) -> None:
        """Replace a tensor of one element by the operator that makes it."""
        first = next(n for n in self.graph.nodes if n.op in ("call_function", "output"))
        with self.graph.inserting_before(first):
            made = self.graph.call_function(
                torch.ops.aten.full.default,
                (list(tensor.shape), tensor.item()),
                {"dtype": tensor.dtype},
            )
        made.meta = {**next(iter(node.users)).meta, "val": node.meta["val"]}
        made.meta.pop("tensor_meta", None)
        node.replace_all_uses_with(made)
        self.graph.erase_node(node)

    # ---- outputs -----------------------------------------------------------------------

    def _rewrite_outputs(self) -> tuple[tuple[Output, ...], tuple[Result, ...]]:
        """Keep each computed value once as a result; note where every output comes from."""
        output = next(node for node in self.graph.nodes if node.op == "output")
        names = self._output_names()
        positions: dict[Node, int] = {}
        results: list[Result] = []
        outputs: list[Output] = []
        for name, value in zip(names, output.args[0], strict=True):
            if not isinstance(value, Node):
                outputs.append(FixedOutput(value))
            elif value in self.by_node:
                outputs.append(ArgumentOutput(self.by_node[value].name))
            else:
                if value not in positions:
                    positions[value] = len(results)
                    meta = value.meta["val"]
                    results.append(Result(name, tuple(meta.shape), meta.dtype))
                outputs.append(ResultOutput(positions[value]))
        output.args = (tuple(positions),)
        return tuple(outputs), tuple(results)

    def _output_names(self) -> list[str]:
        spec = self.program.call_spec.out_spec
        leaves = pytree.tree_unflatten(range(spec.num_leaves), spec)
        paths, _ = pytree.tree_flatten_with_path(leaves)
        return [_path_name(path) for path, _ in paths]


def _is_static(node: Node) -> bool:
    return all(isinstance(extent, int) for extent in node.meta["val"].shape)


def _is_inline(tensor: Tensor) -> bool:
    """Constants of one known element are written into the graph."""
    return tensor.numel() == 1 and tensor.device.type != "meta" and type(tensor) is Tensor


def _identity(tensor: Tensor) -> Any:
    """Equal for tensors that are the same memory read in the same way."""
    if tensor.device.type == "meta" or type(tensor) not in (Tensor, nn.Parameter):
        return id(tensor)
    return tensor.data_ptr(), tensor.dtype, tuple(tensor.shape), tensor.stride()


def _path_name(path: tuple[Any, ...]) -> str:
    """'hidden_states.0' from the keys that lead to a leaf; 'output' for a lone tensor."""
    keys = [str(getattr(k, "key", getattr(k, "idx", getattr(k, "name", k)))) for k in path]
    return ".".join(keys) or "output"
