"""The buttons that save a view as a report."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dpslr_core.report.html import as_html
from dpslr_core.report.parts import Report

from .takeaway.download import download

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def report_buttons(about: str, make: Callable[[], Report]) -> None:
    """A page and a Word file, each made when it is asked for, so that a slider pays nothing. about: what is in it."""

    def word() -> bytes:
        from dpslr_core.report.word import as_word  # python-docx is loaded where a Word file is asked for

        return as_word(make())

    with st.expander("Report to hand on"):
        st.caption(f"{about} It opens without a network.")
        with st.container(horizontal=True):
            download("Report (HTML)", lambda: as_html(make()).encode(), "report.html", "text/html")
            download("Report (Word)", word, "report.docx", WORD)
