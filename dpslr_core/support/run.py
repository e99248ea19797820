"""Run of an experiment: its arguments, its random streams, where it can be interrupted, and its memory."""

from __future__ import annotations

import ctypes
import hashlib
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache

import numpy as np

from . import validate

QUARTERS = (0.25, 0.75)
MOST_TRIALS = 10**7
Z95 = 1.959963984540054  # the 97.5% quantile of the standard normal distribution
_called: ContextVar[Callable[[int], None] | None] = ContextVar("checkpoint", default=None)


@dataclass(frozen=True)
class Run:
    """Trials where there is no exact law, the seed of all randomness, and the workers (see workers.in_order).

    ValueError where trials is not a whole number, 1 or more, or seed is not a whole number, 0 or more.
    """

    trials: int = 50
    seed: int = 0
    workers: int | str = 1

    def __post_init__(self) -> None:
        validate.integer(1, MOST_TRIALS, trials=self.trials)
        validate.integer(0, validate.MOST_SEED, seed=self.seed)


def stream(seed: int, *keys: object) -> np.random.Generator:
    """Return the generator that belongs to a seed and some keys; other texts, or another number of keys, give another.

    Releases that are compared on one data set have streams of their own: data set, mechanism, epsilon and points are
    their keys. Sweeps and guidance number their simulated data sets and share numbers: on each data set every algorithm
    starts the same stream anew, at every value, so that differences between algorithms have less noise. Either way
    another algorithm changes no numbers of the present ones. ValueError where seed < 0.
    """
    validate.integer(0, validate.MOST_SEED, seed=seed)
    texts = [str(seed), *(str(key) for key in keys)]
    # Texts without a bar, joined by bars, can be taken apart again; so can JSON. The former begin with the seed's first
    # digit and the latter with a bracket: no two lists of texts are written alike.
    written = json.dumps(texts) if any("|" in text for text in texts) else "|".join(texts)
    return np.random.default_rng(
        np.frombuffer(hashlib.sha256(written.encode()).digest(), dtype=np.uint32)
    )


def checkpoint(helpers: int = 0) -> None:
    """Let work be interrupted here: every long loop of the core calls this at least every 200 ms.

    ``helpers`` is the number of processes that have worked for this thread since its last checkpoint.
    """
    call = _called.get()
    if call is not None:
        call(helpers)


def call_at_checkpoints(call: Callable[[int], None] | None) -> None:
    """Make every later checkpoint of this thread a call of ``call``, which may wait, or raise to end the work."""
    _called.set(call)


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
