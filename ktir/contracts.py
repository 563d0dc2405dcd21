"""What the IR of each level must satisfy: checked after the passes that end the level, and before
starting from it.

Owns the checks of form (which ops stand where); the rules of single ops are their dialects'
verifiers', the legality of a plan's decisions is `ktir-check-plan`'s. `docs/architecture.md` states
the contracts in prose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ktir.errors import VerifyError
from ktir.inside import ops_inside
from ktir.locations import source_of
from ktir.mlir import ir

_SCALAR = frozenset({"arith", "math"})
_DEVICE = frozenset({"spyreop"})
_LINALG = frozenset({"func", "linalg", "tensor"}) | _SCALAR
_PLAN_TOP = frozenset({"func", "plan", "tensor", "arith"})
_KERNEL = (
    frozenset({"func", "ktdp", "linalg", "tensor", "scf", "memref", "affine", "index", "cf"})
    | {"bufferization"}
    | _SCALAR
    | _DEVICE
)
_HOST = frozenset({"func", "memref", "arith"})
_PROGRAM = frozenset({"sdf", "scf", "cf", "linalg", "index"}) | _SCALAR | _DEVICE


def check_contract(module: ir.Operation, level: str) -> None:
    """Raises VerifyError naming the level, the op, its place and what is allowed there."""
    _CHECKS[level](module)


def main_function(module: ir.Operation) -> ir.Operation | None:
    """The `func.func @main` that a caller of the program means; None for a file of kernels only.

    It is that of `@host`, or a function of the module itself that takes tensors.
    """
    for op in children(module):
        if op.name == "func.func" and symbol(op) == "main" and _takes_arrays(op):
            return op
        if op.name == "builtin.module" and symbol(op) == "host":
            return main_function(op)
    return None


def _takes_arrays(function: ir.Operation) -> bool:
    """Whether a function has a body and all its arguments are tensors or memrefs."""
    kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    arrays = all(isinstance(t, (ir.RankedTensorType, ir.MemRefType)) for t in kind.inputs)
    return arrays and len(function.regions[0].blocks) > 0


def children(op: ir.Operation) -> Iterator[ir.Operation]:
    """The ops of a module-like op's only block."""
    for block in op.regions[0]:
        for inner in block:
            yield inner.operation


def symbol(op: ir.Operation) -> str:
    """The name of a symbol op; "" if it has none."""
    return ir.StringAttr(op.attributes["sym_name"]).value if "sym_name" in op.attributes else ""


def _check_linalg(module: ir.Operation) -> None:
    function = _only_main(module, "linalg")
    _check_signature(function, "linalg")
    _check_dialects(function, _LINALG, "linalg")


def _check_plan(module: ir.Operation) -> None:
    function = _only_main(module, "plan")
    _check_signature(function, "plan")
    for op in children(function):
        if op.name == "plan.kernel":
            _check_dialects(op, _LINALG | {"plan"}, "plan")
        else:
            _check_op(op, _PLAN_TOP, "plan", " outside a plan.kernel")


def _check_ktir(module: ir.Operation) -> None:
    """Files of other tools hold kernels only, in one module or several: there every function is a
    kernel.
    """
    kernels = 0
    for op in _definitions(module):
        kernels += op.name == "func.func" and len(op.regions[0].blocks) > 0
        _check_dialects(op, _KERNEL, "ktir")
    _check_not_empty(module, kernels, "ktir", "a func.func with a body")
    _check_host(module, "ktir")


def _check_sdf(module: ir.Operation) -> None:
    programs = 0
    for op in _definitions(module):
        if op.name == "sdf.program":
            programs += 1
            _check_dialects(op, _PROGRAM, "sdf")
        elif op.name == "func.func" and len(op.regions[0].blocks):
            raise VerifyError(
                f"level sdf: found {_show(op)} @{symbol(op)} among the kernels, expected an "
                "sdf.program"
            )
    if programs == 0 and next(_calls(module), None) is not None:
        raise VerifyError(
            "level sdf: no sdf.program, but @main launches kernels; an empty program is an error"
        )
    _check_not_empty(module, programs, "sdf", "an sdf.program")
    _check_host(module, "sdf")


def _check_not_empty(module: ir.Operation, kernels: int, level: str, kernel: str) -> None:
    """A program may launch nothing, but a file of kernels holds some."""
    if not kernels and main_function(module) is None:
        raise VerifyError(
            f"level {level}: there is nothing to run; expected kernels ({kernel}), or a module "
            "@host with a function @main"
        )


def _definitions(module: ir.Operation) -> Iterator[ir.Operation]:
    """Kernels: what modules other than @host hold."""
    for op in children(module):
        if op.name != "builtin.module":
            yield op
        elif symbol(op) != "host":
            yield from _definitions(op)


def _calls(module: ir.Operation) -> Iterator[ir.Operation]:
    """The launches of @main."""
    function = main_function(module)
    if function is not None:
        yield from (op for op in children(function) if op.name == "func.call")


def _check_host(module: ir.Operation, level: str) -> None:
    for op in children(module):
        if op.name == "builtin.module" and symbol(op) == "host":
            _check_dialects(op, _HOST, level, " in @host")


def _only_main(module: ir.Operation, level: str) -> ir.Operation:
    functions = list(children(module))
    names = [f"@{symbol(op)}" for op in functions]
    if (
        names != ["@main"]
        or functions[0].name != "func.func"
        or len(functions[0].regions[0].blocks) != 1
    ):
        raise VerifyError(
            f"level {level}: expected one function @main of one block, found "
            f"{', '.join(names) or 'nothing'}"
        )
    return functions[0]


def _check_signature(function: ir.Operation, level: str) -> None:
    """Static tensors in and out, and no data left in attributes."""
    kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    for what, types in (("argument", kind.inputs), ("result", kind.results)):
        for number, found in enumerate(types):
            if not isinstance(found, ir.RankedTensorType) or not found.has_static_shape:
                raise VerifyError(
                    f"level {level}: {what} {number} of @main is {found}, expected a tensor of "
                    "static shape"
                )


def _check_dialects(
    root: ir.Operation, allowed: frozenset[str], level: str, where: str = ""
) -> None:
    """Every op inside `root`, at any depth, is of one of the allowed dialects."""
    for op in ops_inside(root):
        _check_op(op, allowed, level, where)


def _check_op(op: ir.Operation, allowed: frozenset[str], level: str, where: str) -> None:
    if op.name.partition(".")[0] not in allowed:
        names = ", ".join(sorted(allowed))
        raise VerifyError(
            f"level {level}: found {_show(op)}{where}, where only ops of {names} may stand"
        )


def _show(op: ir.Operation) -> str:
    place = source_of(str(op.location))
    return f"'{op.name}' at {place}" if place else f"'{op.name}'"


_CHECKS: dict[str, Callable[[ir.Operation], None]] = {
    "linalg": _check_linalg,
    "plan": _check_plan,
    "ktir": _check_ktir,
    "sdf": _check_sdf,
}
