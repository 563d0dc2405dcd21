"""Between a call of the model and the arguments and results of `main`.

Owns the check of what a caller gives against what the model was compiled for, and the rebuilding of
outputs in the model's own structure. Knows nothing of how `main` runs, and needs neither torch-mlir
nor the model's own packages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree
from torch.utils._pytree import TreeSpec

from ktir.errors import InputError
from ktir.frontend.structure import from_json, to_json


@dataclass(frozen=True)
class TensorInput:
    """A leaf of the inputs that becomes an argument of `main`."""

    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype


@dataclass(frozen=True)
class FixedInput:
    """A leaf that was a Python value when the model was compiled and is part of the program."""

    name: str
    value: Any


@dataclass(frozen=True)
class ResultOutput:
    """A leaf of the outputs that is result `index` of `main`."""

    index: int


@dataclass(frozen=True)
class ArgumentOutput:
    """A leaf that is an argument of `main` passed straight through."""

    name: str


@dataclass(frozen=True)
class FixedOutput:
    """A leaf that is the same Python value in every call, None for instance."""

    value: Any


Input = TensorInput | FixedInput
Output = ResultOutput | ArgumentOutput | FixedOutput


@dataclass(frozen=True)
class CallingConvention:
    """How a call maps to `main` and back.

    `in_spec` is the structure of (args, kwargs) and has one leaf for each of `inputs`; `out_spec`
    likewise for `outputs`. `parameters` are the positional parameters of the model's forward, so
    that an argument compiled by position may be given by name and the reverse.
    """

    inputs: tuple[Input, ...]
    in_spec: TreeSpec
    parameters: tuple[str, ...]
    outputs: tuple[Output, ...]
    out_spec: TreeSpec

    def flatten(
        self, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None
    ) -> dict[str, Tensor]:
        """The tensors of a call by argument name, in the order of `main`.

        Raises InputError naming the first input that does not fit, what was found, what was
        expected and what to do.
        """
        bound = self._bind(tuple(args), dict(kwargs or {}))
        leaves: list[Any] = []
        _flatten(bound[0], self.in_spec.children()[0], self._positional_names(), leaves)
        names = list(self.in_spec.children()[1].context or [])
        _flatten(bound[1], self.in_spec.children()[1], names, leaves)
        tensors = {}
        for leaf, expected in zip(leaves, self.inputs, strict=True):
            if isinstance(expected, FixedInput):
                _check_fixed(leaf, expected)
            else:
                _check_tensor(leaf, expected)
                tensors[expected.name] = leaf
        return tensors

    def rebuild(self, results: Sequence[Tensor], arguments: Mapping[str, Tensor]) -> Any:
        """The model's own output from the results of `main` and the arguments it was given."""
        leaves = [_leaf(output, results, arguments) for output in self.outputs]
        return pytree.tree_unflatten(leaves, self.out_spec)

    def _positional_names(self) -> list[str]:
        count = len(self.in_spec.children()[0].children())
        extra = [f"args[{place}]" for place in range(len(self.parameters), count)]
        return [*self.parameters[:count], *extra]

    def _bind(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Move arguments to the place they were compiled with; check number and names."""
        positional = self._positional_names()
        named = list(self.in_spec.children()[1].context or [])
        order = [*positional, *(name for name in self.parameters if name in named)]
        if len(args) > len(order):
            raise InputError(
                f"found {len(args)} positional inputs, expected {_count(positional, named)}: "
                "pass what the model was compiled with"
            )
        given = dict(zip(order, args, strict=False))
        for name, value in kwargs.items():
            if name in given:
                raise InputError(f"input {name!r} is given twice, by position and by name")
            given[name] = value
        self._check_names(given, positional, named)
        return tuple(given[name] for name in positional), {name: given[name] for name in named}

    def _check_names(
        self, given: Mapping[str, Any], positional: Sequence[str], named: Sequence[str]
    ) -> None:
        expected = [*positional, *named]
        missing = [name for name in expected if name not in given]
        unknown = [name for name in given if name not in expected]
        if missing or unknown:
            found = f"missing {missing}" if missing else f"not expected {unknown}"
            raise InputError(
                f"the inputs do not fit, {found}: expected {_count(positional, named)}; "
                "to call the model otherwise, compile it with such example inputs"
            )

    # ---- saving ------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """A form for `json.dumps`. Raises InputError for values and structures without one."""
        return {
            "inputs": [_input_to_json(leaf) for leaf in self.inputs],
            "in_spec": to_json(self.in_spec),
            "parameters": list(self.parameters),
            "outputs": [_output_to_json(leaf) for leaf in self.outputs],
            "out_spec": to_json(self.out_spec),
        }

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> CallingConvention:
        """The convention again; container classes that are not loaded become plain ones."""
        return cls(
            inputs=tuple(_input_from_json(leaf) for leaf in form["inputs"]),
            in_spec=from_json(form["in_spec"]),
            parameters=tuple(form["parameters"]),
            outputs=tuple(_output_from_json(leaf) for leaf in form["outputs"]),
            out_spec=from_json(form["out_spec"]),
        )


def _count(positional: Sequence[str], named: Sequence[str]) -> str:
    """'2 by position (x, y) and mask by name'."""
    text = f"{len(positional)} by position ({', '.join(positional)})"
    return f"{text} and {', '.join(named)} by name" if named else text


# ---- flattening ------------------------------------------------------------------------


def _flatten(value: Any, spec: TreeSpec, names: Sequence[str], leaves: list[Any]) -> None:
    """Append the leaves of the children of a container whose children have `names`."""
    children = list(value.values()) if isinstance(value, dict) else list(value)
    for child, child_spec, name in zip(children, spec.children(), names, strict=True):
        _append_leaves(child, child_spec, name, leaves)


def _append_leaves(value: Any, spec: TreeSpec, path: str, leaves: list[Any]) -> None:
    """Append the leaves of `value`; it must have the structure `spec` but for the order of keys."""
    if spec.is_leaf():
        leaves.append(value)
        return
    if isinstance(value, dict) and spec.type is type(value):
        if set(value) != set(spec.context):
            raise InputError(
                f"input {path!r}: found keys {sorted(value)}, expected {sorted(spec.context)}"
            )
        _flatten(
            {k: value[k] for k in spec.context},
            spec,
            [f"{path}[{k!r}]" for k in spec.context],
            leaves,
        )
        return
    found = pytree.tree_flatten(value, is_leaf=lambda part: part is not value)
    if (
        found[1].type is not spec.type
        or found[1].context != spec.context
        or (len(found[0]) != len(spec.children()))
    ):
        raise InputError(
            f"input {path!r}: found {_kind(found[1], value)}, expected {_kind(spec, None)}; "
            "pass the structure that the model was compiled with"
        )
    _flatten(found[0], spec, [f"{path}[{place}]" for place in range(len(found[0]))], leaves)


def _kind(spec: TreeSpec, value: Any) -> str:
    """'a tuple of 2', or the type of a leaf."""
    if spec.is_leaf():
        return f"a {type(value).__name__}" if value is not None else "a tensor or value"
    return f"a {spec.type.__name__} of {len(spec.children())}"


def _check_fixed(value: Any, expected: FixedInput) -> None:
    same = type(value) is type(expected.value) and value == expected.value
    if not same:
        raise InputError(
            f"input {expected.name!r}: found {_show(value)}, expected {expected.value!r}, which is "
            "part of the compiled program; pass the same value, or compile again with another"
        )


def _check_tensor(value: Any, expected: TensorInput) -> None:
    wanted = _tensor_type(expected.dtype, expected.shape)
    if not isinstance(value, Tensor):
        remedy = (
            "convert it with torch.from_numpy" if hasattr(value, "__array__") else "pass a tensor"
        )
        raise InputError(
            f"input {expected.name!r}: found {_show(value)}, expected a tensor {wanted}; {remedy}"
        )
    if value.dtype != expected.dtype:
        remedy = f"convert it with .to({expected.dtype}) or compile for that dtype"
    elif tuple(value.shape) != expected.shape:
        remedy = "pass that shape or compile for the new one"
    else:
        return
    found = _tensor_type(value.dtype, tuple(value.shape))
    raise InputError(f"input {expected.name!r}: found {found}, expected {wanted}; {remedy}")


def _tensor_type(dtype: torch.dtype, shape: Sequence[int]) -> str:
    return f"{_dtype_name(dtype)}{list(shape)}"


def _show(value: Any) -> str:
    return (
        repr(value)
        if isinstance(value, (int, float, str, bool, type(None)))
        else f"a {type(value).__name__}"
    )


def _leaf(output: Output, results: Sequence[Tensor], arguments: Mapping[str, Tensor]) -> Any:
    if isinstance(output, ResultOutput):
        return results[output.index]
    return arguments[output.name] if isinstance(output, ArgumentOutput) else output.value


# ---- JSON ------------------------------------------------------------------------------


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _plain(value: Any, what: str) -> Any:
    if isinstance(value, (int, float, str, bool, type(None))):
        return value
    raise InputError(
        f"{what} holds {value!r}, which cannot be saved; pass a number, a string or None"
    )


def _input_to_json(leaf: Input) -> dict[str, Any]:
    if isinstance(leaf, FixedInput):
        return {"name": leaf.name, "value": _plain(leaf.value, f"input {leaf.name!r}")}
    return {"name": leaf.name, "shape": list(leaf.shape), "dtype": _dtype_name(leaf.dtype)}


def _input_from_json(form: Mapping[str, Any]) -> Input:
    if "value" in form:
        return FixedInput(form["name"], form["value"])
    return TensorInput(form["name"], tuple(form["shape"]), getattr(torch, form["dtype"]))


def _output_to_json(leaf: Output) -> dict[str, Any]:
    if isinstance(leaf, ResultOutput):
        return {"result": leaf.index}
    if isinstance(leaf, ArgumentOutput):
        return {"argument": leaf.name}
    return {"value": _plain(leaf.value, "an output")}


def _output_from_json(form: Mapping[str, Any]) -> Output:
    if "result" in form:
        return ResultOutput(form["result"])
    return ArgumentOutput(form["argument"]) if "argument" in form else FixedOutput(form["value"])
