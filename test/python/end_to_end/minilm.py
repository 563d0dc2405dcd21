"""The sentence encoder of `examples.minilm` as tests use it: shallower, other lengths, compiled.

Owns the tests' sentences. The model, its weights and its tokenizer are the example's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

import ktir
from examples import minilm

SENTENCES = (*minilm.SENTENCES[:3], "Hi!")
"""The example's first, and one so short that even a few tokens leave padding."""


def encoder(dtype: torch.dtype, layers: int = 6) -> minilm.SentenceEncoder:
    """The encoder with its real weights in `dtype`, in eval mode; `layers` of its 6 layers."""
    model = minilm.encoder(dtype)
    stack: Any = model.encoder.encoder
    stack.layer = stack.layer[:layers]
    return model


@cache
def tokens(length: int) -> tuple[Tensor, Tensor]:
    """(ids, mask) of the sentences, int64 [sentences, length], cut and padded to the length."""
    return minilm.tokens(SENTENCES, length)


@dataclass(frozen=True)
class Encoding:
    """The compiled encoder, padded inputs and what it gave for them."""

    program: ktir.Compiled
    inputs: tuple[Tensor, Tensor]
    outputs: Tensor


def encode(dtype: torch.dtype, length: int, layers: int = 6) -> Encoding:
    """Compiles the encoder for the sentences at a length and runs it."""
    inputs = tokens(length)
    program = ktir.compile_module(encoder(dtype, layers), inputs)
    return Encoding(program, inputs, program(*inputs))
