"""Where long work can be interrupted: every long loop of the core calls ``checkpoint`` at least every 200 ms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Call = Callable[[int], None]
_called: ContextVar[Call | None] = ContextVar("checkpoint", default=None)


def checkpoint(helpers: int = 0) -> None:
    """Call what this thread was told to call at checkpoints: it may wait, and what it raises ends the work.

    helpers: how many processes have worked for this thread since its last checkpoint.
    """
    call = _called.get()
    if call is not None:
        call(helpers)


def call_at_checkpoints(call: Call | None) -> None:
    """Make every later checkpoint of this thread a call of ``call``; None: of nothing."""
    _called.set(call)


@contextmanager
def checkpoints(call: Call) -> Iterator[None]:
    """A context in which every checkpoint of this thread is a call of ``call``."""
    before = _called.set(call)
    try:
        yield
    finally:
        _called.reset(before)
