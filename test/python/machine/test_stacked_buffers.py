"""Loops of `sdf` programs whose iterations run at once do what they do one after the other."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_text import count_only, counts, run

from ktir.errors import KtirError
from ktir.machine import stacked
from ktir.machine.kernel import Result
from ktir.machine.stacked_buffers import StackedBuffers

Array = npt.NDArray[Any]
LENGTH = 40
BYTES = 128
KEPT = 4
"""Buffers of a program whose last contents it writes to %z."""


@contextlib.contextmanager
def one_after_the_other() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stacked, "_FEWEST", 1 << 30)
        yield


@contextlib.contextmanager
def batches() -> Iterator[list[int]]:
    """How many iterations every batch of loops ran at once."""
    found: list[int] = []
    commit = StackedBuffers.commit

    def counted(buffers: StackedBuffers) -> None:
        found.append(buffers.count)
        commit(buffers)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StackedBuffers, "commit", counted)
        yield found


def buffer(number: int) -> str:
    return f"#sdf.buffer<{number * BYTES}, 1x{LENGTH}xf16>"


def read(number: int, at: str) -> str:
    return (
        f"sdf.read {buffer(number)} from %x[{at}, 0] bounds [200, {LENGTH}] strides [{LENGTH}, 1]"
    )


def write(number: int, at: str, to: str = "y") -> str:
    return (
        f"sdf.write {buffer(number)} to %{to}[{at}, 0] bounds [200, {LENGTH}] "
        f"strides [{LENGTH}, 1] within [0, 200, 0, {LENGTH}]"
    )


def add(left: int, right: int, result: int) -> str:
    return f"""
    sdf.compute vector ins({buffer(left)}, {buffer(right)}) outs({buffer(result)})
        {{indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}} {{
    ^bb0(%a: f16, %b: f16, %c: f16):
      %sum = arith.addf %a, %b : f16
      sdf.yield %sum : f16
    }}"""


def fill(number: int, value: float) -> str:
    return f"sdf.constant {buffer(number)}, dense<{float(value)}> : tensor<1x{LENGTH}xf16>"


def copy(source: int, target: int) -> str:
    """Elements 3..7 to 10..14."""
    return f"sdf.copy {buffer(source)}[0, 3][1, 1] to {buffer(target)}[0, 10][1, 1] sizes [1, 5]"


def program(body: str, before: str = "", bounds: str = "%c0 to %trips step %c1") -> str:
    """Fills the buffers, runs the body in a loop over %i, writes the buffers of each core to %z.
    %row is another one for each core and iteration."""
    first = "\n".join(fill(number, number + 0.5) for number in range(KEPT))
    last = "\n".join(
        f"%z{n} = arith.constant {3 * n} : index\n%at{n} = arith.addi %z{n}, %core : index\n"
        + write(n, f"%at{n}", "z")
        for n in range(KEPT)
    )
    return f"""
    #same = affine_map<(d0, d1) -> (d0, d1)>
    sdf.program @p(%x: index, %y: index, %z: index, %trips: index) grid [3] {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %far = arith.constant 4096 : index
      %core = sdf.core_id : index
      {first}
      {before}
      scf.for %i = {bounds} {{
        %rest = arith.remui %i, %c2 : index
        %odd = arith.cmpi eq, %rest, %c1 : index
        %three = arith.muli %i, %c3 : index
        %row = arith.addi %three, %core : index
        %next = arith.addi %row, %c3 : index
        {body}
      }}
      {last}
      sdf.return
    }}"""


def arguments(trips: int) -> list[Any]:
    x = np.random.default_rng(trips).standard_normal((200, LENGTH)).astype(np.float16)
    return [x, np.zeros_like(x), np.zeros_like(x), trips]


def both(text: str, trips: int) -> tuple[Result, list[int]]:
    """The result of a program, which is that of its iterations one after the other, and how many
    ran at once."""
    with one_after_the_other():
        alone = run(text, args=arguments(trips))
    with batches() as found:
        together = run(text, args=arguments(trips))
    for name in ("y", "z"):
        assert alone.arrays[name].tobytes() == together.arrays[name].tobytes()
    assert dataclasses.asdict(alone.profile) == dataclasses.asdict(together.profile)
    if not any(op in text for op in ("sdf.extract", "sdf.gather")):
        # A walk without values counts the same, but for places that values decide.
        assert counts(count_only(text, [0, 64000, 128000, trips])) == counts(
            together.profile.kernels[0]
        )
    return together, found


DOUBLE = "\n".join([read(0, "%row"), add(0, 0, 1), write(1, "%row")])


@pytest.mark.parametrize(
    ("trips", "at_once"), [(0, []), (1, []), (3, []), (4, [3]), (9, [8]), (66, [65])]
)
def test_any_number_of_iterations(trips: int, at_once: list[int]) -> None:
    # Rows from 66 * 3 - 1 on are there: x has 200.
    result, found = both(program(DOUBLE), trips)
    assert found == at_once
    x = arguments(trips)[0]
    np.testing.assert_array_equal(result.arrays["y"][: 3 * trips], 2 * x[: 3 * trips])


def test_few_elements_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacked, "STACKED_ELEMENTS", 3 * 4 * LENGTH)
    assert both(program(DOUBLE), 10)[1] == [4, 4, 1]


LAST_ODD = f"scf.if %odd {{\n{read(2, '%row')}\n}}"
BY_CORE = f"%mine = arith.cmpi eq, %rest, %core : index\nscf.if %mine {{\n{fill(2, 9)}\n}}"
EITHER = f"""
scf.if %odd {{
  {fill(2, 9)}
}} else {{
  sdf.constant #sdf.buffer<{2 * BYTES}, {LENGTH}xf16>, dense<8.0> : tensor<{LENGTH}xf16>
}}"""
INNER = f"""
{fill(3, 0)}
scf.for %j = %c0 to %c3 step %c1 {{
  %at = arith.addi %row, %j : index
  {read(2, "%at")}
  {add(3, 2, 3)}
}}
{write(3, "%row")}"""
INDEPENDENT_INNER = f"""
{read(0, "%row")}
scf.for %j = %c0 to %trips step %c1 {{
  %jj = arith.muli %j, %c3 : index
  %at = arith.addi %jj, %core : index
  {read(2, "%at")}
  {add(0, 2, 3)}
}}
{write(3, "%row")}"""
OTHER_SHAPE = f"""
{read(0, "%row")}
sdf.reshape {buffer(0)} to #sdf.buffer<{BYTES}, {LENGTH}xf16>
sdf.reshape #sdf.buffer<{BYTES}, {LENGTH}xf16> to {buffer(2)}
{write(2, "%row")}"""
ELEMENT = f"""
{read(0, "%row")}
%place = arith.addi %core, %rest : index
%e = sdf.extract {buffer(0)}[0, %place] : f16
sdf.compute vector ins() scalars(%e : f16) outs({buffer(1)})
    {{indexing_maps = [#same], iterator_types = ["parallel", "parallel"]}} {{
^bb0(%a: f16, %b: f16):
  sdf.yield %a : f16
}}
{write(1, "%row")}"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(DOUBLE + "\n" + LAST_ODD, id="written in some iterations"),
        pytest.param(DOUBLE + "\n" + BY_CORE, id="written by some cores"),
        pytest.param(DOUBLE + EITHER, id="the same bytes by different iterations"),
        pytest.param(f"{DOUBLE}\n{fill(2, 7)}\n{BY_CORE}", id="alike, then not"),
        pytest.param(INNER, id="a loop inside that sums up"),
        pytest.param(INDEPENDENT_INNER, id="a loop inside whose last iteration counts"),
        pytest.param(OTHER_SHAPE, id="another shape"),
        pytest.param(ELEMENT, id="an element of each"),
        pytest.param(
            f"{read(0, '%row')}\n{fill(1, 0)}\n{copy(0, 1)}\n{write(1, '%row')}", id="a part"
        ),
        pytest.param(f"{read(0, '%row')}\n{add(0, 3, 1)}\n{write(1, '%row')}", id="read only"),
        pytest.param(
            f"{read(0, '%row')}\n{write(0, '%row')}\n{read(0, '%next')}", id="written again"
        ),
    ],
)
def test_buffers_of_their_own(body: str) -> None:
    assert both(program(body), 12)[1]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"{read(0, '%row')}\n{add(0, 1, 1)}\n{write(1, '%row')}", id="a sum"),
        pytest.param(
            f"{read(0, '%row')}\n{copy(0, 1)}\n{write(1, '%row')}", id="a part of what was there"
        ),
        pytest.param(f"{LAST_ODD}\n{write(2, '%row')}", id="written in some iterations"),
        pytest.param(
            f"{read(0, '%row')}\nsdf.read #sdf.buffer<0, 2x{LENGTH}xf16> from %x[%c0, 0] "
            f"bounds [1, {LENGTH}] strides [{LENGTH}, 1] {{keep}}\n{write(0, '%row')}",
            id="kept out of bounds",
        ),
        pytest.param(
            f"{read(0, '%row')}\nsdf.write {buffer(0)} to %far[%c0, 0] bounds [1, {LENGTH}] "
            f"strides [{LENGTH}, 1] in core %core\n{write(0, '%row')}",
            id="a scratchpad by address",
        ),
    ],
)
def test_what_is_seen_by_the_next_iteration(body: str) -> None:
    assert both(program(body), 12)[1] == []


@pytest.mark.parametrize(
    ("body", "at_once"),
    [
        (DOUBLE.replace("%x[", "%y["), True),
        # Each iteration reads what the one before it wrote.
        (f"{read(0, '%row').replace('%x', '%y')}\n{add(0, 0, 1)}\n{write(1, '%next')}", False),
        # All write to one place, of which the last value stays.
        (f"{read(0, '%row')}\n{write(0, '%core')}", False),
    ],
)
def test_device_memory(body: str, at_once: bool) -> None:
    assert bool(both(program(body), 12)[1]) == at_once


def test_gathers_that_all_cores_share_count_as_such() -> None:
    indices = f"#sdf.buffer<{KEPT * BYTES}, 1xi32>"
    gather = (
        f"sdf.gather {buffer(1)} from %x[%{{at}}, 0] via [{indices}[affine_map<(d0, d1) -> (d0)>], "
        f"_] bounds [200, {LENGTH}] strides [{LENGTH}, 1]"
    )
    before = f"sdf.constant {indices}, dense<1> : tensor<1xi32>"
    alone = f"{read(0, '%row')}\n{write(0, '%row')}\n"
    apart = alone + guarded(gather.format(at="row"))
    assert both(program(apart, before), 12)[1]
    shared = alone + guarded(gather.format(at="i"))
    result, found = both(program(shared, before), 12)
    assert found == []
    assert result.profile.kernels[0].shared_bytes > 0


def test_trips_that_differ_by_core() -> None:
    first = "%c6 = arith.constant 6 : index\n%first = arith.muli %core, %c6 : index"
    text = program(DOUBLE, first, "%first to %trips step %c1")
    # 30, 24 and 18 iterations; the first one of each loop runs alone.
    assert both(text, 30)[1] == [17, 6, 6]


@pytest.mark.parametrize("trips", [67, 70, 90])
@pytest.mark.parametrize("body", [DOUBLE, f"{DOUBLE}\n{INNER}"])
def test_faults_are_those_of_one_iteration_after_the_other(body: str, trips: int) -> None:
    def fault() -> str:
        with pytest.raises(KtirError) as found:
            run(program(body), args=arguments(trips))
        return str(found.value)

    with one_after_the_other():
        alone = fault()
    assert "core 2" in alone
    assert "at coordinate 200" in alone
    assert fault() == alone


numbers = st.integers(0, KEPT - 1)
places = st.sampled_from(["%row", "%next", "%core", "%i"])
simple = st.one_of(
    st.builds(read, numbers, places),
    st.builds(write, numbers, places),
    st.builds(add, numbers, numbers, numbers),
    st.builds(fill, numbers, st.integers(0, 5)),
    st.builds(copy, numbers, numbers).filter(lambda text: "sdf.copy" in text),
)
bodies = st.lists(simple, min_size=1, max_size=5).map("\n".join)


def guarded(body: str) -> str:
    return f"scf.if %odd {{\n{body}\n}}"


def repeated(body: str) -> str:
    return f"scf.for %j = %c0 to %rest step %c1 {{\n{body}\n}}"


parts = st.one_of(simple, bodies.map(guarded), bodies.map(repeated))


@settings(deadline=None, max_examples=300)
@given(st.lists(parts, min_size=1, max_size=6).map("\n".join), st.integers(0, 14))
def test_any_body(body: str, trips: int) -> None:
    both(program(body), trips)
