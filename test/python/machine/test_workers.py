"""Threads: the machine takes one, and gives torch its own back whatever happens."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from ktir.machine.workers import LARGE, running, together


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_one_thread_while_running() -> None:
    with running():
        assert torch.get_num_threads() == 1
        assert not torch.is_grad_enabled()
    assert torch.get_num_threads() == 2
    assert torch.is_grad_enabled()


def test_threads_are_back_after_an_error() -> None:
    with pytest.raises(ValueError, match="stop"), running():
        raise ValueError("stop")
    assert torch.get_num_threads() == 2


def test_large_products_use_all_threads() -> None:
    with running(), running():
        with together(LARGE):
            assert torch.get_num_threads() == 2
        with together(LARGE - 1):
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 1


def test_products_outside_a_run_leave_threads_alone() -> None:
    with together(LARGE):
        assert torch.get_num_threads() == 2
