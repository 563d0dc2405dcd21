"""From torch-mlir's linalg to the `linalg` level: one pass a file, their order in `NORMALIZE`."""

from __future__ import annotations

from ktir.passes.normalization import (
    check_import,
    check_linalg,
    clone_cheap_producers,
    compose_views,
    demote_doubles,
    erase_asserts,
    fold_constant_casts,
    fold_coordinates,
    fold_unit_dims,
    hoist_elementwise,
    insert_barriers,
    lift_constants,
    lower_concat,
    lower_pad,
    merge_operands,
    own_destinations,
    promote_accumulators,
    remove_barriers,
    restore_fills,
    sink_collapses,
    split_gathers,
)

CLEAN = ("canonicalize", "cse")

# Drops what is specific to torch-mlir and brings structured ops into one form.
PREPARE = (
    "ktir-check-import",
    "ktir-erase-asserts",
    *CLEAN,
    "ktir-lower-concat",
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
