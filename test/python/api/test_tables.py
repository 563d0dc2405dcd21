"""Tables on terminals of any width."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from ktir.tables import Fitted, plain

TITLES = ("kernel", "bytes", "tile", "source")
ROWS = [
    ("linear_0", "1,024", "32x64", "model.py:7 (fc)"),
    (
        "scaled_dot_product_attention_3",
        "12",
        "2x12x128",
        "layers/attention.py:31 (attention in [0])",
    ),
]
RIGHT = (False, True, False, False)


def shown(width: int, caption: str = "") -> list[str]:
    file = io.StringIO()
    Console(file=file, width=width).print(Fitted(TITLES, ROWS, RIGHT, caption))
    lines = [line.rstrip() for line in file.getvalue().splitlines()]
    assert all(len(line) <= width for line in lines)
    return lines


def test_wide_as_plain_text() -> None:
    assert shown(120, "2 kernels") == [*plain(TITLES, ROWS, RIGHT).splitlines(), "2 kernels"]


def test_the_last_column_moves_below() -> None:
    assert shown(60) == [
        "kernel                          bytes  tile",
        "    source",
        "linear_0                        1,024  32x64",
        "    model.py:7 (fc)",
        "scaled_dot_product_attention_3     12  2x12x128",
        "    layers/attention.py:31 (attention in [0])",
    ]


@pytest.mark.parametrize("width", [30, 36])
def test_names_are_cut_last(width: int) -> None:
    lines = shown(width)
    cut = width - len("  bytes  2x12x128")
    name = ROWS[1][0]
    start = next(i for i, line in enumerate(lines) if line.startswith(name[:cut]))
    assert lines[start] == f"{name[:cut]}     12  2x12x128"
    assert lines[start + 1] == name[cut : 2 * cut]
    assert (
        "".join(line for line in lines[start + 1 :] if not line.startswith(" "))[: len(name) - cut]
        == name[cut:]
    )
