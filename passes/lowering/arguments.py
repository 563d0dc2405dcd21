"""What a program notes of arguments whose memory it does not touch.

A transfer says of which elements the memory at an argument is. Where a kernel describes memory but
moves nothing of it, nothing would be left that tells an array of other elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from ktir.mlir import ir

ELEMENT = "ktir.element"
"""The attribute of an argument that names the type of the elements there."""

_TRANSFERS = frozenset(f"sdf.{name}" for name in ("read", "write", "gather", "scatter"))


def note_elements(
    program: ir.Operation,
    described: Sequence[ir.BlockArgument],
    arguments: Sequence[ir.BlockArgument],
) -> None:
    """Notes the types of the elements that a kernel's arguments are `described` to have, on those
    of the `arguments` of its program that no transfer uses."""
    notes: list[dict[str, ir.Attribute]] = [{} for _ in arguments]
    if "arg_attrs" in program.attributes:
        entries = [ir.DictAttr(entry) for entry in ir.ArrayAttr(program.attributes["arg_attrs"])]
        notes = [{entry[i].name: entry[i].attr for i in range(len(entry))} for entry in entries]
    found = False
    for note, old, new in zip(notes, described, arguments, strict=True):
        element = _element(old)
        if element is not None and not any(use.owner.name in _TRANSFERS for use in new.uses):
            note[ELEMENT] = ir.TypeAttr.get(element)
            found = True
    if found:
        dicts = [ir.DictAttr.get(note) for note in notes]
        program.attributes["arg_attrs"] = ir.ArrayAttr.get(dicts)


def _element(argument: ir.BlockArgument) -> ir.Type | None:
    """The element type of the views at an argument, if there are some and they agree."""
    found = {
        ir.MemRefType(use.owner.results[0].type).element_type
        for use in argument.uses
        if use.owner.name == "ktdp.construct_memory_view" and use.operand_number == 0
    }
    return found.pop() if len(found) == 1 else None
