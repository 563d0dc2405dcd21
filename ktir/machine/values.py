"""Coordinates of cores as values, and the names of values in messages.

Owns what the dialects with memory (`ktdp_ops`, `sdf_ops`, `host`) share of these.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch

from ktir.machine.block import Step
from ktir.machine.decode import Scope
from ktir.machine.frame import Frame
from ktir.mlir import ir


def core_coordinates(results: Sequence[int]) -> Step:
    """A step that puts the cores' coordinates in the grid into slots, dimension 0 first."""
    zero = torch.zeros(1, dtype=torch.int64)

    def coordinates(frame: Frame) -> None:
        group = frame.group
        for dim, slot in enumerate(results):
            # A dimension of one core is the same for all, which keeps later values uniform.
            flat = dim >= len(group.grid) or group.grid[dim] == 1
            frame[slot] = zero if flat else group.coordinates[dim]

    return coordinates


def value_name(value: Any, scope: Scope) -> str:
    """What the program calls a value: `%x_ptr` for an argument, else what it is made of."""
    if isinstance(value, ir.BlockArgument):
        return f"%{argument_name(value)}"
    op = value.owner
    location = op.location
    if location.is_a_name():
        return f"%{location.name_str}"
    operands = list(op.operands)
    if op.name.startswith("arith.") and operands:
        return value_name(operands[0], scope)
    constant = scope.constant_of(value)
    if constant is not None and constant.numel() == 1:
        return f"address {constant.item()}"
    return f"the result of {op.name}"


def argument_name(argument: ir.BlockArgument[Any]) -> str:
    """`ktir.name` of a function's argument, else the name in its location, else `argN`."""
    if argument.location.is_a_name():
        return _noted(argument) or str(argument.location.name_str)
    return _noted(argument) or f"arg{argument.arg_number}"


def names_of_arguments(kernel: ir.Operation, written: Sequence[str] = ()) -> list[str]:
    """What the arguments of a kernel are called, so that one that was printed and read again, or
    lowered, keeps its names: `ktir.name`; the name `written` in the text, unless it is one that
    MLIR's printer makes; the name in the location, if each argument has its own; else `argN`.
    """
    arguments = list(kernel.regions[0].blocks[0].arguments)
    located = [str(a.location.name_str) if a.location.is_a_name() else "" for a in arguments]
    if len(set(located)) < len(located):
        located = [""] * len(arguments)
    texts = ["" if _PRINTED.fullmatch(name) else name for name in written]
    if len(texts) != len(arguments):
        texts = [""] * len(arguments)
    return [
        _noted(argument) or text or name or f"arg{argument.arg_number}"
        for argument, text, name in zip(arguments, texts, located, strict=True)
    ]


_PRINTED = re.compile(r"arg\d+")


def noted(argument: ir.BlockArgument[Any], name: str) -> ir.Attribute | None:
    """The attribute of this name that a function or program gives an argument; None if it gives
    none."""
    owner = argument.owner.owner
    if "arg_attrs" not in owner.attributes or argument.owner != owner.regions[0].blocks[0]:
        return None
    attributes = ir.DictAttr(ir.ArrayAttr(owner.attributes["arg_attrs"])[argument.arg_number])
    if name not in attributes:
        return None
    return attributes[name]


def _noted(argument: ir.BlockArgument[Any]) -> str:
    """`ktir.name` of an argument; "" if it has none."""
    name = noted(argument, "ktir.name")
    return "" if name is None else str(ir.StringAttr(name).value)
