"""The machine: runs programs of every level on torch CPU tensors, for all cores at once.

`numerics` and `table` say what scalars and sums are, `structured` what a structured op is, `decode`
turns IR into closures, and one module a dialect adds its ops.
"""
