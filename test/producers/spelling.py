"""The same kernel in other words that mean the same: each producer prints its own."""

from __future__ import annotations

import re
from collections.abc import Callable

from ktir.modules import new_context, parse_module

_ALIAS = re.compile(r"#(map|set)\d* = ")


def as_written(text: str) -> str:
    """The kernel's file."""
    return text


def generic(text: str) -> str:
    """Every op in generic form, every set and map where it is used."""
    module = parse_module(text, "the kernel", new_context())
    return str(module.get_asm(print_generic_op_form=True, use_local_scope=True))


def aliases_last(text: str) -> str:
    """Sets and maps are named after the module that uses them."""
    lines = text.splitlines()
    named = [line for line in lines if _ALIAS.match(line)]
    return "\n".join([line for line in lines if not _ALIAS.match(line)] + named) + "\n"


def newer_spaces(text: str) -> str:
    """The newer spelling of memory spaces."""
    return text.replace("#ktdp.spyre_memory_space<HBM>", "#ktdp.memory_space<global>")


SPELLINGS: tuple[Callable[[str], str], ...] = (as_written, generic, aliases_last, newer_spaces)
