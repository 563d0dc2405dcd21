"""MiniLM against PyTorch: embeddings and similarities, in f16 and f32, at three lengths, padded and
masked.

Owns values of a whole stock model. Its saved form is in `test_saved_program.py`, its text in
`test_round_trip.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
import torch
from torch import Tensor

from .minilm import Encoding, encoder, tokens
from .support import LEVELS, assert_same_bits

LENGTHS = (128, 100, 7)


@cache
def expected(length: int, mask_ignored: bool = False) -> Tensor:
    """PyTorch's embeddings in f32; with `mask_ignored`, as if padding were text."""
    ids, mask = tokens(length)
    with torch.no_grad():
        embeddings: Tensor = encoder(torch.float32)(
            ids, torch.ones_like(mask) if mask_ignored else mask
        )
    return embeddings


def is_close_in_half(got: Tensor, reference: Tensor) -> bool:
    """Each embedding within cosine 0.999 of the reference, each pairwise similarity within 2e-3."""
    got = got.float()
    cosine = torch.nn.functional.cosine_similarity(got, reference, dim=1)
    similarity = (got @ got.t() - reference @ reference.t()).abs()
    return bool((cosine >= 0.999).all()) and bool((similarity <= 2e-3).all())


def is_close_in_single(got: Tensor, reference: Tensor) -> bool:
    """Every element within 1e-4."""
    return bool(((got - reference).abs() <= 1e-4).all())


CLOSE = {torch.float16: is_close_in_half, torch.float32: is_close_in_single}


@pytest.mark.parametrize("dtype", CLOSE, ids=str)
@pytest.mark.parametrize("length", LENGTHS)
def test_embeddings(dtype: torch.dtype, length: int, encodings: Callable[..., Encoding]) -> None:
    """The compiled encoder gives PyTorch's embeddings; at the shortest length, at every level."""
    encoding = encodings(dtype, length)
    program, (ids, mask), got = encoding.program, encoding.inputs, encoding.outputs
    assert (mask == 0).any(), "some sentence is padded"
    assert got.dtype == dtype
    assert got.shape == (ids.shape[0], 384)
    reference = expected(length)
    cosine = torch.nn.functional.cosine_similarity(got.float(), reference, dim=1)
    assert CLOSE[dtype](got, reference), (
        f"cosine {cosine.tolist()}, largest difference {(got.float() - reference).abs().max():.2e}"
    )
    for level in LEVELS[:-1] if length == min(LENGTHS) else ():
        assert_same_bits(program.run_level(level, ids, mask), got, f"level {level}")
    everything = program(ids, torch.ones_like(mask))
    assert not CLOSE[dtype](everything, reference), "the compiled mask is an input, not a constant"


@pytest.mark.parametrize("length", LENGTHS)
def test_an_ignored_mask_would_be_seen(length: int) -> None:
    """Embeddings that ignore the mask are outside both tolerances, so that the test above would
    fail.
    """
    reference, ignoring = expected(length), expected(length, mask_ignored=True)
    assert not is_close_in_half(ignoring, reference)
    assert not is_close_in_single(ignoring, reference)


def test_ids_are_inputs(encodings: Callable[..., Encoding]) -> None:
    """Other sentences of the same shape go through the same program."""
    encoding = encodings(torch.float32, 7)
    ids, mask = encoding.inputs
    order = torch.tensor([2, 0, 3, 1])
    got = encoding.program(ids[order], mask[order])
    assert is_close_in_single(got, expected(7)[order])


def test_every_level_at_full_length(encodings: Callable[..., Encoding]) -> None:
    """At the longest length, where tiles are many, `ktir` gives the bits that the machine gives."""
    encoding = encodings(torch.float16, max(LENGTHS))
    got = encoding.program.run_level("ktir", *encoding.inputs)
    assert_same_bits(got, encoding.outputs, "level ktir")
