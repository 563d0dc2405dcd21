"""Tiling: how much of its share a core holds in the scratchpad at a time."""
