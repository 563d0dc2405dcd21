"""Functions: decoded once, called on values or on plain tensors.

Owns `func.func`, `func.call` and `func.return`, how a call finds its callee (`Library`), and
`run_function`, which executes a function of tensors at the `linalg` or `plan` level. Kernels with
grids and memories are called by `host`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

import ktir.machine.dialects  # noqa: F401  (registers every dialect's ops)
from ktir.errors import InputError, UnsupportedError, VerifyError
from ktir.machine.block import Block, Step
from ktir.machine.decode import Callees, Scope, decode_region, handler, scalar_type, terminators
from ktir.machine.frame import Frame, Run, put
from ktir.machine.numerics import dtype_of
from ktir.machine.workers import running
from ktir.mlir import ir

terminators("func.return")


@dataclass(frozen=True)
class Argument:
    """An argument as the program declares it. `shape` has -1 for dynamic sizes; () for scalars."""

    name: str
    type_text: str
    shape: tuple[int, ...]
    is_tensor: bool


@dataclass(frozen=True)
class Function:
    """A decoded function: slots with initial values, and one block."""

    name: str
    arguments: tuple[Argument, ...]
    template: tuple[Any, ...]
    block: Block

    def call(self, frame: Frame, arguments: Sequence[Any]) -> list[Any]:
        """Runs the function for the cores of `frame` on values of the machine."""
        own = Frame(self.template, frame.run, frame.group)
        for slot, value in zip(self.block.arguments, arguments, strict=True):
            own[slot] = value
        self.block.run(own)
        return [own[slot] for slot in self.block.results]


class Library:
    """The functions of a module and of modules inside it, decoded when first asked for.

    `make_scope` says what holds in them. Short-lived: it refers to the IR. What it returns does
    not.
    """

    def __init__(
        self,
        module: ir.Module | ir.Operation,
        make_scope: Callable[[Callees], Scope] = Scope,
    ) -> None:
        root = module.operation if isinstance(module, ir.Module) else module
        self._keep_alive = module
        self._make_scope = make_scope
        self._definitions: dict[str, list[ir.Operation]] = {}
        self._decoded: dict[str, Function] = {}
        self._in_work: list[str] = []
        self._collect(root)

    def _collect(self, op: Any) -> None:
        for inner in op.regions[0].blocks[0].operations:
            if inner.operation.name == "builtin.module":
                self._collect(inner.operation)
            elif inner.operation.name == "func.func" and len(inner.regions[0].blocks):
                name = ir.StringAttr(inner.attributes["sym_name"]).value
                self._definitions.setdefault(name, []).append(inner.operation)

    def called_by(self, kernel: Scope) -> Library:
        """The same functions as a kernel calls them: what is undefined in it is so in them."""

        def make_scope(callees: Callees) -> Scope:
            scope = Scope(callees)
            scope.empty_is_zero, scope.is_watched = kernel.empty_is_zero, kernel.is_watched
            return scope

        return Library(self._keep_alive, make_scope)

    @property
    def names(self) -> list[str]:
        """The names of all functions that have a body, in the order of the file."""
        return list(self._definitions)

    def find(self, symbol: str, caller: ir.Operation | None = None) -> Function:
        """The decoded function of this name.

        Raises VerifyError if there is none or more than one, UnsupportedError for recursion and for
        what the machine does not know.
        """
        found = self._decoded.get(symbol)
        if found is not None:
            return found
        if symbol in self._in_work:
            raise UnsupportedError(f"function @{symbol} calls itself")
        definitions = self._definitions.get(symbol, [])
        if len(definitions) != 1:
            known = ", ".join(f"@{name}" for name in self._definitions) or "none"
            reason = "has no body" if not definitions else "is defined more than once"
            raise VerifyError(f"function @{symbol} {reason}; functions with a body: {known}")
        self._in_work.append(symbol)
        try:
            self._decoded[symbol] = decode_function(definitions[0], self._make_scope(self))
        finally:
            self._in_work.pop()
        return self._decoded[symbol]


def decode_function(op: ir.Operation, scope: Scope) -> Function:
    """Decodes one `func.func` with a body in a new scope."""
    name = ir.StringAttr(op.attributes["sym_name"]).value
    block = decode_region(op.regions[0], scope)
    arguments = tuple(
        _argument(op, i, value) for i, value in enumerate(op.regions[0].blocks[0].arguments)
    )
    return Function(name, arguments, tuple(scope.template), block)


def _argument(function: ir.Operation, position: int, value: ir.Value) -> Argument:
    name = f"arg{position}"
    if "arg_attrs" in function.attributes:
        attributes = ir.DictAttr(ir.ArrayAttr(function.attributes["arg_attrs"])[position])
        if "ktir.name" in attributes:
            name = ir.StringAttr(attributes["ktir.name"]).value
    if not isinstance(value.type, ir.RankedTensorType):
        return Argument(name, scalar_type(value.type), (), False)
    tensor = ir.RankedTensorType(value.type)
    shape = tuple(
        -1 if tensor.is_dynamic_dim(d) else tensor.get_dim_size(d) for d in range(tensor.rank)
    )
    return Argument(name, scalar_type(tensor), shape, True)


@handler("func.call")
def decode_call(op: Any, scope: Scope) -> Step:
    """A call of a function of the same module."""
    symbol = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
    callee = scope.callees.find(symbol, op.operation)
    operands = scope.slots(list(op.operands))
    results = scope.define_all(list(op.results))

    def call(frame: Frame) -> None:
        put(frame, results, callee.call(frame, [frame[slot] for slot in operands]))

    return call


def run_function(
    module: ir.Module | ir.Operation, args: Sequence[Tensor], name: str | None = None
) -> list[Tensor]:
    """Executes a function of a `linalg` or `plan` level module on one core.

    `args`: one tensor an argument, without a core axis, of the argument's shape and dtype (scalars
    have shape []).
    `name`: the function; the only one of the module, or `main`, if not given. Returns one
    contiguous tensor a result. Raises InputError for arguments that do not fit, and the errors of
    the machine.
    """
    library = Library(module)
    function = library.find(name or _entry(library))
    values = _stacked(function, args)
    frame = Frame((), run := Run(), run.everyone)
    with running():
        results = function.call(frame, values)
        return [result[0].contiguous() for result in results]


def _entry(library: Library) -> str:
    if len(library.names) == 1:
        return library.names[0]
    return "main"


def _stacked(function: Function, args: Sequence[Tensor]) -> list[Tensor]:
    """The arguments with a core axis, once their types are checked."""
    if len(args) != len(function.arguments):
        raise InputError(
            f"@{function.name} takes {len(function.arguments)} arguments, {len(args)} are given"
        )
    stacked = []
    for argument, value in zip(function.arguments, args, strict=True):
        expected = dtype_of(argument.type_text)
        fits = len(value.shape) == len(argument.shape) and all(
            wanted in (-1, found) for wanted, found in zip(argument.shape, value.shape, strict=True)
        )
        if value.dtype != expected or not fits:
            raise InputError(
                f"argument {argument.name} of @{function.name}: expected {expected} of shape"
                f" {list(argument.shape)}, got {value.dtype} of shape {list(value.shape)}"
            )
        stacked.append(value.detach().unsqueeze(0))
    return stacked
