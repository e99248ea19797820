"""Measuring a figure: part after part, each kept, so that a click interrupts and loses nothing."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from dpslr_core.paper.figures import Figure, Settings
from dpslr_core.sources.samples import DataUnavailable
from dpslr_core.support.workers import in_order

from ..cache import kept
from ..plain import plain
from ..sessions.private_names import end_page
from ..work.ask import Work
from ..work.paced import Pace
from ..work.run import current_run

PATIENCE = 2.0  # seconds of work in this process before others are asked to help


@dataclass
class Shelf:
    """What has been measured of one figure: its parts by number, and in the end all rows."""

    parts: dict[int, pd.DataFrame] = field(default_factory=dict)
    frame: pd.DataFrame | None = None


def measured(figure: Figure, settings: Settings) -> pd.DataFrame:
    """The rows of a figure; a sentence and the end of the page where they cannot be had."""
    shelf = _shelf(repr((figure.name, settings)))
    if shelf.frame is None:
        try:
            tasks = list(figure.tasks(settings))
            _measure(figure, settings, tasks, shelf)
            shelf.frame = figure.joined([shelf.parts[number] for number in sorted(shelf.parts)], settings)
        except (DataUnavailable, ValueError) as problem:
            st.warning(plain(f"This figure cannot be drawn: {problem}"))
            end_page()
        shelf.parts.clear()
    return shelf.frame


def _work(figure: Figure, settings: Settings) -> Work:
    """The figure; the seed is left out."""
    what = f"figure {figure.name} {settings.values} {settings.amount}"
    return Work(what, "its parameters", shlex.join(["dpslr", "figure", figure.name]))


def _measure(figure: Figure, settings: Settings, tasks: Sequence[Any], shelf: Shelf) -> None:
    """The parts that are missing, with a bar while it takes long."""
    bar, started, pace = st.empty(), time.monotonic(), Pace(len(tasks), _work(figure, settings))
    with closing(_arriving(figure, tasks, shelf)) as arriving:
        for number, frame in arriving:
            shelf.parts[number] = frame
            pace.step(len(shelf.parts))
            if time.monotonic() > started + 0.3:
                bar.progress(len(shelf.parts) / len(tasks), f"{len(shelf.parts):,} of {len(tasks):,} parts")
    current_run().end_wait()
    bar.empty()


def _arriving(figure: Figure, tasks: Sequence[Any], shelf: Shelf) -> Generator[tuple[int, pd.DataFrame], None, None]:
    """The missing parts; after a while, and where that leaves much to do, on all cores."""
    started, arrived = time.monotonic(), 0
    for workers in (1, os.cpu_count() or 1):
        left = [number for number in range(len(tasks)) if number not in shelf.parts]
        frames = in_order(figure.measure, [tasks[number] for number in left], workers)
        for number, frame in zip(left, frames, strict=True):
            yield number, frame
            arrived += 1
            spent, missing = time.monotonic() - started, len(left) - arrived
            if workers == 1 and spent > PATIENCE and spent / arrived * missing > 2 * PATIENCE:
                break


@kept(60, scope="global")
def _shelf(key: str) -> Shelf:
    """The parts of one figure with its settings; it fills as they arrive."""
    return Shelf()
