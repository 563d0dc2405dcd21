"""What passes assume of the device where nobody says otherwise: figures of `ktir.target`."""

from __future__ import annotations

from ktir.target import load_target

_TARGET = load_target()

CORES = _TARGET.cores
"""Cores of the device."""

SCRATCHPAD_BYTES = _TARGET.scratchpad.bytes
"""Bytes of a core's scratchpad."""

PLANNABLE_BYTES = _TARGET.scratchpad.plannable_bytes
"""The part of them that a plan may use."""
