from collections.abc import Callable, Sequence

from ._mlir import ir

def register_dialects(registry: ir.DialectRegistry) -> None: ...
def register_upstream_passes() -> None: ...
def register_pass(
    argument: str,
    description: str,
    anchor: str,
    options: Sequence[tuple[str, str, int, str]],
    callback: Callable[[ir.Operation, list[str]], str | None],
) -> None: ...
def parse_module(
    text: str, name: str, context: ir.Context
) -> tuple[ir.Module | None, list[tuple[int, str, str]]]: ...
def run_pipeline(
    op: ir.Operation, pipeline: str, verify: bool = True, reproducer: str = ""
) -> tuple[bool, list[tuple[int, str, str]]]: ...
def opt_main(argv: Sequence[str]) -> int: ...
