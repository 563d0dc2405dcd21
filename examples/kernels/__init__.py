"""KTIR kernels written by hand, each with what its numbers must be.

`NAME.mlir` is the kernel, its header comment explains it; `NAME.py` holds `ORACLE`, see `contract`.
`python -m examples.kernels` runs them.
"""
