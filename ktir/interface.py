"""What a call of a program looks like from outside: inputs, outputs, and their names and dtypes.

Joins the calling convention of the model with the dtypes that the model's own results have (the
machine holds unsigned integers as signed ones), and checks both against what `main` takes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ktir.errors import InputError, did_you_mean
from ktir.frontend.calling import ArgumentOutput, CallingConvention, ResultOutput, TensorInput
from ktir.signature import Signature, Value, leaf_names, plain_convention, show


@dataclasses.dataclass(frozen=True)
class Interface:
    """`convention`: how a call maps to `main` and back. `dtypes`: those of the model's results, in
    `main`'s order.
    """

    convention: CallingConvention
    dtypes: tuple[torch.dtype, ...]

    @classmethod
    def of_signature(cls, signature: Signature, weights: Mapping[str, Tensor]) -> Interface:
        """The interface of a program that no model stands behind: see `plain_convention`."""
        dtypes = tuple(value.dtype for value in signature.results)
        return cls(plain_convention(signature, set(weights)), dtypes)

    @property
    def inputs(self) -> tuple[TensorInput, ...]:
        """The tensors of a call, in the order of `main`."""
        return tuple(leaf for leaf in self.convention.inputs if isinstance(leaf, TensorInput))

    @property
    def output_names(self) -> tuple[str, ...]:
        """A name for each leaf of the outputs: its path in their structure."""
        return leaf_names(self.convention.out_spec)

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Tensor]:
        """The tensors of a call by argument name.

        Raises InputError for inputs that do not fit or have no data.
        """
        tensors = self.convention.flatten(args, kwargs)
        for name, tensor in tensors.items():
            if tensor.device.type != "cpu":
                raise InputError(
                    f"input {name!r} is on device {tensor.device}, expected cpu; move it with "
                    ".cpu()"
                )
        return tensors

    def bind_names(self, given: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The same for tensors by argument name.

        Raises InputError naming what is missing, unknown or does not fit.
        """
        expected = {leaf.name: leaf for leaf in self.inputs}
        missing = [name for name in expected if name not in given]
        unknown = [name for name in given if name not in expected]
        if missing or unknown:
            problems = [f"missing {', '.join(missing)}"] if missing else []
            near = did_you_mean(unknown[0], missing) if unknown else ""
            problems += [f"not expected: {', '.join(unknown)}{near}"] if unknown else []
            wanted = ", ".join(
                f"{leaf.name}: {show(leaf.dtype, leaf.shape)}" for leaf in self.inputs
            )
            raise InputError(
                f"the inputs do not fit, {'; '.join(problems)}; expected {wanted or 'none'}"
            )
        for name, leaf in expected.items():
            tensor = given[name]
            if (tensor.dtype, tuple(tensor.shape)) != (leaf.dtype, leaf.shape):
                wanted = show(leaf.dtype, leaf.shape)
                raise InputError(
                    f"input {name!r}: found {show(tensor.dtype, tensor.shape)}, expected {wanted}"
                )
        return {name: given[name] for name in expected}

    def rebuild(self, results: Sequence[Tensor], arguments: Mapping[str, Tensor]) -> Any:
        """The model's own output from the results of `main`, sharing no memory with its arguments.

        `arguments` are all tensors that `main` was given.
        """
        passed = {leaf.name for leaf in self.convention.outputs if isinstance(leaf, ArgumentOutput)}
        return self.convention.rebuild(results, {name: arguments[name].clone() for name in passed})

    def by_name(
        self, results: Sequence[Tensor], arguments: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """The outputs that are tensors, by `output_names`."""
        named: dict[str, Tensor] = {}
        for name, output in zip(self.output_names, self.convention.outputs, strict=True):
            if isinstance(output, ResultOutput):
                named[name] = results[output.index]
            elif isinstance(output, ArgumentOutput):
                named[name] = arguments[output.name]
        return named

    def cast_results(self, results: Sequence[Tensor]) -> list[Tensor]:
        """The machine's results in the model's dtypes, bit for bit."""
        return [as_dtype(result, dtype) for result, dtype in zip(results, self.dtypes, strict=True)]

    def check(self, signature: Signature, weights: Mapping[str, Tensor]) -> None:
        """Raises InputError unless `main` takes the inputs and weights, and gives the results."""
        inputs = {leaf.name: (leaf.dtype, tuple(leaf.shape)) for leaf in self.inputs}
        state = {name: (tensor.dtype, tuple(tensor.shape)) for name, tensor in weights.items()}
        for argument in signature.arguments:
            found = inputs.get(argument.name) or state.get(argument.name)
            if found is None:
                names = ", ".join([*inputs, *state]) or "none"
                raise InputError(
                    f"@main takes an argument {argument.name!r} that is neither input nor weight: "
                    f"{names}"
                )
            if not _holds(argument, *found):
                wanted = show(argument.dtype, argument.shape)
                raise InputError(
                    f"argument {argument.name!r} of @main is {wanted}, but {show(*found)} is "
                    "given for it"
                )
        if len(signature.results) != len(self.dtypes):
            raise InputError(
                f"@main gives {len(signature.results)} results, expected {len(self.dtypes)}"
            )

    # ---- saving ----------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """A form that `json.dumps` takes."""
        dtypes = [str(dtype).removeprefix("torch.") for dtype in self.dtypes]
        return {"convention": self.convention.to_json(), "dtypes": dtypes}

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> Interface:
        """The interface again. Raises InputError for a form that is none."""
        try:
            convention = CallingConvention.from_json(form["convention"])
            dtypes = tuple(getattr(torch, name) for name in form["dtypes"])
            known = all(isinstance(dtype, torch.dtype) for dtype in dtypes)
        except (
            KeyError,
            TypeError,
            ValueError,
            AttributeError,
            IndexError,
            RecursionError,
        ) as error:
            raise InputError(
                f"the description of inputs and outputs is damaged: {error}"
            ) from error
        if not known or not all(
            isinstance(leaf.dtype, torch.dtype) for leaf in cls(convention, dtypes).inputs
        ):
            raise InputError("the description of inputs and outputs is damaged: unknown dtype")
        return cls(convention, dtypes)


def as_dtype(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    """The same bits as another type of the same width."""
    return tensor if tensor.dtype is dtype else tensor.view(dtype)


def _holds(argument: Value, dtype: torch.dtype, shape: tuple[int, ...]) -> bool:
    """Whether a tensor may be given for an argument: equal types, or integers that differ in sign
    only.
    """
    same = dtype is argument.dtype or (
        dtype.itemsize == argument.dtype.itemsize
        and not any(d.is_floating_point or d is torch.bool for d in (dtype, argument.dtype))
    )
    return same and shape == argument.shape
