"""Whatever is uploaded through the page: a sentence or data, never an exception, and what was loaded before stays."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from test_hostile_links import MARKUP, check

from tests.cases.opened import app, fine, upload

ROWS = "".join(f"{i % 11},{40 + 5 * (i % 11) + i % 3}\n" for i in range(60))
GOOD = f"x,y\n{ROWS}"


def _zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.csv", GOOD)
    return buffer.getvalue()


def _parquet() -> bytes:
    buffer = io.BytesIO()
    pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, 2.0]}).to_parquet(buffer)
    return buffer.getvalue()


def _cells(*cells: str) -> str:
    """The good file with these cells in x."""
    return GOOD + "".join(f'"{cell}",1\n' for cell in cells)


KINDS: dict[str, str | bytes] = {
    # nothing, or too little
    "nothing": b"",
    "one byte": b"\x00",
    "a line end": "\n",
    "spaces": "   \n  \n",
    "a mark of UTF-8 alone": b"\xef\xbb\xbf",
    "a mark of UTF-16 alone": b"\xff\xfe",
    "a header": "x,y\n",
    "one row": "x,y\n1,2\n",
    "two rows": "x,y\n1,2\n3,4\n",
    "one column": "x\n" + "1\n2\n3\n" * 9,
    "commas": "," * 500,
    "rows of commas": ",,,\n" * 50,
    # other formats
    "a zip": _zipped(),
    "gzip": gzip.compress(GOOD.encode()),
    "Parquet": _parquet(),
    "PNG": b"\x89PNG\r\n\x1a\n" + bytes(500),
    "PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + bytes(range(256)),
    "ELF": b"\x7fELF" + bytes(range(256)) * 4,
    "JSON": '[{"x": 1, "y": 2}, {"x": 2, "y": 3}]',
    "nested JSON": "[" * 50_000,
    "XML": "<?xml version='1.0'?><a><b/></a>",
    "HTML": "<!doctype html><table><tr><td>1</td></tr></table>" * 20,
    "a script": "#!/bin/sh\nrm -rf /\n" * 9,
    "a pickle": b"\x80\x04cos\nsystem\n(S'true'\ntR.",
    "zeros": bytes(10_000),
    "all bytes": bytes(range(256)) * 40,
    # encodings
    "UTF-16": GOOD.encode("utf-16"),
    "UTF-16 cut off": GOOD.encode("utf-16")[:-1],
    "UTF-32": GOOD.encode("utf-32"),
    "Latin-1": GOOD.replace("x", "größe").encode("latin-1"),
    "broken UTF-8": GOOD.encode() + b"\xc3\x28\xa0\xa1",
    "lone surrogates": GOOD.encode() + b"\xed\xa0\x80,1\n",
    "zero bytes in cells": GOOD.replace("4", "\x004"),
    # layout
    "old Mac lines": GOOD.replace("\n", "\r"),
    "mixed lines": GOOD.replace("\n", "\r\n", 20),
    "no last line end": GOOD[:-1],
    "an open quote": GOOD + '"open,1\n' + ROWS * 5,
    "quotes in quotes": GOOD + '"a ""b"" c",1\n' * 9,
    "ragged": GOOD + "1\n1,2,3\n1,2,3,4\n" * 20,
    "only ragged": "x,y\n" + "1,2,3\n" * 40,
    "no header": ROWS,
    "tabs": GOOD.replace(",", "\t"),
    "bars": GOOD.replace(",", "|"),
    "spaces between": GOOD.replace(",", " "),
    "semicolons": GOOD.replace(",", ";"),
    "a title above": "My data, 2024\n\n" + GOOD,
    "blank lines": GOOD.replace("\n", "\n\n"),
    # columns
    "the same name": "x,x\n" + ROWS,
    "no names": ",\n" + ROWS,
    "a name that is long": "x" * 50_000 + ",y\n" + ROWS,
    "names of markup": f'"{MARKUP[0]}","{MARKUP[2]}"\n{ROWS}',
    "names of formulas": f"=1+1,@SUM(A1)\n{ROWS}",
    "names of numbers": "1,2\n" + ROWS,
    "many columns": ",".join(f"c{i}" for i in range(3_000)) + "\n" + "1," * 2_999 + "1\n",
    "names of bidirectional marks": "\u202ex\u202c,\u200by\n" + ROWS,
    "names of line ends": '"x\ny","a\r\nb"\n' + ROWS,
    # values
    "numbers without end": _cells("inf", "-inf", "1e400", "1e308", "-1e308", "nan", "NaN"),
    "a number of 9,999 digits": _cells("9" * 9_999),
    "constant x": "x,y\n" + "1,2\n" * 50,
    "constant y": "x,y\n" + "".join(f"{i},2\n" for i in range(50)),
    "words": "x,y\n" + "one,two\n" * 50,
    "empty cells": "x,y\n" + ",1\n" * 50,
    "dates": "x,y\n" + "2024-01-02,3\n" * 50,
    "other digits": _cells("١٢٣", "½", "²", "１２"),
    "underscores": _cells("1_000", "0x10", "1e5e5"),
    "markup in cells": _cells(*(mark.replace('"', "'") for mark in MARKUP)),
    "formulas in cells": _cells("=1+1", "@a", "+1+1"),
    "numbers that are tiny": "x,y\n" + "".join(f"{i}e-320,{i}e-310\n" for i in range(1, 50)),
    "one group for each row": "g,x,y\n" + "".join(f"g{i},{i % 9},{i % 7}\n" for i in range(300)),
    "a long cell": _cells("a" * 200_000),
    "rounding is all that varies": "x,y\n" + f"0.3,1\n{0.1 + 0.2!r},2\n" * 20,
}
RANDOM = {f"random bytes {seed}": np.random.default_rng(seed).bytes(3_000) for seed in range(3)}
FILES = KINDS | RANDOM


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
