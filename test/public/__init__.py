"""The public KTIR files, unmodified, on this toolchain: `make public KTIR_CPU=.. KTIR_FRONTEND=..`.

Owns the check of every example of torch-spyre/ktir-cpu, of every lit test of
torch-spyre/ktir-mlir-frontend, and of kernels that this project makes against that repository's
definitions. Both are given as checkouts; nothing of theirs is kept here.
"""
