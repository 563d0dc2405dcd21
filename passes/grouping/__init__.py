"""Grouping: which ops share a kernel, and where data has to be laid out anew between kernels."""
