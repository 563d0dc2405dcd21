"""What `embedding_gather.mlir` computes: rows of a table, exactly."""

from __future__ import annotations

import numpy as np

from examples.kernels.contract import Case, Inputs, Oracle, Results, blank, half, wide


def inputs(case: Case, seed: int) -> Inputs:
    tokens, vocabulary, width = case["tokens"], case["vocabulary"], case["width"]
    return {
        "ids_ptr": np.random.default_rng(seed).integers(0, vocabulary, tokens),
        "table_ptr": half(seed, vocabulary, width),
        "out_ptr": blank(tokens, width),
        "tokens": tokens,
        "vocabulary": vocabulary,
        "width": width,
    }


def expected(given: Inputs) -> Results:
    return {"out_ptr": wide(given["table_ptr"])[given["ids_ptr"]]}


ORACLE = Oracle(
    cases=[
        {"tokens": tokens, "vocabulary": vocabulary, "width": width}
        for tokens, vocabulary, width in [
            (700, 5000, 1024),
            (1, 1, 1),
            (17, 3, 64),
            (33, 100, 63),
            (513, 40, 1025),
        ]
    ],
    inputs=inputs,
    expected=expected,
)
