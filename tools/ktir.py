"""`ktir`: the command line.

Owns the list of commands, and what leaves the process: errors as one message on stderr, and the
exit status: 0 if all went well, 1 for a failed comparison or a fault of the program that was run, 2
for bad usage or bad input, 130 after an interrupt. Each command is in a module of its own.
"""

from __future__ import annotations

import os
import sys

import typer

from ktir.errors import KtirError, MachineError
from ktir.tools.compile_command import compile_command
from ktir.tools.run_command import run_command

FAULT = 1
BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    name="ktir",
    help="Compile PyTorch models and KTIR kernels for the Spyre accelerator; run them here.",
    epilog="Exit status: 0 ok, 1 failed comparison or program fault, 2 bad usage or input.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("compile")(compile_command)
app.command("run")(run_command)


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
        sys.exit(FAULT if isinstance(error, MachineError) else BAD_INPUT)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
