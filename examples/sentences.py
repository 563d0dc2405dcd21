"""The main demonstration, `make demo`: which sentences are close to which, computed by the Spyre
machine.

Compiles the sentence encoder of `examples.minilm` in f16 through every level, runs it on the
machine, compares it with PyTorch in f32, and shows where time and bytes go. Then it runs a KTIR
kernel written by hand and compares it with numpy.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

import ktir
from examples.kernels.catalog import Example
from examples.kernels.files import write
from examples.minilm import SENTENCES, encoder, tokens

OUT = Path("out")
COSTLIEST = 8


def main() -> int:
    """Runs the demonstration; returns 1 if a result is not close to its reference."""
    console = Console(width=None if sys.stdout.isatty() else 120)
    OUT.mkdir(exist_ok=True)
    ids, mask = tokens()
    compiled = compile_encoder(console, ids, mask)
    profile = compiled.profile(ids, mask)
    with torch.no_grad():
        reference = encoder(torch.float32)(ids, mask)
    close = show_embeddings(console, profile.outputs, reference)
    show_similarities(console, profile.outputs.float())
    show_costliest(console, profile)
    show_levels(console, compiled)
    return 0 if close and run_kernel(console) else 1


def compile_encoder(console: Console, ids: Tensor, mask: Tensor) -> ktir.Compiled:
    """Compiles the encoder in f16 and saves it."""
    console.rule("all-MiniLM-L6-v2 in f16, from PyTorch to the Spyre dataflow program")
    start = time.perf_counter()
    with console.status("compiling") as status:
        compiled = ktir.compile_module(
            encoder(torch.float16),
            (ids, mask),
            notify=lambda level: status.update(f"compiling to {level}"),
        )
    seconds = time.perf_counter() - start
    console.print(
        f"compiled in {seconds:.1f} s for inputs {list(ids.shape)}: {len(SENTENCES)} sentences"
    )
    compiled.save(OUT / "minilm.ktirpkg")
    return compiled


def show_embeddings(console: Console, found: Tensor, reference: Tensor) -> bool:
    """Prints the cosine of each embedding to PyTorch's f32 one; says whether all are at least
    0.999.
    """
    cosine = torch.nn.functional.cosine_similarity(found.float(), reference, dim=1)
    table = Table("sentence", "cosine to PyTorch f32", title="embeddings")
    for sentence, value in zip(SENTENCES, cosine.tolist(), strict=True):
        table.add_row(sentence, f"{value:.6f}")
    console.print(table)
    return bool((cosine >= 0.999).all())


def show_similarities(console: Console, embeddings: Tensor) -> None:
    """Prints for each sentence the one closest to it."""
    similarity = embeddings @ embeddings.T
    similarity.fill_diagonal_(-1)
    table = Table("sentence", "closest", "similarity", title="which is close to which")
    for row, sentence in zip(similarity, SENTENCES, strict=True):
        best = int(row.argmax())
        table.add_row(sentence, SENTENCES[best], f"{float(row[best]):.3f}")
    console.print(table)


def show_costliest(console: Console, profile: ktir.Profile) -> None:
    """Prints the kernels that take most of the estimated time."""
    table = Table(title=f"the {COSTLIEST} costliest of {len(profile.kernels)} kernels")
    for title in (
        "kernel",
        "cores",
        "estimated us",
        "bytes read",
        "bytes written",
        "scratchpad peak",
    ):
        table.add_column(title, justify="left" if title == "kernel" else "right")
    for kernel in sorted(profile.kernels, key=lambda kernel: -kernel.time_ns)[:COSTLIEST]:
        table.add_row(
            kernel.name,
            str(kernel.cores),
            f"{kernel.time_ns / 1000:.1f}",
            f"{kernel.read_bytes:,}",
            f"{kernel.written_bytes:,}",
            f"{kernel.scratchpad_peak:,}",
        )
    console.print(table)
    console.print(f"all kernels: {profile.time_ns / 1000:,.0f} us estimated")


def show_levels(console: Console, compiled: ktir.Compiled) -> None:
    """Writes the IR of each level to a file and prints where."""
    table = Table("level", "file", "lines", title="IR of each level")
    for level in compiled.levels:
        if level == "torch":
            continue
        text = compiled.ir(level)
        path = OUT / f"minilm.{level}.mlir"
        path.write_text(text)
        table.add_row(level, str(path), f"{text.count(chr(10)):,}")
    console.print(table)
    console.print(f"saved program: {OUT / 'minilm.ktirpkg'}")


def run_kernel(console: Console) -> bool:
    """Runs the hand-written row softmax through `ktir run` and compares it with numpy."""
    console.rule("a KTIR kernel written by hand")
    command = write(Example("softmax_rows"), {"rows": 1000, "cols": 777}, OUT)
    console.print(shlex.join(["ktir", *command]), soft_wrap=True)
    done = subprocess.run([sys.executable, "-m", "ktir.tools.ktir", *command], check=False)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
