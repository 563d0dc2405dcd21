"""Random bodies of kernels: elementwise ops, slices, loops, branches and exchanges on tiles of one
shape."""

from __future__ import annotations

from hypothesis import strategies as st
from ktdp_text import identity
from sdf_kernels import T


class Program:
    """A random body on tiles: every op takes any values that are visible."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._lines: list[str] = []
        self._count = 0

    def text(self) -> str:
        visible = ["%a", "%b"]
        self._block(visible, depth=0, length=self._draw(st.integers(2, 8)))
        total = visible[-1]
        for value in visible[2:-1]:
            total = self._binary(total, value)
        self._lines.append(f"%zero = arith.constant dense<0.0> : {T}")
        self._lines.append(f"%r = arith.addf {total}, %zero : {T}")
        return "\n".join(self._lines)

    def _block(self, visible: list[str], depth: int, length: int) -> None:
        kinds = ["binary", "unary", "onto", "insert", "transpose", "splat"]
        for _ in range(length):
            choices = [*kinds, "for", "for", "if", "while", "forall"] if depth < 2 else kinds
            # A loop with another number of turns on each core would make cores wait for ever.
            choices = [*choices, "exchange"] if depth == 0 else choices
            getattr(self, f"_add_{self._draw(st.sampled_from(choices))}")(visible, depth)

    def _pick(self, visible: list[str]) -> str:
        return self._draw(st.sampled_from(visible))

    def _name(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def _binary(self, a: str, b: str) -> str:
        name = self._name()
        op = self._draw(st.sampled_from(["addf", "subf", "maximumf"]))
        self._lines.append(f"{name} = arith.{op} {a}, {b} : {T}")
        return name

    def _add_binary(self, visible: list[str], depth: int) -> None:
        visible.append(self._binary(self._pick(visible), self._pick(visible)))

    def _add_unary(self, visible: list[str], depth: int) -> None:
        name = self._name()
        self._lines.append(f"{name} = arith.negf {self._pick(visible)} : {T}")
        visible.append(name)

    def _add_splat(self, visible: list[str], depth: int) -> None:
        name = self._name()
        number = self._draw(st.integers(1, 9)) / 8
        self._lines.append(f"{name} = arith.constant dense<{number}> : {T}")
        visible.append(name)

    def _add_onto(self, visible: list[str], depth: int) -> None:
        name = self._name()
        self._lines.append(
            f"{name} = linalg.generic {{indexing_maps = [{identity(2)}, {identity(2)}], "
            f'iterator_types = ["parallel", "parallel"]}} ins({self._pick(visible)} : {T}) '
            f"outs({self._pick(visible)} : {T}) {{\n^bb0(%i: f16, %o: f16):\n"
            f"%s = arith.subf %o, %i : f16\nlinalg.yield %s : f16\n}} -> {T}"
        )
        visible.append(name)

    def _add_insert(self, visible: list[str], depth: int) -> None:
        part, name = self._name(), self._name()
        at = self._draw(st.integers(0, 4))
        self._lines.append(
            f"{part} = tensor.extract_slice {self._pick(visible)}[{at}, 0] [4, 32] [1, 2] : "
            f"{T} to tensor<4x32xf16>"
        )
        self._lines.append(
            f"{name} = tensor.insert_slice {part} into {self._pick(visible)}[0, {at}] "
            f"[4, 32] [2, 1] : tensor<4x32xf16> into {T}"
        )
        visible.append(name)

    def _add_transpose(self, visible: list[str], depth: int) -> None:
        name = self._name()
        flipped = "affine_map<(d0, d1) -> (d1, d0)>"
        square = "tensor<8x8xf16>"
        part, turned = self._name(), self._name()
        source = self._pick(visible)
        self._lines.append(
            f"{part} = tensor.extract_slice {source}[0, 8] [8, 8] [1, 1] : {T} to {square}\n"
            f"{turned} = linalg.generic {{indexing_maps = [{flipped}, {identity(2)}], "
            f'iterator_types = ["parallel", "parallel"]}} ins({part} : {square}) '
            f"outs({part} : {square}) {{\n^bb0(%i: f16, %o: f16):\n"
            f"linalg.yield %i : f16\n}} -> {square}\n"
            f"{name} = tensor.insert_slice {turned} into {source}[0, 0] [8, 8] [1, 1] : "
            f"{square} into {T}"
        )
        visible.append(name)

    def _add_for(self, visible: list[str], depth: int) -> None:
        count = self._draw(st.integers(1, 3))
        name = self._name()
        arguments = [self._name() for _ in range(count)]
        inits = ", ".join(f"{argument} = {self._pick(visible)}" for argument in arguments)
        types = ", ".join([T] * count)
        turns = self._draw(st.sampled_from(["%c0", "%c1", "%c3", "%core"]))
        self._lines.append(
            f"{name}:{count} = scf.for %i{self._count} = %c0 to {turns} step %c1 "
            f"iter_args({inits}) -> ({types}) {{"
        )
        self._inner([*visible, *arguments], depth, arguments, count)
        visible += [f"{name}#{i}" for i in range(count)]

    def _add_if(self, visible: list[str], depth: int) -> None:
        count = self._draw(st.integers(1, 2))
        condition, name = self._name(), self._name()
        types = ", ".join([T] * count)
        self._lines.append(f"{condition} = arith.cmpi ult, %core, %c1 : index")
        self._lines.append(f"{name}:{count} = scf.if {condition} -> ({types}) {{")
        self._inner(list(visible), depth, [], count)
        self._lines[-1] += " else {"
        self._inner(list(visible), depth, [], count)
        visible += [f"{name}#{i}" for i in range(count)]

    def _add_while(self, visible: list[str], depth: int) -> None:
        count = self._draw(st.integers(1, 2))
        name, turn, more, next_ = (self._name() for _ in range(4))
        before = [self._name() for _ in range(count)]
        after = [self._name() for _ in range(count)]
        inits = ", ".join(f"{value} = {self._pick(visible)}" for value in before)
        types = ", ".join([T] * count)
        turns = self._draw(st.sampled_from(["%c1", "%c3", "%core"]))
        self._lines.append(
            f"{name}:{count + 1} = scf.while ({turn} = %c0, {inits}) : (index, {types}) -> "
            f"(index, {types}) {{"
        )
        inner = [*visible, *before]
        self._block(inner, depth + 1, self._draw(st.integers(0, 2)))
        passed = ", ".join(self._pick(inner[-3:]) for _ in range(count))
        self._lines.append(f"{more} = arith.cmpi ult, {turn}, {turns} : index")
        self._lines.append(f"scf.condition({more}) {turn}, {passed} : index, {types}")
        arguments = ", ".join(f"{value}: {T}" for value in after)
        self._lines.append(f"}} do {{\n^bb0({turn}: index, {arguments}):")
        inner = [*visible, *after]
        self._block(inner, depth + 1, self._draw(st.integers(0, 2)))
        yielded = ", ".join(self._pick(inner[-3:]) for _ in range(count))
        self._lines.append(f"{next_} = arith.addi {turn}, %c1 : index")
        self._lines.append(f"scf.yield {next_}, {yielded} : index, {types}\n}}")
        visible += [f"{name}#{i + 1}" for i in range(count)]

    def _add_forall(self, visible: list[str], depth: int) -> None:
        name, turn, shared, part = (self._name() for _ in range(4))
        row = "tensor<1x64xf16>"
        self._lines.append(
            f"{name} = scf.forall ({turn}) in (8) shared_outs({shared} = {self._pick(visible)}) "
            f"-> ({T}) {{"
        )
        inner = [*visible, shared]
        self._block(inner, depth + 1, self._draw(st.integers(0, 2)))
        source = self._pick(inner[-3:])
        self._lines.append(
            f"{part} = tensor.extract_slice {source}[{turn}, 0] [1, 64] [1, 1] : {T} to {row}\n"
            f"scf.forall.in_parallel {{\ntensor.parallel_insert_slice {part} into {shared}"
            f"[{turn}, 0] [1, 64] [1, 1] : {row} into {T}\n}}\n}}"
        )
        visible.append(name)

    def _add_exchange(self, visible: list[str], depth: int) -> None:
        future, group, name, a, b, identity_ = (self._name() for _ in range(6))
        pairs = "affine_set<(i)[g] : (i - 2 * g >= 0, -i + 2 * g + 1 >= 0)>"
        type_ = f"<({T}), groups = affine_set<(g) : (g == 0)>>"
        partial = self._pick(visible)
        kind = self._draw(st.sampled_from(["reduce", "consume", "all_to_all"]))
        self._lines.append(
            f"{future} = ktdp.inter_tile_produce producer_tiles_per_group = {pairs} -> {type_} {{\n"
            f"^bb0({group}: index):"
        )
        inner = list(visible)
        self._block(inner, 2, self._draw(st.integers(0, 2)))
        partial = self._pick(inner[-3:])
        self._lines.append(f"ktdp.yield_partial {partial} : {T}\n}}")
        # Between a publication and its delivery other values come and go.
        self._block(visible, depth + 1, self._draw(st.integers(0, 2)))
        if kind == "reduce":
            self._lines.append(
                f"{identity_} = arith.constant dense<0.0> : {T}\n"
                f"{name} = ktdp.inter_tile_reduce({future}) consumer_tiles_per_group = {pairs}, "
                f"identity({identity_} : {T}) : {type_} -> {T} {{\n^bb0({a}: {T}, {b}: {T}):\n"
                f"{group}s = arith.addf {a}, {b} : {T}\nktdp.yield_reduced {group}s : {T}\n}}"
            )
        elif kind == "consume":
            other = "affine_set<(p)[c, g] : (p + c - 4 * g - 1 == 0)>"
            self._lines.append(
                f"{name} = ktdp.inter_tile_consume({future}) consumer_tiles_per_group = {pairs}, "
                f"producer_dependency_per_consumer = {other} : {type_} -> {T}"
            )
        else:
            self._lines.append(
                f"{name} = ktdp.inter_tile_all_to_all({future}) "
                f"consumer_tiles_per_group = {pairs}, split_dimensions = [0], "
                f"concat_dimensions = [0] : {type_} -> {T}"
            )
        visible.append(name)

    def _inner(self, visible: list[str], depth: int, arguments: list[str], count: int) -> None:
        self._block(visible, depth + 1, self._draw(st.integers(0, 4)))
        preferred = st.sampled_from([*arguments, *visible[-3:]])
        yields = ", ".join(self._draw(preferred) for _ in range(count))
        self._lines.append(f"scf.yield {yields} : {', '.join([T] * count)}")
        self._lines.append("}")


@st.composite
def programs(draw: st.DrawFn) -> str:
    return Program(draw).text()
