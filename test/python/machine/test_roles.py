"""The table of what ops are to those who run kernels in other ways."""

from __future__ import annotations

import pytest

from ktir.machine.roles import ROLES, Role, may_be_stacked, moves_data, role_of
from ktir.modules import new_context


def test_the_table_names_ops_that_there_are() -> None:
    context = new_context()
    assert [name for name in ROLES if not context.is_registered_operation(name)] == []


@pytest.mark.parametrize(
    ("name", "role", "stacked", "moves"),
    [
        ("arith.addi", Role.COMPUTES, True, False),
        ("linalg.yield", Role.ENDS, True, False),
        ("ktdp.load", Role.READS, True, True),
        ("sdf.gather", Role.INDIRECT, True, True),
        ("sdf.receive", Role.WRITES, False, True),
        ("ktdp.inter_tile_reduce", Role.READS, False, True),
        ("cf.assert", Role.FILLS, False, False),
        ("func.call", None, False, False),
    ],
)
def test_roles(name: str, role: Role | None, stacked: bool, moves: bool) -> None:
    assert (role_of(name), may_be_stacked(name), moves_data(name)) == (role, stacked, moves)
