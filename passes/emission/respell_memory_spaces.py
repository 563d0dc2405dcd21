"""The names of memory spaces in KTIR, for tools that read one spelling only."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import ClassVar

from ktir.errors import InputError, UnsupportedError
from ktir.inside import ops_inside
from ktir.memory_spaces import BY_REACH, EXPECTED
from ktir.mlir import ir
from ktir.mlir._mlir_libs._ktirDialects import MemorySpaceAttr, SpyreMemorySpaceAttr
from ktir.passes.base import ModulePass, option, register
from ktir.passes.ir_utils import place_of

_BY_DEVICE = {reach: device for device, reach in BY_REACH.items()}


@register
@dataclasses.dataclass(frozen=True)
class RespellMemorySpaces(ModulePass):
    """Write memory spaces in one of their two spellings.

    Public tools differ: those of the RFC read `#ktdp.spyre_memory_space` only, newer ones
    `#ktdp.memory_space` only. Both mean the same here.

    Rewrites: memory spaces in attributes of ops and in memref types.
    Ensures: only the spelling that the option names is left.
    Fails when: a space has no name in the other spelling (`L0`, `unspecified`).

    Before:

        %v = ktdp.construct_memory_view .. {memory_space = #ktdp.spyre_memory_space<LX, core = 3>}

    After, with `to=reach`:

        %v = ktdp.construct_memory_view .. {memory_space = #ktdp.memory_space<ct_local, ct_id = 3>}
    """

    NAME: ClassVar[str] = "ktir-respell-memory-spaces"

    to: str = option("reach", "device: spyre_memory_space (RFC 0682); reach: memory_space (newer)")

    def run(self, module: ir.Operation) -> None:
        if self.to not in ("device", "reach"):
            raise InputError(
                f"option to of {self.NAME}: found {self.to!r}, expected device or reach"
            )
        respell = _by_device if self.to == "device" else _by_reach
        with module.context:
            for op in (module, *ops_inside(module)):
                try:
                    with op.location:
                        _respell(op, respell)
                except KeyError as error:
                    raise UnsupportedError(
                        f"'{op.name}' at {place_of(op)}: memory space {error.args[0]} has no "
                        f"other spelling; expected {EXPECTED}"
                    ) from error


_Respell = Callable[[ir.Attribute], ir.Attribute]


def _by_reach(space: ir.Attribute) -> ir.Attribute:
    if not isinstance(space, SpyreMemorySpaceAttr):
        return space
    owner = "" if space.core is None else f", ct_id = {space.core}"
    return ir.Attribute.parse(f"#ktdp.memory_space<{BY_REACH[space.kind]}{owner}>")


def _by_device(space: ir.Attribute) -> ir.Attribute:
    if not isinstance(space, MemorySpaceAttr):
        return space
    owner = "" if space.ct_id is None else f", core = {space.ct_id}"
    return ir.Attribute.parse(f"#ktdp.spyre_memory_space<{_BY_DEVICE[space.kind]}{owner}>")


def _respell(op: ir.Operation, respell: _Respell) -> None:
    """Respells what `op` itself states: its attributes, its results, its blocks' arguments."""
    for name in op.attributes:
        attribute = op.attributes[name]
        if isinstance(attribute, SpyreMemorySpaceAttr | MemorySpaceAttr):
            op.attributes[name] = respell(attribute)
        elif isinstance(attribute, ir.TypeAttr):
            op.attributes[name] = ir.TypeAttr.get(_type(attribute.value, respell))
    arguments = [a for region in op.regions for block in region for a in block.arguments]
    for value in (*op.results, *arguments):
        if value.type != (fitting := _type(value.type, respell)):
            value.set_type(fitting)


def _type(type_: ir.Type, respell: _Respell) -> ir.Type:
    if isinstance(type_, ir.FunctionType):
        return ir.FunctionType.get(
            [_type(t, respell) for t in type_.inputs], [_type(t, respell) for t in type_.results]
        )
    if not isinstance(type_, ir.MemRefType):
        return type_
    space = type_.memory_space
    if space is None:
        return type_
    return ir.MemRefType.get(type_.shape, type_.element_type, type_.layout, respell(space))
