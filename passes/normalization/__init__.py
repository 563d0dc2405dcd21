"""From torch-mlir's linalg to the `linalg` level: one pass a file, their order in `NORMALIZE`."""

from __future__ import annotations

CLEAN = ("canonicalize", "cse")

# Drops what is specific to torch-mlir and brings structured ops into one form.
PREPARE = (
    "ktir-erase-asserts",
    *CLEAN,
    # Before the check: torch-mlir casts pieces of a concatenation to dynamic shapes.
    "ktir-lower-concat",
    "canonicalize",
    "ktir-check-import",
    "ktir-lower-pad",
    "func.func(linalg-generalize-named-ops)",
    "ktir-restore-fills",
    "func.func(linalg-inline-scalar-operands)",
    "ktir-demote-doubles",
    "ktir-lift-constants",
    "ktir-fold-constant-casts",
    "ktir-promote-accumulators",
    *CLEAN,
)

# One round of fusion between barriers. No CSE in between: it would merge the clones.
FUSE = (
    "ktir-compose-views",
    "canonicalize",
    "ktir-fold-unit-dims",
    "ktir-sink-collapses",
    "canonicalize",
    "ktir-fold-coordinates",
    *CLEAN,
    "ktir-clone-cheap-producers",
    "ktir-hoist-elementwise",
    "ktir-insert-barriers",
    "func.func(linalg-fuse-elementwise-ops)",
    "ktir-remove-barriers",
    "ktir-restore-fills",
    *CLEAN,
)

NORMALIZE: tuple[str, ...] = (
    *PREPARE,
    *FUSE,
    # Again, for what has only one user since the first round.
    *FUSE,
    "ktir-compose-views",
    "ktir-split-gathers",
    "canonicalize",
    "ktir-merge-operands",
    *CLEAN,
    "ktir-own-destinations",
    "ktir-check-linalg",
)
