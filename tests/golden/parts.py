"""What is held fixed while the software is rebuilt: a file for each part, which tests compare with what is made now.

After a change that was meant: ``.venv/bin/python -m tests.golden [PART ...]`` writes the files anew and prints what
changed; ``git diff`` shows it too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from . import core, pages
from .sentences import sentences
from .stored import plain

PARTS: dict[str, Callable[[], Any]] = {
    "numbers": core.numbers,
    "figures": core.figures,
    "commands": core.commands,
    "sentences": lambda: plain(sentences()),
    **{f"page_{name}": partial(pages.page, name) for name in pages.LINKS},
    "real_data": pages.real_data,
}
