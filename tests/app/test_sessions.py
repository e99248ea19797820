"""The first import of a new server."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from ui.first import SHARED

ROOT = Path(__file__).parents[2]


def test_all_packages_that_import_their_own_modules_are_imported_by_one_run():
    """Two runs that import such a package at once may each meet it half imported."""
    script = f"import sys, {', '.join(SHARED)}; print(*sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    heads = (ROOT / "dpslr_core").rglob("__init__.py")
    packages = [
        path.parent.relative_to(ROOT)
        for path in heads
        if re.search(r"^from \.", path.read_text(), re.M)
    ]
    names = {".".join(path.parts) for path in packages} - {"dpslr_core.cli"}  # no page imports it
    assert len(names) > 5 and names <= set(ran.stdout.split())
