"""The open KTIR compiler toolchain for the Spyre dataflow accelerator.

Owns the public names and nothing else. Each comes from its own module on first use, so that `import
ktir` is immediate and loads neither torch nor torch-mlir.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ktir.api import PreparedKernel, compile_ir, compile_module, load, run_kernel
    from ktir.compiled import Compiled
    from ktir.errors import (
        BoundsError,
        ImportFailure,
        InputError,
        KtirError,
        MachineError,
        PassError,
        PlanError,
        UnsupportedError,
        VerifyError,
    )
    from ktir.options import CompileOptions
    from ktir.profile import Profile

__all__ = [
    "BoundsError",
    "CompileOptions",
    "Compiled",
    "ImportFailure",
    "InputError",
    "KtirError",
    "MachineError",
    "PassError",
    "PlanError",
    "PreparedKernel",
    "Profile",
    "UnsupportedError",
    "VerifyError",
    "compile_ir",
    "compile_module",
    "load",
    "run_kernel",
]

_HOMES = {
    "CompileOptions": "ktir.options",
    "Compiled": "ktir.compiled",
    "PreparedKernel": "ktir.api",
    "Profile": "ktir.profile",
    "compile_ir": "ktir.api",
    "compile_module": "ktir.api",
    "load": "ktir.api",
    "run_kernel": "ktir.api",
}
"""Where the public names live that are not errors."""


def __getattr__(name: str) -> Any:
    """A public name, imported from its module when it is first asked for."""
    if name == "__version__":
        from importlib.metadata import version

        return version("ktir")
    if name not in __all__:
        raise AttributeError(f"module 'ktir' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES.get(name, "ktir.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})


def _refuse_unbuilt_tree() -> None:
    """Raises ImportError, with what to do, where the compiled part of the package is missing."""
    if any(finder.find_spec("ktir.mlir", __path__) for finder in sys.meta_path):
        return
    raise ImportError(
        f"ktir is imported from {__path__[0]}, a source tree that has not been built: the compiled "
        "bindings ktir.mlir are missing. Build and install it from the folder above with `make "
        "setup`, or with `pip install --no-build-isolation -e .` where the build requirements of "
        "pyproject.toml are installed; or leave the tree to use an installed ktir."
    )


_refuse_unbuilt_tree()
