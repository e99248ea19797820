"""Uploading through the page: what is wrong is said, and what was loaded stays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from opened import app, fine
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]


def table(rows: int = 60, seed: int = 1) -> str:
    rng = np.random.default_rng(seed)
    hours = rng.uniform(0, 10, rows)
    score = 40 + 5 * hours + rng.normal(0, 5, rows)
    school = np.array(["north", "south"])[np.arange(rows) % 2]
    lines = [f"{s},{h:.2f},{y:.1f}" for s, h, y in zip(school, hours, score, strict=True)]
    return "\n".join(["school,hours,score", *lines])


def upload(test: AppTest, content: bytes | str, name: str = "mine.csv") -> AppTest:
    content = content.encode() if isinstance(content, str) else content
    return fine(test.file_uploader(key="upload_file").set_value((name, content, "text/csv")).run())


def complaints(test: AppTest) -> str:
    return "\n".join(box.value for box in (*test.error, *test.warning))


def test_a_csv_becomes_the_data_of_every_page():
    test = upload(app("data", source="upload"), table())
    assert test.metric[0].value == "60"
    test.switch_page("pages/compare.py").run()
    assert not test.exception
    assert "mine.csv" in test.caption[0].value or any("mine.csv" in c.value for c in test.caption)
    assert test.get("plotly_chart")


def test_the_group_column_makes_a_family():
    test = upload(app("data", source="upload"), table())
    test.selectbox(key="upload_group").set_value("school").run()
    assert test.metric[0].value == "30"
    assert list(test.sidebar.selectbox(key="group").options) == ["north", "south"]


def test_public_bounds_rescale_and_clip():
    test = upload(app("data", source="upload"), table())
    test.number_input(key="upload_high_mine.csv_hours").set_value(5.0).run()
    assert "clipped" in complaints(test) + "\n".join(c.value for c in test.caption)
    assert not test.exception


def test_bounds_in_the_wrong_order_are_a_sentence_and_the_data_stay():
    test = upload(app("data", source="upload"), table())
    test.number_input(key="upload_high_mine.csv_hours").set_value(-5.0).run()
    assert not test.exception
    assert test.error
    assert test.metric[0].value == "60"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"a,b\n", "row"),
        (b"a,b\n1,2\n", "row"),
        (bytes(200 * 2**20), "MB"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "text"),
        ("x,y\n1,1\n1,2\n1,3\n1,4\n", "constant"),
        ("x y\n1 2\n2 3\n3 4\n", "column"),
    ],
    ids=["empty", "header only", "one row", "zeros", "binary", "constant x", "wrong delimiter"],
)
def test_a_bad_file_is_a_sentence_and_the_data_loaded_before_stay(content, words):
    test = upload(upload(app("data", source="upload"), table()), content, "bad.csv")
    assert words in complaints(test)
    assert "mine.csv" in test.info[0].value
    assert test.metric[0].value == "60"


def test_cells_are_named_by_row_and_column():
    test = upload(app("data", source="upload"), table() + "\nnorth,many,7\nsouth,,8\nnorth,1e999,9\n")
    text = complaints(test)
    assert "'hours'" in text and "62" in text and "63" in text
    assert test.metric[0].value == "60"


def test_latin_1_and_decimal_commas():
    text = "größe;gewicht\n" + "\n".join(f"{150 + i},5;{50 + i},25" for i in range(40))
    test = upload(app("data", source="upload"), text.encode("latin-1"))
    assert test.metric[0].value == "40"
