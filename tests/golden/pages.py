"""Every page at several links, as a browser is sent it: its texts, and what its tables and pictures show."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs

import pandas as pd
import pyarrow as pa

from dpslr_core.lesson.settings import STEPS as LESSON_STEPS
from dpslr_core.mechanisms import MECHANISMS
from tests.cases.opened import ROOT, app, upload
from ui.findings import VIEWS

from .stored import lines, plain, whole

# Figures of the paper that are quick, and whose data come with the project; of others see core.figures.
FIGURES = (
    "exponential-density", "widened-density", "failures-illinois", "failures-north-carolina",
    "theta", "smooth-sensitivity", "beta", "descent", "noisy-ratio",
)  # fmt: skip
FEW = "&".join(
    f"algorithms={name}"
    for name in ("OLS", "NoisyStats", "NoisyIntercept", "DPExpTheilSen", "DPGDPure")
)
CENTERED = "algorithms=CenteredStats"
SMALL = f"n=30&trials=20&{FEW}"
TRACTS = (
    f"source=sample&sample=tracts&epsilon=16&trials=20&{FEW}&algorithms=MaximumObservedSensitivity"
)
BIKES = f"source=sample&sample=bikes&trials=20&{FEW}&{CENTERED}"
TWO = "n=30&trials=20&algorithms=NoisyIntercept&algorithms=DPExpTheilSen"
SWEPT = "values=3&datasets=20&n_to=120"
MOVED = "record=3&record_y=0.9"
UPLOADED = (
    "source=upload&x_column=hours&y_column=score&group_column=school&x_bounds=0, 8&y_bounds=20, 120"
)
FILE = "school,hours,score\n" + "".join(
    f"{('north', 'south')[i % 2]},{i * 7 % 30 / 3:.2f},{'n/a' if i == 9 else 40 + i * 11 % 50}\n"
    for i in range(40)
)
CLASS = "released=4&leaver=3&person=9&person_y=10&class_epsilon=1&students=50&scatter=5"
OPENS = "as it opens"
# Of each page the links that it is opened at, by name: the usual settings, other data, each of its views.
LINKS: dict[str, dict[str, str]] = {
    "start": {OPENS: ""},
    "data": {
        OPENS: "",
        "bikes, unit square": f"{BIKES}&zoom=true&unit_square=true&x_new=0.2, 0.6",
        "a state": "source=state&tracts=50",
        "an upload": "source=upload",
        "an upload, its columns": "source=upload&x_column=hours",
        "an upload, its data": f"{UPLOADED}&algorithms=NoisyStats&group=south",
        "an upload, a logarithm": f"{UPLOADED}&y_transform=log10",
        "wrong values": "n=3&x_new=warm, 7&DPExpTheilSen.lower=3&epsilon=0.5&wrong=1",
    },
    "compare": {
        OPENS: "",
        "bikes": BIKES,
        "tracts, two records a person": f"{TRACTS}&look_at=0.75&records_per_person=2&accounting=implied",
        "no answer": "n=12&slope=0&var_x=0.001&algorithms=NoisyStats&algorithms=OLS",
        **{view: f"{SMALL}&{CENTERED}&details={view}" for view in (
            "Private lines", "All curves", "Release by release", "How sure"
        )},
    },
    "sweep": {
        OPENS: f"{SWEPT}&algorithms=OLS&algorithms=NoisyStats&algorithms=DPExpTheilSen",
        "tracts": f"{TRACTS}&vary=epsilon&values=3",
        "x_new": f"{SMALL}&{SWEPT}&vary=x_new",
    },
    "small_areas": {
        OPENS: "",
        "Distribution over areas": f"{TRACTS}&area_details=Distribution over areas",
    },
    "guidance": {
        OPENS: f"n=30&{FEW}",
        "bikes, weaker guarantees": f"{BIKES}&algorithms=DPGDzCDP",
        **{view: f"{TWO}&guidance={view}" for view in (
            "When it changes", "Smallest ε or n", "All algorithms"
        )},
        "smallest n": f"{TWO}&guidance=Smallest ε or n&smallest=n",
    },
    "release": {
        OPENS: "",
        "bikes": f"{BIKES}&release_of=NoisyIntercept",
        "none can be released": "n=30&algorithms=DPGDPure&algorithms=OLS",
    },
    "findings": {OPENS: "", "weaker guarantees": "any=true"} | {
        view: f"findings={view}" for view in list(VIEWS)[1:]
    },
    "privacy": {
        OPENS: "",
        "tracts": f"{TRACTS}&{MOVED}&privacy_of=NoisyStats&privacy_at=0.75",
        "no output distribution": f"{SMALL}&privacy_of=DPGDPure",
        **{view: f"{SMALL}&{MOVED}&privacy_of=DPExpTheilSen&privacy_view={view}" for view in (
            "Attack", "Odds of each outcome", "What the budget pays for"
        )},
    },
    "paper": {
        OPENS: "",
        "a claim": "claim=descent-printed-sign",
        "changed": "figure=noisy-ratio&noisy-ratio.epsilon=4&seed=5",
        **{name: f"figure={name}" for name in FIGURES},
    },
    "lesson": {
        **{step: f"step={step}" for step in LESSON_STEPS},
        **{f"{step}, moved": f"step={step}&{CLASS}" for step in LESSON_STEPS},
    },
    "methods": {OPENS: "", **{each.__name__: f"card={each.__name__}" for each in MECHANISMS}},
}  # fmt: skip
# The same of the paper's own data, which are not part of the project.
REAL_DATA = [
    *(
        ("paper", f"figure {name}", f"figure={name}")
        for name in ("bike-records", "nanotube-records", "stock-records", "stocks")
    ),
    ("compare", "stocks", f"source=uci&uci=stocks&trials=20&{FEW}"),
    ("compare", "nanotubes", f"source=uci&uci=nanotubes&also_k=1&{TWO.removeprefix('n=30&')}"),
]
DATA = Path(os.environ.get("DPSLR_DATA") or ROOT.parent / "shared" / "data")
TABLES = ("arrow_data_frame", "arrow_table", "dataframe", "table")
CHARTS = ("vega_lite_chart", "plotly_chart")
SHOWN = [
    "title",
    "text",
    "field",
    "aggregate",
    "domain",
    "range",
    "name",
]  # parts of a specification that are kept
HIDDEN = [
    "config",
    "data",
    "datasets",
    "usermeta",
    "template",
    "params",
    "transform",
    "condition",
    "scheme",
]
CHANNELS = [
    "x",
    "x2",
    "y",
    "y2",
    "color",
    "strokeDash",
    "shape",
    "size",
    "row",
    "column",
    "xaxis",
    "yaxis",
    "z",
]
FIELDS = ("label", "body", "code_text", "help", "placeholder")  # of an element, where its words are


def page(name: str) -> dict[str, Any]:
    """A page at its links."""
    return shown_at([(name, label, link) for label, link in LINKS[name].items()])


def real_data() -> dict[str, Any]:
    """Pages that show the paper's own data; nothing where these are not in the folder DATA."""
    files = ("bikeshare_hour.csv", "carbon_nanotubes.csv", "istanbul_stock_exchange.csv")
    if not all((DATA / file).is_file() for file in files):
        return {}
    with patch.dict(os.environ, {"DPSLR_DATA": str(DATA)}):
        return shown_at(REAL_DATA)


def shown_at(links: Iterable[tuple[str, str, str]]) -> dict[str, Any]:
    """By label, what pages show at links that they did not show at those before."""
    known: set[str] = set()

    def is_new(item: Any) -> bool:
        before = len(known)
        known.add(repr(item))
        return len(known) > before

    shown = {}
    for name, label, link in links:
        parts = opened(name, link)
        texts = [line for element in parts.pop("texts") if is_new(element) for line in element]
        others = {kind: dict(filter(is_new, items.items())) for kind, items in parts.items()}
        shown[label] = {"texts": texts} | others
    return shown


def opened(name: str, link: str) -> dict[str, Any]:
    """A page at one link, run once."""
    test = app(name, **parse_qs(link))
    if link.startswith("source=upload&"):
        upload(test, FILE)
    blocks = (
        test.main,
        *filter(lambda block: block.type == "dialog", test._tree[2].children.values()),
    )
    shown = [element for block in blocks for element in _elements(block) if element.type != "empty"]
    shown += _elements(test.sidebar) if name == "data" else []
    return {
        "texts": [texts for element in shown if (texts := _texts(element))],
        "tables": _numbered(ends(element.value) for element in shown if element.type in TABLES),
        "pictures": _numbered(
            _picture(element.proto) for element in shown if element.type in CHARTS
        ),
    }


def _numbered(items: Iterator[Any]) -> dict[str, Any]:
    return {str(number): item for number, item in enumerate(items, 1)}


def _elements(block: Any) -> Iterator[Any]:
    """Everything in a block, in its order, but for the glossary, which is a document of its own."""
    for _, child in sorted(block.children.items()):
        if _label(child) != "Terms":
            yield child
            yield from _elements(child) if hasattr(child, "children") else ()


def _label(block: Any) -> str:
    """What stands on a block that can be opened."""
    proto = getattr(block, "proto", None)
    kind = {"popover": "popover", "expander": "expandable"}.get(block.type, "")
    return str(getattr(getattr(proto, kind, proto), "label", "")) if kind else ""


def _texts(element: Any) -> list[str]:
    """The lines that an element shows: its text; or its label, its options and what it says when pointed at."""
    proto = getattr(element, "proto", None)
    if hasattr(element, "children"):
        return [f"{element.type}: {_label(element)}"] if _label(element) else []
    if element.type in CHARTS:
        return [f"{element.type}: {proto.alt}"]
    said = [str(getattr(proto, field)) for field in FIELDS if getattr(proto, field, "")]
    options = [getattr(option, "content", option) for option in getattr(proto, "options", [])]
    said += [" | ".join(map(str, options))] if options else []
    return [f"{element.type}: {line}" for text in said for line in lines(text)]


def _picture(proto: Any) -> dict[str, Any]:
    """What a picture shows: its marks with what they encode, titles and domains, and the ends of its data."""
    spec = json.loads(proto.spec)
    data = {data.name: data.data.data for data in getattr(proto, "datasets", [])}
    if getattr(proto, "data", None) is not None and proto.data.data:
        data["data"] = proto.data.data
    frames = [pa.ipc.open_stream(content).read_pandas() for content in data.values()]
    return {"shows": list(dict.fromkeys(shown(spec))), "data": [ends(frame) for frame in frames]}


def shown(part: Any, channel: str = "") -> Iterator[str]:
    """The marks, titles, texts, fields and domains in a part of a specification, a line each."""
    if isinstance(part, list):
        for item in part:
            yield from shown(item, channel)
    if not isinstance(part, dict):
        return
    for key, value in part.items():
        if key == "mark":
            yield f"mark {value['type'] if isinstance(value, dict) else value}"
        elif key in SHOWN and not isinstance(value, dict) and value is not None:
            yield f"{channel}{key}: {json.dumps(plain(value), ensure_ascii=False)}"
        elif key not in HIDDEN:
            inner = f"{key} " if key in CHANNELS else channel
            yield from shown(value, inner)


def ends(frame: pd.DataFrame) -> dict[str, Any]:
    """The number of rows of a frame, and its first and last row."""
    rows = whole(frame.iloc[[0, -1]]) if len(frame) else whole(frame)
    return {"rows": len(frame)} | rows
