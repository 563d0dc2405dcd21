"""Forms of KTIR that are not generated yet, by the levels that lack them.

The one list of known gaps of the property tests: a form that is missing at `sdf` is generated in
kernels that are run at `ktir` only; one that is missing at `ktir` as well is not generated. Take a
line away to have the form tested.
"""

from __future__ import annotations

LEVELS = ("ktir", "sdf")

MISSING: dict[str, tuple[str, ...]] = {}
"""Form to the levels at which it is missing."""


def has(level: str, form: str) -> bool:
    """Whether a level has a form."""
    return level not in MISSING.get(form, ())
