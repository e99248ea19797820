"""Pages opened as a link opens them, without a browser."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

from dpslr_core.scenario import Scenario
from ui.plain import JOINER
from ui.takeaway import FOLDED

ROOT = Path(__file__).parents[2]
WIDGETS = (
    "text_input", "text_area", "number_input", "selectbox", "multiselect", "radio", "checkbox", "toggle", "slider",
    "select_slider", "segmented_control",
)  # fmt: skip


def app(page: str | None = None, **query: str | list[str]) -> AppTest:
    """The app opened with these query parameters (two underscores stand for a dot), at a page or where it begins."""
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
    for key, value in query.items():
        test.query_params[key.replace("__", ".")] = value
    test.session_state[FOLDED] = True  # what can be taken away is drawn where it is open
    if page:
        test.switch_page(f"pages/{page}.py")
    return fine(test.run())


def upload(test: AppTest, content: bytes | str, name: str = "mine.csv") -> AppTest:
    """The page after a file was given to the uploader."""
    content = content.encode() if isinstance(content, str) else content
    return fine(test.file_uploader(key="upload_file").set_value((name, content, "text/csv")).run())


def bounded(test: AppTest, **bounds: tuple[float, float]) -> AppTest:
    """The page after the public bounds of columns were typed."""
    for column, (lower, upper) in bounds.items():
        test.text_input(key=f"upload_lower_{column}").set_value(str(lower))
        test.text_input(key=f"upload_upper_{column}").set_value(str(upper))
    return fine(test.run())


def widget(test: AppTest, key: str) -> Any:
    """The widget of this key, of whatever kind."""
    [found] = [each for kind in WIDGETS for each in getattr(test, kind) if each.key == key]
    return found


def changed(test: AppTest, key: str, value: Any) -> AppTest:
    """The page after this widget was set to a value."""
    return fine(widget(test, key).set_value(value).run())


def pressed(test: AppTest, key: str) -> AppTest:
    """The page after a click on the button of this key."""
    return fine(test.button(key=key).click().run())


def turned(test: AppTest, page: str) -> AppTest:
    """The page that was turned to in the same session."""
    return fine(test.switch_page(f"pages/{page}.py").run())


def scenario(test: AppTest) -> Scenario:
    """The scenario that a page computes with."""
    chosen: Scenario = test.session_state["chosen_settings"][0]
    return chosen


def fine(test: AppTest) -> AppTest:
    assert not test.exception, test.exception[0].message
    return test


def frame_with(test: AppTest, column: str) -> pd.DataFrame:
    """The first table of a page that has this column."""
    return next(frame.value for frame in test.dataframe if column in frame.value)


def pictures(test: AppTest) -> dict[str, Any]:
    """The pictures of a page, as they are sent, by their accessible names."""
    drawn = [*test.get("plotly_chart"), *test.get("vega_lite_chart")]
    return {chart.proto.alt: json.loads(chart.proto.spec) for chart in drawn}


def heading(test: AppTest) -> str:
    """The answer of a page, as it is read, with the second thought below it; nothing where there is none."""
    shown = [element for element in test.main if element.type != "empty"]
    answers = [
        [element.value, *([after.value] if after.type == "markdown" else [])]
        for element, after in pairwise([*shown, shown[-1]])
        if element.type == "header"
    ]
    return read("\n".join(" ".join(parts) for parts in answers))


def in_link(test: AppTest, key: str) -> list[str]:
    """What the address says of a key."""
    texts = test.query_params.get(key, [])
    return [texts] if isinstance(texts, str) else list(texts)


def words(test: AppTest) -> str:
    """All sentences of a page, without the sidebar's, as they are read."""
    shown = (*test.main.header, *test.main.markdown, *test.main.caption, *test.main.subheader)
    return read("\n".join(element.value for element in shown))


def read(markdown: str) -> str:
    """Markdown without backslashes before marks and without marks of no width: what a reader sees."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown).replace(JOINER, "")
