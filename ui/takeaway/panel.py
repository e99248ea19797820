"""The buttons by which a page is cited and taken away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from dpslr_core.report.parts import Report
from dpslr_core.report.tables import csv_bytes, parquet_bytes
from dpslr_core.scenario import Scenario

from .download import download
from .saved_as import about, address


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a page shows.

    name: of the files, where it is not that of the page.
    scenario: None where none is needed. query: of its link. table: its numbers. script: makes Python that gives them.
    command: of dpslr, that gives them from the scenario; "" where there is none. reproducible: whether the link says
    what the data are. more: settings of the page that are not in the scenario. picture: makes it as SVG, see
    drawn.
    """

    page: str
    scenario: Scenario | None
    query: str
    table: pd.DataFrame
    script: Callable[[], str]
    command: str = ""
    name: str = ""
    reproducible: bool = True
    more: Mapping[str, object] = field(default_factory=dict)
    picture: Callable[[], bytes] | None = None


def take_away(shown: Shown) -> None:
    """Link, table, picture, scenario and script."""
    with st.expander("Cite and take away"):
        st.caption("The same numbers, in any browser." if shown.reproducible else "All but the uploaded file itself.")
        st.code(address(shown.query, shown.page), language=None)
        name = shown.name or shown.page
        said = about(name.replace("_", " "), shown.more) | {"link": address(shown.query, shown.page)}
        with st.container(horizontal=True):
            _button("Table (CSV)", lambda: csv_bytes(shown.table, said), f"{name}.csv", "text/csv")
            _button(
                "Table (Parquet)",
                lambda: parquet_bytes(shown.table, said),
                f"{name}.parquet",
                "application/vnd.apache.parquet",
            )
            if shown.picture is not None:
                _button("Picture (SVG)", shown.picture, f"{name}.svg", "image/svg+xml")
            if shown.scenario is not None:
                scenario = shown.scenario.model_dump_json(indent=2)
                _button("Scenario (JSON)", lambda: scenario.encode(), "scenario.json", "application/json")
        if shown.command:
            beside = "" if shown.scenario is None else ", where scenario.json is in the folder,"
            st.caption(f"The same numbers in a terminal{beside} and in Python:")
            st.code(shown.command, language=None)
        else:
            st.caption("The same numbers in Python:")
        st.code(shown.script(), language="python", height=260)


def _button(label: str, make: Callable[[], bytes], name: str, kind: str) -> None:
    download(label, make, name, kind, key=f"take_{name}")


def drawn(picture: Any, sentence: str) -> bytes:
    """A picture of the page, or of its report, as SVG with its sentence."""
    from dpslr_core.charts.files import WIDE, written

    return written(picture, ".svg", sentence, WIDE if isinstance(picture, dict) else None)


def of_report(report: Report) -> bytes:
    """The picture of a report as SVG."""
    return drawn(report.picture, report.picture_sentence)
