"""MiniLM's text at every level goes through `ktir-opt` and back to a fixed point; its kernels are
KTIR and nothing else.

Owns the textual and binary forms of whole programs. Forms of single ops are tested beside their
dialects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

import ktir
from ktir.mlir import ir

from .minilm import Encoding
from .support import LEVELS, assert_same_bits, command

KTIR_DIALECTS = {
    "affine",
    "arith",
    "builtin",
    "func",
    "ktdp",
    "linalg",
    "math",
    "memref",
    "scf",
    "tensor",
}
"""RFC 0682's own dialect and the upstream dialects it builds on."""


@pytest.fixture
def encoding(encodings: Callable[..., Encoding]) -> Encoding:
    return encodings(torch.float16, 7)


@pytest.fixture
def program(encoding: Encoding) -> ktir.Compiled:
    return encoding.program


def opt(path: Path, *flags: str) -> bytes:
    """What `ktir-opt` makes of a file."""
    output = path.with_suffix(".out")
    result = command("ktir-opt", path, "-o", output, *flags)
    assert result.returncode == 0, result.stderr
    return output.read_bytes()


@pytest.mark.parametrize("level", LEVELS)
def test_fixed_point(program: ktir.Compiled, level: str, tmp_path: Path) -> None:
    """Custom text is a fixed point; through the generic form and through bytecode it comes back the
    same.
    """
    given = tmp_path / "given.mlir"
    given.write_text(program.ir(level))
    custom = tmp_path / "custom.mlir"
    custom.write_bytes(opt(given))
    assert opt(custom) == custom.read_bytes()
    assert custom.read_text().strip() == program.ir(level).strip()
    generic = tmp_path / "generic.mlir"
    generic.write_bytes(opt(custom, "--mlir-print-op-generic"))
    assert generic.read_bytes() != custom.read_bytes()
    assert opt(generic, "--mlir-print-op-generic") == generic.read_bytes()
    assert opt(generic) == custom.read_bytes()
    binary = tmp_path / "binary.mlirbc"
    binary.write_bytes(opt(custom, "--emit-bytecode"))
    assert binary.read_bytes().startswith(b"ML\xefR")
    assert opt(binary) == custom.read_bytes()


@pytest.mark.parametrize("level", LEVELS)
def test_text_is_the_program(encoding: Encoding, level: str) -> None:
    """Resumed from the text of any level, with its weights, the program gives the same bits."""
    program = encoding.program
    other = ktir.compile_ir(program.ir(level), level=level, like=program)
    assert_same_bits(other(*encoding.inputs), encoding.outputs, f"resumed from {level}")


def operations(op: ir.Operation) -> Iterator[ir.Operation]:
    """`op` and all operations inside it."""
    yield op
    for region in op.regions:
        for block in region:
            for inner in block.operations:
                yield from operations(inner.operation)


def test_kernels_are_plain_ktir(program: ktir.Compiled) -> None:
    """The kernels at `ktir` hold ops, types and attributes of `ktdp` and upstream dialects only."""
    with ir.Context():
        module = ir.Module.parse(program.ir("ktir"))
        containers = {
            ir.StringAttr(op.operation.attributes["sym_name"]).value: op
            for op in module.body.operations
        }
        assert set(containers) == {"kernels", "host"}
        found = list(operations(containers["kernels"].operation))
        assert {op.name.partition(".")[0] for op in found} <= KTIR_DIALECTS
        assert any(op.name.startswith("ktdp.") for op in found)
        for op in found:
            for name in op.attributes:
                assert not name.startswith(("plan.", "sdf.", "ktir.")), f"{op.name}: {name}"
        generic = str(containers["kernels"].operation.get_asm(print_generic_op_form=True))
    for foreign in ("#plan.", "!plan.", "#sdf.", "!sdf.", '"plan.', '"sdf.', "tm_tensor", "torch."):
        assert foreign not in generic, foreign


def test_levels_hold_what_they_say(program: ktir.Compiled) -> None:
    """`linalg` knows no decisions, `plan` holds kernels, `sdf` programs, and no level anything of
    torch's.
    """
    assert "plan." not in program.ir("linalg")
    assert "plan.kernel" in program.ir("plan")
    assert "sdf.program" in program.ir("sdf")
    assert "plan.kernel" not in program.ir("ktir") + program.ir("sdf")
    for level in LEVELS:
        assert "torch." not in program.ir(level).replace("ktir.name", "")
