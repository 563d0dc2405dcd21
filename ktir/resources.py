"""Elements of `dense_resource` constants, which a file carries apart from its ops.

Owns their reading. The bindings of MLIR 22 do not give them out, but an op that is printed brings
the data of the resources it names: hexadecimal digits of the alignment, in four bytes, and of the
elements.
"""

from __future__ import annotations

import re

from ktir.errors import UnsupportedError
from ktir.mlir import ir

_BLOB = re.compile(r': "0x[0-9A-Fa-f]{8}([0-9A-Fa-f]*)"')


def is_resource(attribute: ir.Attribute) -> bool:
    """Whether the elements of a constant are a resource of its file."""
    return str(attribute).startswith("dense_resource<")


def resource_bytes(attribute: ir.Attribute) -> bytearray:
    """The elements, one after the other. Raises UnsupportedError if the file has no data."""
    holder = ir.Module.create(ir.Location.unknown(attribute.context))
    holder.operation.attributes["data"] = attribute
    blob = _BLOB.search(str(holder.operation.get_asm()))
    if blob is None:
        raise UnsupportedError(f"constant {attribute} has no data in its file")
    return bytearray.fromhex(blob.group(1))


def with_elements(attribute: ir.Attribute) -> ir.Attribute:
    """The same constant with its elements in it; what is no resource as it is."""
    if not is_resource(attribute):
        return attribute
    type_ = ir.RankedTensorType(attribute.type)
    elements = resource_bytes(attribute)
    if str(type_.element_type) != "i1":
        return ir.Attribute.parse(f'dense<"0x{elements.hex()}"> : {type_}', attribute.context)
    with attribute.context:
        bits = [ir.BoolAttr.get(bool(element)) for element in elements]
        return ir.DenseElementsAttr.get(bits, type_)
