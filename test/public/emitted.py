"""Kernels that this project makes, as other KTIR tools see them.

Owns which kernels: those of a small model, and those shipped under `examples/kernels`.
"""

from __future__ import annotations

import dataclasses
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from test.public.grammar import Grammar, read_grammar

ROOT = Path(__file__).resolve().parent.parent.parent
KERNELS = ROOT / "examples" / "kernels"


@dataclasses.dataclass(frozen=True)
class EmittedRow:
    """A module of kernels: `refusals` say what the public definitions do not accept; `reason`, why
    that is no fault of ours.
    """

    name: str
    refusals: tuple[str, ...]
    reason: str = ""

    @property
    def passed(self) -> bool:
        """Whether everything is accepted."""
        return not self.refusals

    @property
    def accepted(self) -> bool:
        """Whether everything is accepted, or need not for a written reason."""
        return self.passed or bool(self.reason)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return dataclasses.asdict(self) | {"passed": self.passed}


def check_emitted(checkout: Path, driver: Path | None) -> Iterator[EmittedRow]:
    """Every module of kernels against the definitions of a checkout, and read by `driver`, a build
    of its `ktir-opt`, if there is one.
    """
    grammar = read_grammar(checkout)
    yield _row("kernels of a small model", small_model(), grammar, driver)
    for file in sorted(KERNELS.glob("*.mlir")):
        yield _row(f"examples/kernels/{file.name}", file.read_text(), grammar, driver)


def small_model() -> str:
    """Text of level `ktir` of a model with norms, products, gathers and reductions."""
    import torch

    import ktir

    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Embedding(50, 96),
        torch.nn.LayerNorm(96),
        torch.nn.Linear(96, 192),
        torch.nn.GELU(),
        torch.nn.Linear(192, 96),
        torch.nn.Softmax(-1),
    )
    tokens = torch.randint(0, 50, (2, 20))
    return ktir.compile_module(model.half().eval(), (tokens,), stop_after="ktir").ir("ktir")


def _row(name: str, text: str, grammar: Grammar, driver: Path | None) -> EmittedRow:
    from ktir.modules import new_context, parse_module, text_of

    module = parse_module(text, name, new_context())
    refusals = grammar.refusals(module)
    unknown = grammar.undefined(module)
    known = [r for r in refusals if r.partition(":")[0] not in unknown]
    if unknown and not known:
        reason = f"specified, but not defined in this state: {', '.join(unknown)}"
        return EmittedRow(name, (f"unknown: {', '.join(unknown)}",), reason)
    if driver is not None:
        refusals += _read_by(driver, grammar.respelled(text_of(module, locations=False)))
    return EmittedRow(name, tuple(refusals))


def _read_by(driver: Path, text: str) -> list[str]:
    """The errors of another driver on a text."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([driver, file.name], capture_output=True, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    return [error.partition("error:")[2].strip() for error in errors[:1]]
