"""What the kernels rely on is seen where it does not hold: each fault is one change away from a
kernel that is legal.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.kernels.catalog import Example
from examples.kernels.contract import Inputs
from ktir.api import launch_kernel
from ktir.errors import BoundsError, MachineError

levels = pytest.mark.parametrize("level", ["ktir", "sdf"])


def launch(path: Path, inputs: Inputs, level: str) -> None:
    launch_kernel(path, inputs, level=level, check="full")


def without(text: str, start: str, end: str) -> str:
    """A text without what begins at `start` and ends before `end`."""
    before, found, rest = text.partition(start)
    assert found
    assert end in rest
    return before + rest[rest.index(end) :]


@levels
def test_two_tokens_in_one_slot_of_a_cache(level: str) -> None:
    example = Example("paged_cache_write")
    inputs = example.oracle.inputs({"tokens": 40, "pages": 5}, 0)
    inputs["slots_ptr"][7] = inputs["slots_ptr"][0]
    with pytest.raises(MachineError, match=r"core 0 writes .* same store on core 7"):
        launch(example.path, inputs, level)


@levels
@pytest.mark.parametrize(
    ("start", "end"),
    [("      %written = ", "      %t_other = "), ("      %was_read = ", "    }\n    return")],
    ids=["before it is read", "before it is written again"],
)
def test_an_exchange_without_tokens(level: str, start: str, end: str, tmp_path: Path) -> None:
    example = Example("distributed_copy")
    path = tmp_path / "racing.mlir"
    path.write_text(without(example.path.read_text(), start, end))
    with pytest.raises(MachineError, match="nothing orders the two"):
        launch(path, example.oracle.inputs({"count": 2}, 0), level)


@levels
def test_an_id_outside_the_table(level: str) -> None:
    example = Example("embedding_gather")
    inputs = example.oracle.inputs({"tokens": 20, "vocabulary": 10, "width": 64}, 0)
    inputs["ids_ptr"][5] = 10
    with pytest.raises(BoundsError, match="10"):
        launch(example.path, inputs, level)


@levels
def test_a_core_that_leaves_a_loop_of_exchanges_early(level: str, tmp_path: Path) -> None:
    example = Example("page_rank")
    text = example.path.read_text()
    early = text.replace(
        "arith.cmpi slt, %done, %most : i32",
        "arith.cmpi slt, %done, %number : i32",
    ).replace(
        "    %no_rounds = ",
        "    %number = arith.index_cast %core : index to i32\n    %no_rounds = ",
    )
    path = tmp_path / "waiting.mlir"
    path.write_text(
        early.replace("%number = tensor.from", "%rounds_tile = tensor.from").replace(
            "ktdp.store %number,", "ktdp.store %rounds_tile,"
        )
    )
    with pytest.raises(MachineError, match=r"deadlock: cores 1, .* for core 0"):
        launch(path, example.oracle.inputs({"n": 63, "most": 5}, 0), level)


@levels
def test_a_result_that_a_core_does_not_receive(level: str, tmp_path: Path) -> None:
    example = Example("argmax_rows")
    path = tmp_path / "unguarded.mlir"
    path.write_text(
        example.path.read_text().replace(
            "%is_first = arith.cmpi eq,", "%is_first = arith.cmpi sge,"
        )
    )
    with pytest.raises(MachineError, match="core"):
        launch(path, example.oracle.inputs({"rows": 3, "cols": 100}, 0), level)
