"""What all acceptance tests share: the number of torch threads is put back, targets with small
scratchpads.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import torch

from .bundles import Bundle, make_bundle
from .minilm import Encoding, encode

SMALL_SCRATCHPAD = 64 * 1024
"""Bytes that planners may use in the small target: enough for a stick of each row of an operand."""


@pytest.fixture(autouse=True)
def _restore_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def bundle(request: pytest.FixtureRequest) -> Bundle:
    """An entry of the table compiled at all its sizes; one is there at a time."""
    return make_bundle(*request.param)


@pytest.fixture(scope="session")
def encodings() -> Callable[..., Encoding]:
    """The sentence encoder by (dtype, length, layers), each compiled once a session."""
    return cache(encode)


@pytest.fixture(scope="session")
def small_target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A target file like Spyre whose planners see a scratchpad of `SMALL_SCRATCHPAD` bytes, so that
    tiles are small.
    """
    path = tmp_path_factory.mktemp("targets") / "small.json"
    figure = {
        "value": SMALL_SCRATCHPAD,
        "unit": "bytes",
        "source": "invented for a test",
        "confidence": "E",
    }
    form = {
        "schema": 1,
        "name": "small",
        "base": "spyre",
        "figures": {"scratchpad.plannable_bytes": figure},
    }
    path.write_text(json.dumps(form))
    return path
