"""What a pass written in Python is: a frozen dataclass whose fields are its options.

Owns the base class, the options' schema and the registration with MLIR's pass registry. The passes
themselves live in the folders of their stage; `ktir.pipeline` states their order.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar, get_type_hints

from ktir.errors import InputError, KtirError
from ktir.mlir import ir
from ktir.passes.registry import register_native


@dataclasses.dataclass(frozen=True)
class ModulePass:
    """Base of all passes. Subclasses are frozen dataclasses; `NAME` is the pass's name in textual
    pipelines.

    The docstring's first paragraph is the description that `ktir-opt --help` shows. A pass fails by
    raising: a `KtirError` becomes a diagnostic with its text, anything else one that calls it an
    internal error.
    """

    NAME: ClassVar[str]
    ANCHOR: ClassVar[str] = "builtin.module"

    def __post_init__(self) -> None:
        """Raises InputError for an option below its bound."""
        for field in dataclasses.fields(self):
            value, least = getattr(self, field.name), field.metadata.get("least")
            if least is not None and value < least:
                raise InputError(
                    f"option {_option_name(field)} of {self.NAME}: found {value}, "
                    f"expected at least {least}"
                )

    @classmethod
    @functools.cache
    def option_types(cls) -> Mapping[str, Any]:
        """The types of the options by field."""
        return get_type_hints(cls)

    def run(self, module: ir.Operation) -> None:
        """Rewrites `module` in place. No wrapper of an op may be kept after the pass."""
        raise NotImplementedError


# Codes of KtirOptionKind in python/capi/KtirCAPI.h, by annotated type.
_KINDS: dict[Any, int] = {
    bool: 0,
    int: 1,
    float: 2,
    str: 3,
    tuple[int, ...]: 4,
    tuple[str, ...]: 5,
}

_PARSERS: dict[Any, Callable[[str], Any]] = {
    bool: lambda text: text == "true",
    int: int,
    float: float,
    str: str,
    tuple[int, ...]: lambda text: tuple(int(part) for part in text.split(",") if part),
    tuple[str, ...]: lambda text: tuple(part for part in text.split(",") if part),
}

P = TypeVar("P", bound=ModulePass)


def option(default: Any, description: str, *, least: int | None = None) -> Any:
    """A pass option: its default, the text that `--help` shows and the least value that is legal.
    `snake_case` fields become `kebab-case` options.
    """
    return dataclasses.field(default=default, metadata={"description": description, "least": least})


def register(cls: type[P]) -> type[P]:
    """Class decorator: makes the dataclass pass known to MLIR under `cls.NAME` with its fields as
    typed options.
    """

    def callback(op: ir.Operation, texts: list[str]) -> str | None:
        return execute(cls, op, texts)

    register_native(describe(cls), callback)
    return cls


def describe(cls: type[ModulePass]) -> dict[str, Any]:
    """The manifest entry of a pass: its name, home, description and the schema of its options."""
    hints = cls.option_types()
    return {
        "name": cls.NAME,
        "module": cls.__module__,
        "class": cls.__name__,
        "description": _first_paragraph(inspect.getdoc(cls) or cls.NAME),
        "anchor": cls.ANCHOR,
        "options": [
            [
                _option_name(field),
                field.metadata["description"],
                _KINDS[hints[field.name]],
                _text(field.default),
            ]
            for field in dataclasses.fields(cls)
        ],
    }


def execute(cls: type[ModulePass], op: ir.Operation, texts: list[str]) -> str | None:
    """Runs a pass with its options in textual form, in order of declaration; returns the text of a
    failure.
    """
    hints = cls.option_types()
    try:
        values = {
            field.name: _PARSERS[hints[field.name]](text)
            for field, text in zip(dataclasses.fields(cls), texts, strict=True)
        }
        cls(**values).run(op)
    except KtirError as error:
        return str(error)
    # MLIR's frames are built without exceptions: whatever happens here has to become a diagnostic.
    except Exception as error:  # noqa: BLE001
        return f"internal error in pass {cls.NAME}: {type(error).__name__}: {error}{_origin(error)}"
    return None


def _first_paragraph(text: str) -> str:
    """On one line."""
    return " ".join(text.partition("\n\n")[0].split())


def _option_name(field: dataclasses.Field[Any]) -> str:
    return field.name.replace("_", "-")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(str(part) for part in value)
    return str(value)


def _origin(error: Exception) -> str:
    frames = inspect.getinnerframes(error.__traceback__) if error.__traceback__ else []
    return f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
