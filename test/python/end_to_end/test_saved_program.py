"""A saved program is the whole program: another process runs it from its text and weights alone,
and every op counts.

Owns what `.ktirpkg` files promise, and that the machine executes the `sdf` text rather than
something beside it.
"""

from __future__ import annotations

import random
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor

import ktir
from ktir.mlir import ir

from .minilm import Encoding
from .support import WITHOUT_TORCH_MLIR, assert_same_bits, bits, python

LENGTH = 7
SAMPLES = 20


@pytest.fixture
def whole(encodings: Callable[..., Encoding]) -> Encoding:
    """MiniLM in f16 at a short length, padded."""
    return encodings(torch.float16, LENGTH)


@pytest.fixture(scope="module")
def short(encodings: Callable[..., Encoding]) -> Encoding:
    """Its first layers with embedding, pooling and normalisation, and inputs that need every op.

    f32 rounds less away; one sentence is padded, one all padding. Tokens weigh not 1 but a number
    whose bytes are a NaN: a mean does not see it, an accumulator that nobody cleared does.
    """
    encoding = encodings(torch.float32, LENGTH, 2)
    program, (ids, mask) = encoding.program, encoding.inputs
    mask = mask * 0x7FC00000
    mask[1] = 0
    return Encoding(program, (ids, mask), program(ids, mask))


@pytest.fixture(scope="module")
def package(encodings: Callable[..., Encoding], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole model as a file."""
    path = tmp_path_factory.mktemp("saved") / "minilm.ktirpkg"
    encodings(torch.float16, LENGTH).program.save(path)
    return path


RUN = (
    WITHOUT_TORCH_MLIR
    + """
import torch
import ktir

package, inputs, outputs = sys.argv[1:]
program = ktir.load(package)
levels = ("linalg", "plan", "ktir", "sdf")
got = {level: program.run_level(level, *torch.load(inputs)) for level in levels}
got["call"] = program(*torch.load(inputs))
torch.save(got, outputs)
assert not any(name.partition(".")[0] == "torch_mlir" for name in sys.modules)
"""
)


def test_runs_in_a_process_without_torch_mlir(
    whole: Encoding, package: Path, tmp_path: Path
) -> None:
    """A process in which torch-mlir and transformers cannot be imported gives the same bits at
    every level.
    """
    torch.save(whole.inputs, tmp_path / "inputs.pt")
    result = python(RUN, package, tmp_path / "inputs.pt", tmp_path / "outputs.pt")
    assert result.returncode == 0, result.stderr
    for level, outputs in torch.load(tmp_path / "outputs.pt").items():
        assert_same_bits(outputs, whole.outputs, f"loaded, {level}")


def test_the_block_works() -> None:
    """The process of the test above really cannot import torch-mlir."""
    result = python(WITHOUT_TORCH_MLIR + "import torch_mlir")
    assert result.returncode == 1
    assert "blocked" in result.stderr


def rewritten(source: Path, target: Path, member: str, old: str, new: str) -> None:
    """A copy of a package with a text replaced once in one member."""
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            if name == member:
                text = data.decode()
                assert old in text
                data = text.replace(old, new, 1).encode()
            after.writestr(name, data)


def outcome(program: ktir.Compiled, inputs: tuple[Tensor, Tensor]) -> Tensor | None:
    """The answer, or None where the machine refuses."""
    try:
        outputs: Tensor = program(*inputs)
    except ktir.KtirError:
        return None
    return outputs


def differs(short: Encoding, text: str) -> bool:
    """Whether a program with this `sdf` text is refused or answers differently."""
    try:
        program = ktir.compile_ir(text, level="sdf", like=short.program)
    except ktir.KtirError:
        return True
    got = outcome(program, short.inputs)
    return got is None or not torch.equal(bits(got), bits(short.outputs))


def operations(op: ir.Operation) -> Iterator[ir.Operation]:
    """All operations inside `op`, in order."""
    for region in op.regions:
        for block in region:
            for inner in block.operations:
                yield inner.operation
                yield from operations(inner.operation)


def deletable(module: ir.Operation) -> list[ir.Operation]:
    """The `sdf` ops that can be deleted and leave IR that parses: those without results,
    terminators aside.
    """
    terminators = {"sdf.return", "sdf.yield"}
    return [
        op
        for op in operations(module)
        if op.name.startswith("sdf.")
        and not op.results
        and op.name not in terminators | {"sdf.program"}
    ]


def without(text: str, number: int) -> tuple[str, str]:
    """The text without one deletable op, and what was deleted."""
    with ir.Context():
        module = ir.Module.parse(text)
        op = deletable(module.operation)[number]
        name = f"{op.name} at {op.location}"
        op.erase()
        return str(module), name


def count_deletable(text: str) -> int:
    with ir.Context():
        return len(deletable(ir.Module.parse(text).operation))


def test_the_text_is_what_runs(short: Encoding) -> None:
    """The text as it is, read back, gives the same bits: what follows is not refused for another
    reason.
    """
    assert not differs(short, short.program.ir("sdf"))


def test_every_op_counts(short: Encoding) -> None:
    """Deleting any one of some sampled ops of the `sdf` text changes the answer, or is refused."""
    text = short.program.ir("sdf")
    sample = random.Random(0).sample(range(count_deletable(text)), SAMPLES)
    unnoticed = []
    for number in sample:
        edited, name = without(text, number)
        if not differs(short, edited):
            unnoticed.append(f"op {number}: {name}")
    assert not unnoticed, unnoticed


def test_every_address_counts(short: Encoding) -> None:
    """Changing one address of a scratchpad buffer changes the answer, or is refused."""
    text = short.program.ir("sdf")
    places = list(re.finditer(r"#sdf\.buffer<(\d+),", text))
    unnoticed = []
    for place in random.Random(1).sample(places, 5):
        address = int(place.group(1)) + 128
        edited = f"{text[: place.start(1)]}{address}{text[place.end(1) :]}"
        if not differs(short, edited):
            unnoticed.append(text[text.rfind("\n", 0, place.start()) : place.end() + 40])
    assert not unnoticed, unnoticed


def test_an_edited_package_is_noticed(whole: Encoding, package: Path, tmp_path: Path) -> None:
    """The same in the file itself: an address changed in `sdf.mlir` inside the package."""
    text = whole.program.ir("sdf")
    write = re.search(r"sdf\.write #sdf\.buffer<(\d+),", text)
    assert write is not None
    edited = tmp_path / "edited.ktirpkg"
    new = write.group().replace(write.group(1), str(int(write.group(1)) + 128))
    rewritten(package, edited, "sdf.mlir", write.group(), new)
    try:
        program = ktir.load(edited)
    except ktir.KtirError:
        return
    got = outcome(program, whole.inputs)
    assert got is None or not torch.equal(bits(got), bits(whole.outputs))


def test_weights_come_from_the_file(package: Path, tmp_path: Path) -> None:
    """A package without its weights, or cut short, is refused by name."""
    bare = tmp_path / "bare.ktirpkg"
    with zipfile.ZipFile(package) as before, zipfile.ZipFile(bare, "w") as after:
        for name in before.namelist():
            if not name.endswith(".safetensors"):
                after.writestr(name, before.read(name))
    with pytest.raises(ktir.InputError, match=r"bare\.ktirpkg"):
        ktir.load(bare)
    cut = tmp_path / "cut.ktirpkg"
    cut.write_bytes(package.read_bytes()[:-1000])
    with pytest.raises(ktir.InputError, match=r"cut\.ktirpkg"):
        ktir.load(cut)
