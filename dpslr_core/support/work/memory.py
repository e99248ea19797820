"""Memory that is used again and again, and memory that is given back."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from functools import cache

import numpy as np


@cache
def keep_memory() -> None:
    """Make malloc keep freed arrays for the next ones, once per process: fresh pages are slow.

    glibc returns no more than twice the largest block that it has seen freed; elsewhere this does nothing.
    """
    np.empty(1 << 21)  # 16 MB, of which no page is touched


def give_memory_back() -> None:
    """Return freed memory to the system, where the C library can (glibc); pyarrow has memory of its own."""
    if (pyarrow := sys.modules.get("pyarrow")) is not None:
        pyarrow.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
