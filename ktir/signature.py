"""The arguments and results of a module's `@main`: names, shapes, dtypes, and the data that passes
left on them.

Owns reading them from IR of any level, and the calling convention of a program that no model stands
behind.
"""

from __future__ import annotations

import dataclasses
import math
import re

import numpy as np
import torch
from torch import Tensor
from torch.utils import _pytree as pytree
from torch.utils._pytree import TreeSpec

from ktir.contracts import main_function
from ktir.errors import VerifyError
from ktir.frontend.calling import CallingConvention, ResultOutput, TensorInput
from ktir.machine.numerics import dtype_of
from ktir.mlir import ir

NAME = "ktir.name"
VALUE = "ktir.value"


@dataclasses.dataclass(frozen=True)
class Value:
    """An argument or a result of `@main`; `dtype` is what the machine holds (signed integers)."""

    name: str
    shape: tuple[int, ...]
    dtype: torch.dtype


@dataclasses.dataclass(frozen=True)
class Signature:
    """What `@main` takes and gives, in order."""

    arguments: tuple[Value, ...]
    results: tuple[Value, ...]

    def __str__(self) -> str:
        return ", ".join(
            f"{value.name}: {show(value.dtype, value.shape)}" for value in self.arguments
        )


def show(dtype: torch.dtype, shape: tuple[int, ...] | torch.Size) -> str:
    """'float16[2, 65]'."""
    return f"{str(dtype).removeprefix('torch.')}{list(shape)}"


def signature_of(module: ir.Operation) -> Signature | None:
    """The signature of the module's `@main`; None if it has none, as a file of kernels.

    An argument is named by its `ktir.name`, else `argN`. A lone result is `output`, else results
    are `0`, `1`, ..
    """
    function = main_function(module)
    if function is None:
        return None
    kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    names = _argument_names(function, len(kind.inputs))
    results = ["output"] if len(kind.results) == 1 else [str(i) for i in range(len(kind.results))]
    return Signature(
        tuple(_value(name, found) for name, found in zip(names, kind.inputs, strict=True)),
        tuple(_value(name, found) for name, found in zip(results, kind.results, strict=True)),
    )


def _argument_names(function: ir.Operation, count: int) -> list[str]:
    names = [f"arg{i}" for i in range(count)]
    if "arg_attrs" in function.attributes:
        for i, attributes in enumerate(ir.ArrayAttr(function.attributes["arg_attrs"])):
            if NAME in ir.DictAttr(attributes):
                names[i] = ir.StringAttr(ir.DictAttr(attributes)[NAME]).value
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise VerifyError(
            f"arguments of @main share the name {', '.join(repeated)}; give each its own {NAME}"
        )
    return names


def _value(name: str, kind: ir.Type) -> Value:
    if not isinstance(kind, (ir.RankedTensorType, ir.MemRefType)) or not kind.has_static_shape:
        raise VerifyError(f"{name} of @main is {kind}, expected a tensor or memref of static shape")
    return Value(name, tuple(kind.shape), dtype_of(str(kind.element_type)))


def take_constants(module: ir.Operation) -> dict[str, Tensor]:
    """Removes the data that `ktir-lift-constants` left on arguments of `@main`; returns it by
    argument name.
    """
    function = main_function(module)
    taken: dict[str, Tensor] = {}
    if function is None or "arg_attrs" not in function.attributes:
        return taken
    kept = []
    with function.context:
        for attributes in ir.ArrayAttr(function.attributes["arg_attrs"]):
            known = ir.DictAttr(attributes)
            entries = {known[i].name: known[i].attr for i in range(len(known))}
            data = entries.pop(VALUE, None)
            if data is not None:
                taken[ir.StringAttr(entries[NAME]).value] = tensor_of(data)
            kept.append(ir.DictAttr.get(entries))
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(kept)
    return taken


def tensor_of(data: ir.Attribute) -> Tensor:
    """The tensor of a dense attribute. Raises VerifyError for any other attribute."""
    if not isinstance(data, ir.DenseElementsAttr):
        raise VerifyError(f"{VALUE}: expected a dense constant, found {str(data)[:80]}")
    kind = ir.RankedTensorType(data.type)
    dtype, shape = dtype_of(str(kind.element_type)), tuple(kind.shape)
    if dtype is torch.bfloat16:
        return _bfloat16(str(data), math.prod(shape)).reshape(shape)
    array = np.array(data)
    return torch.from_numpy(np.ascontiguousarray(array)).to(dtype).reshape(shape)


def _bfloat16(text: str, count: int) -> Tensor:
    """The elements of a dense bf16 attribute from its text: no buffer has that type."""
    body = text[: text.rindex(":")]
    packed = re.search(r'"0x([0-9A-Fa-f]*)"', body)
    if packed is not None:
        return torch.frombuffer(bytearray.fromhex(packed[1]), dtype=torch.bfloat16)
    elements = [_bfloat16_element(part) for part in re.findall(r"0x[0-9A-F]+|[-+.\de]+", body[5:])]
    return torch.cat(elements).expand(count) if len(elements) == 1 else torch.cat(elements)


def _bfloat16_element(text: str) -> Tensor:
    """A decimal number, or the bits that MLIR prints for infinities and NaN."""
    if text.startswith("0x"):
        bits = bytearray(int(text, 16).to_bytes(2, "little"))
        return torch.frombuffer(bits, dtype=torch.bfloat16)
    return torch.tensor([float(text)], dtype=torch.bfloat16)


def plain_convention(signature: Signature, weights: frozenset[str] | set[str]) -> CallingConvention:
    """Arguments that are no weights, in order, by position or by name; the only result, or a tuple
    of all.
    """
    inputs = [value for value in signature.arguments if value.name not in weights]
    args, kwargs = tuple(0 for _ in inputs), dict[str, int]()
    results = tuple(range(len(signature.results)))
    return CallingConvention(
        inputs=tuple(TensorInput(value.name, value.shape, value.dtype) for value in inputs),
        in_spec=pytree.tree_structure((args, kwargs)),
        parameters=tuple(value.name for value in inputs),
        outputs=tuple(ResultOutput(i) for i in results),
        out_spec=pytree.tree_structure(results[0] if len(results) == 1 else results),
    )


def leaf_names(spec: TreeSpec) -> tuple[str, ...]:
    """A name for each leaf of a structure, its path: 'last_hidden_state', 'states.0'; 'output' for
    a lone leaf.
    """
    skeleton = pytree.tree_unflatten(list(range(spec.num_leaves)), spec)
    paths, _ = pytree.tree_flatten_with_path(skeleton)
    return tuple(".".join(_key(key) for key in path) or "output" for path, _ in paths)


def _key(key: object) -> str:
    for attribute in ("key", "idx", "name"):
        if hasattr(key, attribute):
            return str(getattr(key, attribute))
    return str(key)
