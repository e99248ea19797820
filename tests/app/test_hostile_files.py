"""Whatever is uploaded through the page: a sentence or data, never an exception, and what was loaded before stays.

All kinds of files are tried on their readers, in core/sources; here are those that a page could show or draw badly.
"""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest
from test_hostile_links import MARKUP, check

from tests.cases.opened import app, pressed, upload

ROWS = "".join(f"{i % 11},{40 + 5 * (i % 11) + i % 3}\n" for i in range(60))
GOOD = f"x,y\n{ROWS}"


def _cells(*cells: str) -> str:
    """The good file with these cells in x."""
    return GOOD + "".join(f'"{cell}",1\n' for cell in cells)


FILES: dict[str, str | bytes] = {
    "nothing": b"",
    "all bytes": bytes(range(256)) * 40,
    "UTF-16 cut off": GOOD.encode("utf-16")[:-1],
    "an open quote": GOOD + '"open,1\n' + ROWS * 5,
    "no names": ",\n" + ROWS,
    "a name that is long": "x" * 50_000 + ",y\n" + ROWS,
    "names of markup": f'"{MARKUP[0]}","{MARKUP[2]}"\n{ROWS}',
    "names of formulas": f"=1+1,@SUM(A1)\n{ROWS}",
    "names of bidirectional marks": "\u202ex\u202c,\u200by\n" + ROWS,
    "names of line ends": '"x\ny","a\r\nb"\n' + ROWS,
    "many columns": ",".join(f"c{i}" for i in range(3_000)) + "\n" + "1," * 2_999 + "1\n",
    "numbers without end": _cells("inf", "-inf", "1e400", "1e308", "-1e308", "nan", "NaN"),
    "a number of 9,999 digits": _cells("9" * 9_999),
    "constant y": "x,y\n" + "".join(f"{i},2\n" for i in range(50)),
    "markup in cells": _cells(*(mark.replace('"', "'") for mark in MARKUP)),
    "numbers that are tiny": "x,y\n" + "".join(f"{i}e-320,{i}e-310\n" for i in range(1, 50)),
    "one group for each row": "g,x,y\n" + "".join(f"g{i},{i % 9},{i % 7}\n" for i in range(300)),
    "a long cell": _cells("a" * 200_000),
    "rounding is all that varies": "x,y\n" + f"0.3,1\n{0.1 + 0.2!r},2\n" * 20,
}


def in_use(test: AppTest) -> AppTest:
    """Take the bounds from the file, where the form is there."""
    return pressed(test, "upload_fill")


def data_page() -> AppTest:
    return app("data", source="upload", algorithms="NoisyStats")


@pytest.mark.slow
def test_any_file_through_the_page():
    """One after the other in one session, with bounds from the file; the data before stand in for a bad one."""
    test = in_use(upload(data_page(), GOOD, "good.csv"))
    assert test.metric[0].value == "60"
    for kind, content in FILES.items():
        test = upload(test, content, f"{kind}.csv")
        check(test, kind)
        test = in_use(test)
        check(test, kind)
        assert test.metric and test.get("vega_lite_chart"), kind
        boxes = (*test.error, *test.warning, *test.info)
        assert boxes or test.session_state["upload_grouped"].name == f"{kind}.csv", kind


def test_a_hostile_file_as_the_first_of_a_session():
    for kind in (
        "nothing",
        "UTF-16 cut off",
        "an open quote",
        "names of markup",
        "numbers without end",
    ):
        test = upload(data_page(), FILES[kind], f"{kind}.csv")
        check(test, kind)
        assert test.error or test.warning or test.info, kind


def test_hostile_names_of_files():
    test = data_page()
    for name in (MARKUP[0], MARKUP[2], "../../etc/passwd", "\u202egnp.csv", "a\nb.csv"):
        test = in_use(upload(test, GOOD, f"{name}.csv"))
        check(test, name)
        assert test.metric[0].value == "60"
