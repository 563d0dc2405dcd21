"""All dialects that the machine runs: importing this registers their ops."""

from ktir.machine import (  # noqa: F401
    affine_ops,
    constants,
    control,
    empty_tensors,
    forall,
    index_ops,
    indexed_tensors,
    linalg_ops,
    linalg_pack,
    plan_ops,
    slices,
    spyreop,
    tensor_ops,
)
