"""The algorithm that docs/add_an_algorithm.md shows, as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

DOC = Path(__file__).parents[2] / "docs" / "add_an_algorithm.md"


def code() -> str:
    """The first block of Python in the document."""
    return DOC.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]


def shell() -> list[str]:
    """The lines of its first block of shell commands."""
    return re.findall(r"```sh\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)[
        0
    ].splitlines()


def written(folder: Path) -> Path:
    """A file with this algorithm."""
    file = folder / "capped_mean.py"
    file.write_text(code(), encoding="utf-8")
    return file
