"""The structure of a model's inputs and outputs as JSON.

torch describes nested containers by a `TreeSpec`; its own JSON form needs every container class to
be importable and registered where it is read. A saved package must work where `transformers` is not
installed, so the form here keeps what a container is made of beside its class, and falls back to a
plain container.

Forms: `"leaf"`; `{"tuple": [..]}`; `{"list": [..]}`; `{"dict": {key: ..}}` for string keys;
`{"namedtuple": name, "fields": {..}}`; `{"node": class, "context": .., "children": [..]}` for any
other registered class.
"""

from __future__ import annotations

import sys
from collections import OrderedDict, namedtuple
from typing import Any

from torch.utils import _pytree as pytree
from torch.utils._pytree import TreeSpec

from ktir.errors import InputError

_PLAIN = {tuple: "tuple", list: "list"}
_MAPPINGS = (dict, OrderedDict)


def to_json(spec: TreeSpec) -> Any:
    """The JSON form of a structure. Raises InputError for a dict with keys that are not strings."""
    if spec.is_leaf():
        return "leaf"
    children = [to_json(child) for child in spec.children()]
    if spec.type in _PLAIN:
        return {_PLAIN[spec.type]: children}
    if spec.type in _MAPPINGS:
        if not all(isinstance(key, str) for key in spec.context):
            raise InputError(
                f"a dict with keys {spec.context} cannot be saved: use strings as keys"
            )
        return {"dict": dict(zip(spec.context, children, strict=True))}
    if spec.type is namedtuple:
        fields = dict(zip(spec.context._fields, children, strict=True))
        return {"namedtuple": _class_name(spec.context), "fields": fields}
    return {
        "node": _class_name(spec.type),
        "context": _plain_context(spec.context),
        "children": children,
    }


def from_json(form: Any) -> TreeSpec:
    """The structure again.

    A class is used if the process has already imported the package that registers it with torch.
    Otherwise a NamedTuple becomes a new one of the same name and fields, and any other class a dict
    if it has named children, a tuple if not.
    """
    return pytree.tree_structure(_skeleton(form))


def _skeleton(form: Any) -> Any:
    """A value of the structure with 0 at its leaves."""
    if form == "leaf":
        return 0
    if "tuple" in form:
        return tuple(_skeleton(child) for child in form["tuple"])
    if "list" in form:
        return [_skeleton(child) for child in form["list"]]
    if "dict" in form:
        return {key: _skeleton(child) for key, child in form["dict"].items()}
    if "namedtuple" in form:
        fields = {key: _skeleton(child) for key, child in form["fields"].items()}
        return _named_tuple(form["namedtuple"], tuple(fields))(**fields)
    return _registered(form)


def _registered(form: dict[str, Any]) -> Any:
    """An instance of a registered class, or its plain stand-in."""
    children = [_skeleton(child) for child in form["children"]]
    for known, node in pytree.SUPPORTED_NODES.items():
        if _class_name(known) == form["node"]:
            return node.unflatten_fn(children, form["context"])
    names = form["context"]
    if isinstance(names, list) and len(names) == len(children):
        return dict(zip(names, children, strict=True))
    return tuple(children)


def _named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """The class of that name if its module is loaded, a new one with the same fields if not."""
    module, _, qualified = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in qualified.split("."):
        found = getattr(found, part, None)
    if getattr(found, "_fields", None) == fields:
        return found
    return namedtuple(qualified.rpartition(".")[2], fields)


def _class_name(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def _plain_context(context: Any) -> Any:
    """A node's context if JSON can hold it, else None."""
    if isinstance(context, (list, tuple)):
        parts = [_plain_context(part) for part in context]
        return parts if None not in parts else None
    return context if isinstance(context, (str, int, float, bool)) else None
