"""Groups of cores for produce and delivery, as affine sets of a core and a group.

A core's place is its position in its group, in ascending core number.
"""

from __future__ import annotations

import dataclasses

from .kernel import Builder


@dataclasses.dataclass(frozen=True)
class Groups:
    """All cores, cut into `count` groups of `size` cores: neighbours, or every count-th core."""

    count: int
    size: int
    strided: bool

    @property
    def all_groups(self) -> str:
        """The set of the groups' numbers."""
        if self.count == 1:
            return "affine_set<(g) : (g == 0)>"
        return f"affine_set<(g) : (g >= 0, -g + {self.count - 1} >= 0)>"

    def cores(self, low: int, high: int) -> str:
        """The set of the cores at places low to high of each group."""
        if self.strided:
            first, last = self.count * low, self.count * high
            mod = f", (i - g) mod {self.count} == 0" if self.count > 1 else ""
            return f"affine_set<(i)[g] : (i - g - {first} >= 0, -i + g + {last} >= 0{mod})>"
        if low == high:
            return f"affine_set<(i)[g] : (i - {self.size} * g - {low} == 0)>"
        return (
            f"affine_set<(i)[g] : (i - {self.size} * g - {low} >= 0, "
            f"-i + {self.size} * g + {high} >= 0)>"
        )

    def place(self, builder: Builder) -> str:
        """The name of this core's place in its group."""
        number = builder.constant(self.count if self.strided else self.size)
        op = "divui" if self.strided else "remui"
        return builder.define(f"arith.{op} %core, {number} : index", "place")

    def among(self, builder: Builder, low: int, high: int) -> str:
        """The name of an i1: whether this core's place is in [low, high]."""
        place = self.place(builder)
        first = builder.define(f"arith.cmpi uge, {place}, {builder.constant(low)} : index")
        last = builder.define(f"arith.cmpi ule, {place}, {builder.constant(high)} : index")
        return builder.define(f"arith.andi {first}, {last} : i1")

    # Dependencies of neighbours, `(p)[c, g]`.

    def same(self) -> str:
        """Each consumer takes its own contribution."""
        return "affine_set<(p)[c] : (p - c == 0)>"

    def mirror(self) -> str:
        """The first place takes from the last."""
        factor = 2 * self.size
        return f"affine_set<(p)[c, g] : (p + c - {factor} * g - {self.size - 1} == 0)>"

    def turned(self, shift: int) -> str:
        """Each place takes from the one that is `shift` further on, in a circle."""
        return (
            f"affine_set<(p)[c, g] : ((p - c - {shift}) mod {self.size} == 0, "
            f"p - {self.size} * g >= 0, -p + {self.size} * g + {self.size - 1} >= 0)>"
        )

    def before(self) -> str:
        """Each place takes from all up to itself."""
        return f"affine_set<(p)[c, g] : (p - {self.size} * g >= 0, -p + c >= 0)>"


def groups(builder: Builder) -> Groups:
    """Some way to cut the cores into groups of one size."""
    counts = [n for n in range(1, builder.cores + 1) if builder.cores % n == 0]
    count = builder.pick(counts)
    return Groups(count, builder.cores // count, builder.chance(2))
