"""Whatever a link says, on whatever page: no exception, no text of Python's, and nothing that is read as markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from dpslr_core.experiments.ranges import RANGES
from dpslr_core.lesson.settings import STEPS
from tests.cases.opened import app
from ui.compare import VIEWS as COMPARE
from ui.decision import VIEWS as AREAS
from ui.guidance import VIEWS as GUIDANCE
from ui.link import link_names

HOST = "evil.example"
MARKUP = (
    f"<img src=x onerror=alert(1)><script>fetch('//{HOST}')</script>",
    f"![picture](http://{HOST}/a.png) [link](javascript:alert(1)) **evil**",
    rf"$\href{{http://{HOST}}}{{x}}$ $$\frac12$$ :red[evil] :material/home:",
)
HOSTILE: tuple[str | list[str], ...] = (
    "", "0", "-1", "nan", "inf", "1e400", "-1e308", "9" * 5_000, "0x10", "1_0", "true", "{}", "1, 2, " * 2_000,
    "a" * 20_000, "\x00\x1b[31m", "٣ ½ ² 😀 \u202eabc\u200b", ["1", "nan"], *MARKUP,
)  # fmt: skip
KEYS = sorted(link_names())
# What decides how long a page takes.
CHEAP = {
    "n": "30", "n_to": "60", "algorithms": "NoisyStats", "datasets": "20", "values": "2", "sweep_trials": "20",
    "trials": "20",
}  # fmt: skip
SOURCES = (
    {},
    {"source": "sample", "sample": "tracts"},
    {"source": "state", "tracts": "5"},
    {"source": "upload"},
)
# What a page shows is chosen by the link too: the other parameters are tried on every view.
VIEWS: dict[str, list[dict[str, str]]] = {
    "compare": [{"details": view} for view in COMPARE],
    "data": [{}],
    "findings": [{}],
    "guidance": [
        {"guidance": view}
        for view in GUIDANCE
        if view not in ("When it changes", "Smallest ε or n")
    ],  # take seconds
    "lesson": [{"step": step} for step in STEPS],
    "methods": [{}],
    "paper": [
        {"figure": name} for name in ("smooth-sensitivity", "exponential-density", "descent")
    ],
    "privacy": [{}],
    "release": [{}],
    "small_areas": [{"area_details": view} for view in AREAS],
    "start": [{}],
    "sweep": [{"vary": limits.name} for limits in RANGES.values()],
}
PYTHON = re.compile(
    r"Traceback|object at 0x|invalid literal|could not convert|NoneType|\b[A-Z]\w+Error\b"
)
RAW = re.compile(
    r"(?<!\\)(?:<img src=x|!\[picture|\[link\]|\*\*evil|\$\\href|:red\[evil|:material/home:)"
)


def read_as_markdown(test: AppTest) -> Iterator[str]:
    """What Streamlit reads as markdown or HTML: bodies, labels and tooltips; not code, text and options."""
    for element in (*test.main, *test.sidebar):
        if element.type in ("code", "text"):
            continue
        for name in ("body", "label", "help"):
            text = getattr(element.proto, name, None) if hasattr(element, "proto") else None
            if isinstance(text, str):
                yield text


def bound(test: AppTest) -> set[str]:
    """The keys of the widgets on a page that stand in the link."""
    protos = [element.proto for element in (*test.main, *test.sidebar) if hasattr(element, "proto")]
    return {key for proto in protos if (key := getattr(proto, "query_param_key", ""))}


def check(test: AppTest, where: object) -> None:
    assert test.title or "no number that can be used" in test.warning[0].value, where
    for text in read_as_markdown(test):
        assert not RAW.search(text), (where, text)
        assert not PYTHON.search(text), (where, text)


def test_every_parameter_is_known():
    """Keys that pages bind are declared."""
    seen: set[str] = set()
    for page, views in VIEWS.items():
        seen |= bound(app(page, **CHEAP | views[0]))
    assert len(seen) > 50 and seen <= {*KEYS}


@pytest.mark.parametrize(
    ("page", "most"),
    [*((page, 1) for page in VIEWS)]
    + [pytest.param(page, 99, marks=pytest.mark.slow) for page in VIEWS if page != "data"],
)
def test_a_page_takes_any_value_of_any_parameter(page: str, most: int):
    """All parameters at once, on one view after the other; every value on one page, for the sidebar is that of all."""
    views = VIEWS[page]
    values = (*MARKUP, *HOSTILE[:-3]) if page == "data" else (MARKUP[0], "9" * 5_000, "nan")
    sources = SOURCES[::3] if page == "guidance" else SOURCES
    rounds = max(len(views), len(values))
    for number in range(rounds if page == "data" else min(most, rounds)):
        value, chosen = (
            values[number % len(values)],
            views[number % len(views)] | sources[number % len(sources)],
        )
        check(
            app(page, **dict.fromkeys(KEYS, value) | chosen | CHEAP),
            (page, str(value)[:30], chosen),
        )


def test_what_decides_the_work_takes_any_value():
    for key in CHEAP:
        page = "sweep" if key in ("n_to", "values", "sweep_trials") else "data"
        for value in HOSTILE[1::8]:
            check(app(page, **CHEAP | {key: value}), (key, str(value)[:30]))
