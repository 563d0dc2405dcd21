"""Where a node of an exported graph comes from, and how to name it in a message.

torch keeps the Python frames of each node in `node.meta["stack_trace"]` and its module path in
`nn_module_stack`. Both reach the IR as locations, so that errors, kernels and profiles can point at
the model's own line.
"""

from __future__ import annotations

import importlib
import re
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from torch.fx import Node

_FRAME = re.compile(r'File "([^"]+)", line (\d+), in .*\n\s*(.*)')
_TORCH = Path(torch.__file__).parent
_OURS = Path(__file__).parent
_IMPORTLIB = Path(importlib.__file__).parent


def frames(node: Node) -> list[tuple[str, int]]:
    """(file, line) of the frames that made `node`, outermost first; empty if torch kept none."""
    trace = node.meta.get("stack_trace") or ""
    return [(file, int(line)) for file, line, _ in _FRAME.findall(trace)]


def module_path(node: Node) -> str:
    """The dotted path of the module whose forward made `node`, "" for the outermost one."""
    stack = node.meta.get("nn_module_stack") or {}
    path = next(reversed(stack.values()))[0] if stack else ""
    return str(path)


def origin_name(node: Node) -> str:
    """The name that the node, or the node it was decomposed from, has in the exported program."""
    sources = node.meta.get("from_node") or []
    if not sources:
        return node.name
    source = sources[-1]
    while source.from_node:
        source = source.from_node[-1]
    return str(source.name)


def source_line(node: Node) -> str:
    """'file.py:12: code' of the innermost frame outside torch, or a word that it is unknown."""
    found = _FRAME.findall(node.meta.get("stack_trace") or "")
    outside = [frame for frame in found if not Path(frame[0]).is_relative_to(_TORCH)]
    for file, line, code in reversed(outside or found):
        return f"{file}:{line}: {code.strip()}"
    return "unknown source line"


def raised_at(trace: TracebackType | None) -> str:
    """'file.py:12: code' of the innermost frame that is not torch's, ours or importlib's."""
    for frame in reversed(traceback.extract_tb(trace)):
        path = Path(frame.filename)
        inside = any(path.is_relative_to(folder) for folder in (_TORCH, _OURS, _IMPORTLIB))
        if not inside and path.exists():
            return f"{frame.filename}:{frame.lineno}: {(frame.line or '').strip()}"
    return "unknown source line"


def tensor_type(value: object) -> str:
    """'float16[2, 65]' for a tensor, a Python literal for anything else."""
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(tensor_type(part) for part in value) + "]"
    return repr(value)


def _value(argument: Any) -> Any:
    """An operand with nodes replaced by the tensors they stand for."""
    return torch.fx.node.map_arg(argument, lambda node: node.meta.get("val"))


def describe(node: Node) -> str:
    """'aten.sort.stable(float16[2, 65], dim=0)': the operator and its operands."""
    parts = [tensor_type(_value(argument)) for argument in node.args]
    parts += [f"{name}={tensor_type(_value(a))}" for name, a in node.kwargs.items()]
    return f"{node.target}({', '.join(parts)})"


def located(node: Node) -> str:
    """The description and the place, as the end of a message."""
    path = module_path(node)
    inside = f" in module {path}" if path else ""
    return f"{describe(node)}{inside}, at {source_line(node)}"
