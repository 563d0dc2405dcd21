"""The public definitions of `ktdp` and `spyreop` as data, and what of a module they do not accept.

Owns reading them, `.td` files of ktir-mlir-frontend, with LLVM's `llvm-tblgen --dump-json`, which
comes with the packages that this project is built with.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOTS = ("include/ktir/Dialect/KTDP/KTDP.td", "include/Ktdp/KtdpOps.td")
"""Where the ops of `ktdp` are defined: today, and in older states of the repository."""

INTRINSICS = "include/ktir/Dialect/SpyreOp/SpyreOp.td"
"""Where those of `spyreop` are, in newer states."""

PUBLIC = ("ktdp", "spyreop")

OURS = ("plan", "sdf")
"""Dialects that only this project has."""

SPECIFIED = (
    "ktdp.inter_tile_produce",
    "ktdp.inter_tile_consume",
    "ktdp.inter_tile_reduce",
    "ktdp.inter_tile_reduce_scatter",
    "ktdp.inter_tile_gather",
    "ktdp.inter_tile_all_to_all",
    "ktdp.inter_tile_scatter",
)
"""Ops that the frontend specifies in `docs/inter-tile-communication.md`; which of them are defined
depends on its state, as do the ops of `spyreop`."""

SPELLINGS = {
    "spyre_memory_space<HBM>": "memory_space<global>",
    "spyre_memory_space<LX>": "memory_space<ct_local>",
    "spyre_memory_space<LX, core = ": "memory_space<ct_local, ct_id = ",
}
"""Memory spaces in the two spellings that public files use; a state of the frontend knows one."""

SEGMENTS = {"operandSegmentSizes", "resultSegmentSizes"}


@dataclasses.dataclass(frozen=True)
class PublicOp:
    """What the definition of an op says.

    `operands` and `results`: the least number of each, and whether there may be more; `words`: what
    its text must contain, in order, None if a parser in C++ decides.
    """

    attributes: frozenset[str]
    operands: tuple[int, bool]
    results: tuple[int, bool]
    regions: int
    words: tuple[str, ...] | None


@dataclasses.dataclass(frozen=True)
class Grammar:
    """Ops by full name, and the mnemonics of types and attributes."""

    ops: Mapping[str, PublicOp]
    mnemonics: frozenset[str]

    def refusals(self, module: Any) -> list[str]:
        """What of a module the definitions do not accept: op and reason, each once."""
        found = dict.fromkeys(
            f"{op.name}: {reason}" for op in _walk(module) for reason in self._reasons(op)
        )
        used = set(re.findall(r"[!#](?:ktdp|spyreop)\.(\w+)", self.respelled(str(module))))
        unknown = sorted(used - self.mnemonics)
        return [*found, *(f"{name} is no public type or attribute" for name in unknown)]

    def undefined(self, module: Any) -> list[str]:
        """The ops of a module that the frontend specifies and these definitions lack."""
        used = dict.fromkeys(op.name for op in _walk(module))
        newer = [name for name in used if name in SPECIFIED or name.startswith("spyreop.")]
        return [name for name in newer if name not in self.ops]

    def respelled(self, text: str) -> str:
        """The text with memory spaces as the definitions spell them."""
        for one, other in SPELLINGS.items():
            if "spyre_memory_space" in self.mnemonics:
                text = text.replace(f"#ktdp.{other}", f"#ktdp.{one}")
            else:
                text = text.replace(f"#ktdp.{one}", f"#ktdp.{other}")
        return text

    def _reasons(self, op: Any) -> Iterator[str]:
        dialect = op.name.partition(".")[0]
        if dialect in OURS:
            yield "of a dialect of this project"
        if dialect not in PUBLIC:
            return
        public = self.ops.get(op.name)
        if public is None:
            yield "no public op"
            return
        attributes = {op.attributes[i].name for i in range(len(op.attributes))}
        for name in sorted(attributes - public.attributes - SEGMENTS):
            yield f"attribute {name} is not public"
        for what, count, (least, more) in (
            ("operands", len(op.operands), public.operands),
            ("results", len(op.results), public.results),
        ):
            if count < least or (count > least and not more):
                yield f"{count} {what}, public are {least}{' or more' if more else ''}"
        if len(op.regions) != public.regions:
            yield f"{len(op.regions)} regions, public are {public.regions}"
        if public.words is not None and not _in_order(public.words, str(op)):
            yield f"text without {' '.join(public.words)}"


def read_grammar(checkout: Path) -> Grammar:
    """The definitions of a checkout. Raises FileNotFoundError if there are none."""
    roots = [checkout / root for root in ROOTS if (checkout / root).is_file()]
    if not roots:
        raise FileNotFoundError(f"{checkout} defines no ktdp: none of {', '.join(ROOTS)} is there")
    ops: dict[str, PublicOp] = {}
    mnemonics: set[str] = set()
    intrinsics = [checkout / INTRINSICS] if (checkout / INTRINSICS).is_file() else []
    for root in (roots[0], *intrinsics):
        records = _records(checkout, root)
        kinds = records["!instanceof"]
        for name in kinds["Op"]:
            record = records[name]
            dialect = records[record["opDialect"]["def"]]["name"]
            ops[f"{dialect}.{record['opName']}"] = _op(record, records)
        named = [*kinds.get("TypeDef", ()), *kinds.get("AttrDef", ())]
        mnemonics |= {records[name].get("mnemonic") for name in named} - {None, ""}
    return Grammar(ops, frozenset(mnemonics))


def _records(checkout: Path, root: Path) -> Any:
    """Everything that a `.td` file defines."""
    tblgen = _package("llvm") / "bin" / "llvm-tblgen"
    folders = (checkout / "include", _package("mlir") / "include")
    command = [str(tblgen), "--dump-json", *(f"-I{folder}" for folder in folders), str(root)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def _package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"the package {name}, with llvm-tblgen, is not installed")
    return Path(next(iter(spec.submodule_search_locations)))


def _op(record: Mapping[str, Any], records: Mapping[str, Any]) -> PublicOp:
    kinds = records["!instanceof"]
    of_attribute = set(kinds["AttrConstraint"]) | set(kinds.get("AttrDef", ()))
    repeated = set(kinds.get("Variadic", ())) | set(kinds.get("Optional", ()))

    def count(definitions: list[str]) -> tuple[int, bool]:
        more = [name for name in definitions if name in repeated]
        return len(definitions) - len(more), bool(more)

    arguments = [(kind["def"], name) for kind, name in record["arguments"]["args"]]
    return PublicOp(
        frozenset(name for kind, name in arguments if kind in of_attribute),
        count([kind for kind, _ in arguments if kind not in of_attribute]),
        count([kind["def"] for kind, _ in record["results"]["args"]]),
        len(record["regions"]["args"]),
        _words(record),
    )


def _words(record: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The literals of a declared format that no option may leave out."""
    if record["hasCustomAssemblyFormat"] or not record["assemblyFormat"]:
        return None
    unquoted = record["assemblyFormat"].replace("`(`", "").replace("`)`", "")
    required = re.sub(r"\([^()]*\)\s*\?", "", unquoted)
    return tuple(word for word in re.findall(r"`([^`]*)`", required) if word.strip())


def _in_order(words: tuple[str, ...], text: str) -> bool:
    at = 0
    for word in words:
        at = text.find(word, at) + 1
        if at == 0:
            return False
    return True


def _walk(op: Any) -> Iterator[Any]:
    yield op
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _walk(inner.operation)
