"""The stock sentence encoder with its real weights imports, and its graph computes what it does."""

from __future__ import annotations

import pytest
import torch
from end_to_end.minilm import encoder, tokens
from torch.nn import functional as F

from ktir.frontend.importer import import_model

LENGTH = 128


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32], ids=str)
def test_the_encoder_imports(dtype: torch.dtype) -> None:
    model = encoder(dtype)
    ids, mask = (tensor[:2] for tensor in tokens(LENGTH))
    imported = import_model(model, (ids, mask))
    kinds = [str(argument.kind) for argument in imported.arguments]
    assert kinds.count("parameter") == 101  # the pooler's two are not used
    assert [a.name for a in imported.arguments if a.tensor is None] == [
        "input_ids",
        "attention_mask",
    ]
    assert [result.shape for result in imported.results] == [(2, 384)]
    assert "f64" not in imported.text
    assert "dense<[" not in imported.text
    assert "encoder.encoder.layer.5.attention.self" in imported.text
    assert "modeling_bert.py" in imported.text
    with torch.no_grad():
        expected = model(ids, mask)
        result = imported.program.module()(ids, mask)
    assert (F.cosine_similarity(result.double(), expected.double()) > 0.9999).all()
