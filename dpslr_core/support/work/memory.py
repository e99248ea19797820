"""Memory that is used again and again."""

from __future__ import annotations

from functools import cache

import numpy as np


@cache
def keep_memory() -> None:
    """Make malloc keep freed arrays for the next ones, once per process: fresh pages are slow.

    glibc returns no more than twice the largest block that it has seen freed; elsewhere this does nothing.
    """
    np.empty(1 << 21)  # 16 MB, of which no page is touched
