"""Names of levels and files, and source locations as people read them."""

from __future__ import annotations

import pytest

from ktir import InputError
from ktir.levels import check_level, level_of_file, levels_after, stem_of_file
from ktir.locations import source_of


@pytest.mark.parametrize(
    ("file", "level", "stem"),
    [
        ("m.plan.mlir", "plan", "m"),
        ("a/b.c.linalg.mlir", "linalg", "b.c"),
        ("k.mlir", "ktir", "k"),
        ("k.v2.mlir", "ktir", "k.v2"),
        ("sdf.mlir", "sdf", "sdf"),
    ],
)
def test_file_names(file: str, level: str, stem: str) -> None:
    assert level_of_file(file) == level
    assert stem_of_file(file) == stem


def test_other_files_are_refused() -> None:
    with pytest.raises(InputError, match=r"m\.onnx: expected a file named"):
        level_of_file("m.onnx")


def test_order() -> None:
    assert levels_after("linalg", "sdf") == ("plan", "ktir", "sdf")
    assert levels_after("sdf", "plan") == ()


def test_unknown_level_lists_the_known() -> None:
    with pytest.raises(InputError, match="unknown level 'llvm'; known: torch, linalg"):
        check_level("llvm")


@pytest.mark.parametrize(
    ("location", "source"),
    [
        ('loc("m.py":12:0)', "m.py:12"),
        ('loc("k.mlir":3:7)', "k.mlir:3:7"),
        ('loc("k.mlir":0:0)', "k.mlir"),
        ("loc(unknown)", ""),
        (
            'loc("linear"("enc.q"(callsite("m.py":12:0 at "m.py":30:0))))',
            "m.py:12 (linear in enc.q)",
        ),
        ('loc("x"(callsite("/p/site-packages/torch/nn.py":1:0 at "m.py":9:0)))', "m.py:9 (x)"),
        ('loc(fused["a", "b"("m.py":2:0)])', "m.py:2 (a in b)"),
    ],
)
def test_source_of(location: str, source: str) -> None:
    assert source_of(location) == source
