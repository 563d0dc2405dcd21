"""Acceptance tests: from a PyTorch model to its values, bytes and files, through the public API and
the commands alone.
"""
