"""Whatever is uploaded through the page: a sentence or data, never an exception, and what was loaded before stays."""

from __future__ import annotations

import pytest
from hostile_files import GOOD, KINDS, RANDOM
from link_keys import MARKUP
from opened import app, fine
from streamlit.testing.v1 import AppTest
from test_hostile_links import check

FILES = KINDS | RANDOM


def upload(test: AppTest, content: str | bytes, name: str) -> AppTest:
    content = content.encode() if isinstance(content, str) else content
    return fine(test.file_uploader(key="upload_file").set_value((name, content, "text/csv")).run())


def in_use(test: AppTest) -> AppTest:
    """Take the bounds from the file, where the form is there."""
    return fine(test.button(key="upload_fill").click().run())


@pytest.mark.slow
def test_any_file_through_the_page():
    """One after the other in one session, with bounds from the file; the data before stand in for a bad one."""
    assert len(FILES) >= 60
    test = in_use(upload(app("data", source="upload", algorithms="NoisyStats"), GOOD, "good.csv"))
    assert test.metric[0].value == "60"
    for kind, content in FILES.items():
        test = upload(test, content, f"{kind}.csv")
        check(test, kind)
        test = in_use(test)
        check(test, kind)
        assert test.metric and test.get("plotly_chart"), kind
        said = [box.value for box in (*test.error, *test.warning, *test.info)]
        assert said or test.session_state["upload_grouped"].name == f"{kind}.csv", kind


def test_a_hostile_file_as_the_first_of_a_session():
    for kind in ("nothing", "a zip", "UTF-16 cut off", "an open quote", "zeros", "only ragged", "nested JSON"):
        test = upload(app("data", source="upload", algorithms="NoisyStats"), FILES[kind], f"{kind}.csv")
        check(test, kind)
        assert test.error or test.warning or test.info, kind


def test_hostile_names_of_files():
    test = app("data", source="upload", algorithms="NoisyStats")
    for name in (*MARKUP, "../../etc/passwd", "a" * 500, "\u202egnp.csv", "a\nb.csv", ""):
        test = in_use(upload(test, GOOD, f"{name}.csv"))
        check(test, name)
        assert test.metric[0].value == "60"


def test_a_name_with_a_null_byte_is_refused_by_streamlit_before_any_page_runs():
    """No browser sends one: the run ends, without its records and without details."""
    file = ("x\x00y.csv", GOOD if isinstance(GOOD, bytes) else GOOD.encode(), "text/csv")
    test = app("data", source="upload", algorithms="NoisyStats")
    test = test.file_uploader(key="upload_file").set_value(file).run()
    assert len(test.exception) == 1 and "redacted" in test.exception[0].message
    assert not test.metric and not test.get("plotly_chart")
