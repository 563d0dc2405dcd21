"""What a wheel holds beside the compiled part."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HOMES = {"ktir": "ktir", "passes": "ktir/passes", "tools": "ktir/tools"}
DATA = {"ktir/data/spyre.json", "ktir/passes/manifest.json", "ktir/py.typed"}


def test_a_wheel_holds_all_sources_and_data(tmp_path: Path) -> None:
    """Built by the project's build backend without CMake; neither an installer nor a compiler."""
    code = (
        "import sys; from scikit_build_core.build import build_wheel; "
        "build_wheel(sys.argv[1], {'wheel.cmake': 'false'})"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    sources = {
        f"{home}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, home in HOMES.items()
        for path in (ROOT / folder).rglob("*.py")
    }
    packaged = {name for name in held if ".dist-info/" not in name}
    assert packaged == sources | DATA
    licences = {name.rpartition("/")[2] for name in held if "/licenses/" in name}
    assert licences == {"LICENSE", "THIRD_PARTY_LICENSES.md"}
