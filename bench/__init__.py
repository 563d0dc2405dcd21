"""Measurements: each figure as a ratio to a named rival in the same run."""
