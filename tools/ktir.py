"""`ktir`: the command line.

Owns the list of commands, and what leaves the process: errors as one message on stderr, and the
exit status: 0 if all went well, 1 for a failed comparison or a fault of the program that was run, 2
for bad usage or bad input, 3 for a fault of this toolchain, 130 after an interrupt. Each command is
in a module of its own.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import Annotated

import typer

from ktir.errors import KtirError, MachineError, PassError
from ktir.tools.compile_command import compile_command
from ktir.tools.run_command import run_command

FAULT = 1
BAD_INPUT = 2
INTERNAL = 3
INTERRUPTED = 130

app = typer.Typer(
    name="ktir",
    epilog="Exit status: 0 ok, 1 failed comparison or program fault, 2 bad usage or input, "
    "3 fault of the toolchain, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("compile")(compile_command)
app.command("run")(run_command)


def _show_versions(asked: bool) -> None:
    if asked:
        from ktir.tools.versions import versions

        typer.echo(versions("ktir"))
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_versions, is_eager=True, help="Show versions and exit."
        ),
    ] = False,
) -> None:
    """Compile PyTorch models and KTIR kernels for the Spyre accelerator; run them here."""


def main() -> None:
    """Runs the command that the process's arguments name."""
    try:
        try:
            app(prog_name="ktir")
        finally:
            sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer cannot be written either; leave without another attempt.
        typer.echo(f"error: cannot write the output: {error.strerror}", err=True)
        os._exit(BAD_INPUT)
    except KtirError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(_status(error))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception:  # noqa: BLE001  (the last that can tell)
        # Nothing is known about it, so all of it is shown.
        traceback.print_exc()
        typer.echo("error: a fault of the toolchain itself", err=True)
        sys.exit(INTERNAL)


def _status(error: KtirError) -> int:
    if isinstance(error, MachineError):
        return FAULT
    return INTERNAL if isinstance(error, PassError) else BAD_INPUT


if __name__ == "__main__":
    main()
