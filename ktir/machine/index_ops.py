"""Ops of `index` that the table of scalar ops does not hold: comparisons and constants."""

from __future__ import annotations

import re
from typing import Any

import torch

from ktir.machine import table
from ktir.machine.block import Step
from ktir.machine.decode import Scope, elementwise_step, handler
from ktir.machine.scalar import Signature
from ktir.mlir import ir

_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
"""The predicates of `arith.cmpi`, by number."""

_WIDTH = 64
"""Bits of an index."""


@handler("index.cmp")
def decode_cmp(op: Any, scope: Scope) -> Step:
    """A comparison, as `arith.cmpi` on i64."""
    words = re.findall(r"\w+", str(op.attributes["pred"]))
    predicate = _PREDICATES.index(words[-1])
    signature = Signature(("index", "index"), ("i1",), {"predicate": predicate})
    meaning = table.lookup("arith.cmpi", signature)
    return elementwise_step(meaning, scope.slots(list(op.operands)), [scope.define(op.results[0])])


@handler("index.bool.constant")
def decode_bool(op: Any, scope: Scope) -> None:
    """A truth value."""
    scope.constant(op.results[0], torch.tensor([ir.BoolAttr(op.attributes["value"]).value]))


@handler("index.sizeof")
def decode_sizeof(op: Any, scope: Scope) -> None:
    """The number of bits of an index."""
    scope.constant(op.results[0], torch.tensor([_WIDTH]))
