"""Compiler passes, one a file, by stage. Importing this package registers every pass with MLIR."""
