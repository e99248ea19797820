"""A figure on the page: its panels, its numbers, and the files it can be saved as."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from dpslr_core.charts.vega import written
from dpslr_core.paper.figures import Figure, Settings
from dpslr_core.paper.pictures import for_page, together
from dpslr_core.report.scripts import figure_command, figure_script

from .. import show
from ..plain import plain
from ..takeaway import Shown, download, take_away
from .choice import figure_query

FILES = {".svg": "image/svg+xml", ".png": "image/png", ".html": "text/html"}


def picture(figure: Figure, frame: pd.DataFrame, settings: Settings) -> None:
    """Panels side by side where there is room, or the table; then the numbers and the files."""
    sentence = str(figure.agrees(frame, settings))
    if figure.as_table:
        show.numbers(frame, figure.name, height="content")
    else:
        panels = list(figure.panels(frame, settings).items())
        across = min(figure.columns, len(panels))
        for start in range(0, len(panels), across):
            for column, (title, panel) in zip(st.columns(across), panels[start : start + across], strict=False):
                with column:
                    st.markdown(f"**{plain(title)}**")
                    show.vega(for_page(panel, across), f"{title}. {sentence}", f"{figure.name}_{title}")
    if figure.note:
        st.caption(plain(figure.note))
    if not figure.as_table:
        with st.expander("The numbers in this picture"):
            show.numbers(frame, figure.name)
    _files(figure, frame, settings)
    take_away(
        Shown(
            page="paper",
            name=figure.name,
            scenario=None,
            query=figure_query(figure, settings),
            table=frame,
            script=partial(figure_script, figure, settings),
            command=figure_command(figure, settings),
        )
    )


def _files(figure: Figure, frame: pd.DataFrame, settings: Settings) -> None:
    """Buttons that save the whole figure, each drawn when it is asked for."""

    def content(suffix: str) -> bytes:
        return written(together(figure.panels(frame, settings), figure.columns, figure.width), suffix)

    with st.container(horizontal=True):
        for suffix, kind in FILES.items():
            name = f"{figure.name}{suffix}"
            download(f"Save as {suffix[1:].upper()}", partial(content, suffix), name, kind, key=f"save_{name}")
