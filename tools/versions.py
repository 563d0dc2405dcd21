"""What `--version` prints."""

from __future__ import annotations


def versions(tool: str) -> str:
    """The tool with the package's version, and MLIR with its own."""
    import ktir
    from ktir.mlir._mlir_libs import _ktir

    return f"{tool} {ktir.__version__}\nMLIR {_ktir.mlir_version()}"
