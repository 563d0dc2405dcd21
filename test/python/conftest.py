"""Shared by all Python tests.

Because of this file pytest puts its folder on the path, so that any test can import the modules
beside it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

import pytest

# Real weights come from an installed package; nothing here may ask a hub for them.
os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session", autouse=True)
def temporary_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is written to the system's temporary folder, such as reproducers, goes away with what
    pytest keeps; in processes that tests start too."""
    with pytest.MonkeyPatch.context() as patch:
        folder = str(tmp_path_factory.mktemp("temporary"))
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield
