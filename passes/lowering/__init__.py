"""Lowering: KTIR kernels to `sdf` programs on addressed scratchpad buffers."""
