"""Compiler passes, one a file, by stage. Importing this package registers every pass with MLIR."""

from ktir.passes.registry import register_manifest

register_manifest()
