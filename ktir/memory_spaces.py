"""Memory spaces of KTIR: the memories that attributes of both spellings name."""

from __future__ import annotations

from typing import Any, NamedTuple

from ktir.mlir._mlir_libs._ktirDialects import SpyreMemorySpaceAttr

BY_REACH = {"HBM": "global", "LX": "ct_local"}
"""Kinds of `#ktdp.memory_space` by those of `#ktdp.spyre_memory_space`; both mean the same."""

EXPECTED = " or ".join(f"{device} ({reach})" for device, reach in BY_REACH.items())
"""The spaces that hold views, as errors list them."""


class Memory(NamedTuple):
    """Device memory or scratchpads; `core` is the one whose scratchpad it is, by its number in the
    grid, None for that of the running core and for device memory."""

    is_scratchpad: bool
    core: int | None


def memory_of(space: Any) -> Memory | None:
    """The memory that an attribute names; None for a space that holds no views (`L0`,
    `unspecified`)."""
    is_device = isinstance(space, SpyreMemorySpaceAttr)
    names = list(BY_REACH) if is_device else list(BY_REACH.values())
    if getattr(space, "kind", None) not in names:
        return None
    return Memory(names.index(space.kind) == 1, space.core if is_device else space.ct_id)


def holds_allocations(space: Any) -> bool:
    """Whether a kernel can allocate in a memory space: the scratchpad of the running core, which
    None stands for too."""
    memory = None if space is None else memory_of(space)
    return space is None or (memory is not None and memory.is_scratchpad and memory.core is None)


ALLOCATES_IN = "a kernel allocates in the scratchpad of the running core, LX (ct_local)"
"""The space that holds allocations, as errors say it."""
