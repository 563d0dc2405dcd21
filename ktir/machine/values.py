"""Coordinates of cores as values, and the names of values in messages.

Owns what the dialects with memory (`ktdp_ops`, `sdf_ops`, `host`) share of these.
"""

from __future__ import annotations

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
    owner = argument.owner.owner
    if "arg_attrs" in owner.attributes and argument.owner == owner.regions[0].blocks[0]:
        entries = ir.ArrayAttr(owner.attributes["arg_attrs"])
        attributes = ir.DictAttr(entries[argument.arg_number])
        if "ktir.name" in attributes:
            return str(ir.StringAttr(attributes["ktir.name"]).value)
    if argument.location.is_a_name():
        return str(argument.location.name_str)
    return f"arg{argument.arg_number}"
