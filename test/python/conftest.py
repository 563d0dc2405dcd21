"""Shared by all Python tests.

Because of this file pytest puts its folder on the path, so that any test can import `module_table`.
"""

from __future__ import annotations

import os

# Real weights come from an installed package; nothing here may ask a hub for them.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
