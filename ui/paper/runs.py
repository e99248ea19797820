"""Measuring a figure: part after part, each kept, so that a click interrupts and loses nothing."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
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
from ..private_names import end_page
from ..work import WAIT, Work, on_all_cores, progress


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


def _measure(figure: Figure, settings: Settings, tasks: Sequence[Any], shelf: Shelf) -> None:
    """The parts that are missing, with a bar while it takes long; a click holds for another seed."""
    work = Work(
        f"figure {figure.name} {settings.values} {settings.amount}",
        "its parameters",
        command=shlex.join(["dpslr", "figure", figure.name]),
    )

    def missing(workers: int) -> Iterator[tuple[int, pd.DataFrame]]:
        left = [number for number in range(len(tasks)) if number not in shelf.parts]
        return zip(left, in_order(figure.measure, [tasks[number] for number in left], workers), strict=True)

    count = len(tasks) - len(shelf.parts)
    with closing(on_all_cores(missing, count)) as arriving:
        done = f"of {len(tasks):,} parts"
        for number, frame in progress(arriving, work, lambda part: f"{part[0]:,} {done}", count, wait=WAIT):
            shelf.parts[number] = frame


@kept(60, scope="global")
def _shelf(key: str) -> Shelf:
    """The parts of one figure with its settings; it fills as they arrive."""
    return Shelf()
