"""Emission: where every tensor lies in device memory, KTIR kernels, and the host function that
launches them.
"""
