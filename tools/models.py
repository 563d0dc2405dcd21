"""MODEL on the command line: a factory, a `.pt2` file, or MLIR of a level.

Owns finding and loading it; compiling is `ktir.api`'s.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ktir.errors import InputError, KtirError
from ktir.levels import IR_SUFFIXES

if TYPE_CHECKING:
    from torch import Tensor

    from ktir.compiled import Compiled
    from ktir.frontend.export import Exported
    from ktir.options import CompileOptions

FORMS = (
    "package.module:factory (a function that returns module, args, kwargs), a .pt2 file, "
    "NAME.LEVEL.mlir, or NAME.ktir"
)


def build(
    model: str,
    last: str,
    options: CompileOptions,
    weights: Path | None,
    notify: Callable[[str], None],
) -> Compiled:
    """Compiles MODEL up to level `last`. `weights` belong to the arguments of an MLIR file.

    Raises InputError if MODEL has none of the known forms or cannot be loaded, and what compiling
    raises.
    """
    from ktir.api import compile_exported, compile_ir

    if model.endswith(IR_SUFFIXES):
        like, state = state_of(weights)
        return compile_ir(Path(model), None, state, like, last, options, notify)
    if weights is not None:
        raise InputError(f"--weights is for files of IR; {model} brings its own")
    notify("torch")
    return compile_exported(load_exported(model), last, options, notify)


def state_of(weights: Path | None) -> tuple[Compiled | None, dict[str, Tensor] | None]:
    """The program or the tensors that `--weights` names."""
    from ktir.api import load
    from ktir.package import SUFFIX
    from ktir.tools.arrays import read_all

    if weights is None:
        return None, None
    return (load(weights), None) if weights.suffix == SUFFIX else (None, read_all(weights))


def load_exported(model: str) -> Exported:
    """The exported graph of a factory's model or of a `.pt2` file."""
    if model.endswith(".pt2"):
        return _load_program(model)
    if ":" not in model:
        raise InputError(f"MODEL: found {model!r}, expected {FORMS}")
    from ktir.frontend.export import export_model

    module, args, kwargs = _call_factory(model)
    return export_model(module, args, kwargs)


def _load_program(path: str) -> Exported:
    import torch

    from ktir.frontend.export import from_program

    if not Path(path).is_file():
        raise InputError(f"cannot read {path}: no such file")
    try:
        with _no_log():
            program = torch.export.load(path)
    except Exception as error:
        raise InputError(f"{path} is no program that torch.export.save wrote: {error}") from error
    return from_program(program)


@contextlib.contextmanager
def _no_log() -> Iterator[None]:
    """Holds back log lines of torch, which repeat the exception that it raises."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _call_factory(model: str) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """What the factory returns, checked. User code may fail in any way; that is bad input."""
    factory = _find_factory(model)
    try:
        made = factory()
    except KtirError:
        raise
    except Exception as error:
        raise InputError(f"{model} failed: {_reason(error)}") from error
    return _parts(model, made)


def _find_factory(model: str) -> Callable[[], Any]:
    name, _, attribute = model.partition(":")
    if not name or not attribute:
        raise InputError(f"MODEL: found {model!r}, expected {FORMS}")
    if "" not in sys.path:
        sys.path.insert(0, "")  # the current folder, as `python -m` has it
    try:
        found = importlib.import_module(name)
    except Exception as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and f"{name}.".startswith(f"{missing}."):
            raise InputError(
                f"cannot import {name!r}: there is no module {missing!r} here or among installed "
                f"packages; MODEL may be {FORMS}"
            ) from error
        raise InputError(f"cannot import {name!r}: {_reason(error)}") from error
    factory = getattr(found, attribute, None)
    if not callable(factory):
        functions = [n for n, v in vars(found).items() if callable(v) and not n.startswith("_")]
        raise InputError(
            f"{name} has no function {attribute!r}; it has {', '.join(functions[:8]) or 'none'}"
        )
    return factory  # type: ignore[no-any-return]


def _parts(model: str, made: Any) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    from torch import Tensor, nn

    parts = made if isinstance(made, tuple) else (made,)
    if not 2 <= len(parts) <= 3 or not isinstance(parts[0], nn.Module):
        kinds = ", ".join(type(part).__name__ for part in parts)
        raise InputError(f"{model} returned ({kinds}), expected (module, args, kwargs)")
    args = (parts[1],) if isinstance(parts[1], Tensor) else parts[1]
    kwargs = parts[2] if len(parts) == 3 else {}
    if not isinstance(args, (tuple, list)) or not isinstance(kwargs, dict):
        raise InputError(
            f"{model} returned args of type {type(args).__name__} and kwargs of type "
            f"{type(kwargs).__name__}, expected a tuple and a dict"
        )
    return parts[0], tuple(args), kwargs


def _reason(error: Exception) -> str:
    """The exception and, if it is user code's, where it was raised. The first frame is ours."""
    from ktir.frontend.source import raised_at

    assert error.__traceback__ is not None
    lines = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    place = raised_at(error.__traceback__.tb_next)
    return text if place.startswith("unknown") else f"{text}, at {place}"
