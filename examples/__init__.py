"""Examples that run: a sentence encoder from PyTorch, and KTIR kernels written by hand."""
