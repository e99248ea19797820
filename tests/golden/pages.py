"""Every page at several links, as a browser is sent it: its texts, tables, pictures and the files it offers."""

from __future__ import annotations

import io
import json
import os
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs

import docx
import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest

from dpslr_core.lesson.settings import STEPS as LESSON_STEPS
from dpslr_core.support import VERSION
from ui.show import READ

from .stored import lines, specification, table

ROOT = Path(__file__).parents[2]
_LONG, _DIGEST = re.compile(r"\b\d+\.\d{9,}(?:e-?\d+)?\b"), re.compile(r"\b[0-9a-f]{64}\b")
# Figures of the paper that are quick, and whose data come with the project; of others see core.figures.
FIGURES = (
    "exponential-density", "widened-density", "hyperparameters", "failures-illinois", "failures-north-carolina",
    "theta", "smooth-sensitivity", "beta", "descent", "noisy-ratio",
)  # fmt: skip
FEW = "&".join(f"algorithms={name}" for name in ("OLS", "NoisyStats", "NoisyIntercept", "DPExpTheilSen", "DPGDPure"))
CENTERED = "algorithms=CenteredStats"
SMALL = f"n=30&trials=20&{FEW}"
TRACTS = f"source=sample&sample=tracts&epsilon=16&trials=20&{FEW}&algorithms=MaximumObservedSensitivity"
BIKES = f"source=sample&sample=bikes&trials=20&{FEW}&{CENTERED}"
TWO = "n=30&trials=20&algorithms=NoisyIntercept&algorithms=DPExpTheilSen"
SWEPT = "values=3&datasets=20&n_to=120"
MOVED = "record=3&record_y=0.9"
UPLOADED = "source=upload&x_column=hours&y_column=score&group_column=school&x_bounds=0, 8&y_bounds=20, 120"
FILE = "school,hours,score\n" + "".join(
    f"{('north', 'south')[i % 2]},{i * 7 % 30 / 3:.2f},{'n/a' if i == 9 else 40 + i * 11 % 50}\n" for i in range(40)
)
CLASS = "released=4&leaver=3&person=9&person_y=10&class_epsilon=1&students=50&scatter=5"
OPENS = "as it opens"
# Of each page the links that it is opened at, by name: the usual settings, other data, each of its views.
LINKS: dict[str, dict[str, str]] = {
    "start": {OPENS: ""},
    "data": {
        OPENS: "",
        "bikes, unit square": f"{BIKES}&zoom=true&unit_square=true&x_new=0.2, 0.6",
        "tracts, a record moved": f"{TRACTS}&group=T07&moving=true&{MOVED}",
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
        "tracts, two records a person": f"{TRACTS}&look_at=0.75&width=12&records_per_person=2&accounting=implied",
        "no answer": "n=12&slope=0&var_x=0.001&algorithms=NoisyStats&algorithms=OLS",
        **{view: f"{SMALL}&{CENTERED}&details={view}" for view in (
            "Private lines", "50 releases as dots", "All curves", "Release by release", "How sure"
        )},
        "distances from the line": f"{SMALL}&{CENTERED}&details=Private lines&residuals=true",
        "the trials": f"{SMALL}&{CENTERED}&details=All curves&show_trials=true",
    },
    "sweep": {
        OPENS: f"{SWEPT}&algorithms=OLS&algorithms=NoisyStats&algorithms=DPExpTheilSen",
        "tracts": f"{TRACTS}&vary=epsilon&values=3",
        "x_new": f"{SMALL}&{SWEPT}&vary=x_new",
        "widths": f"{SMALL}&{SWEPT}&{CENTERED}&shows=Width of intervals",
        "widths, tracts": f"{TRACTS}&vary=epsilon&values=2&shows=Width of intervals",
    },
    "small_areas": {
        OPENS: "",
        "tracts": TRACTS,
        **{view: f"{TRACTS}&flat_lines=true&area_details={view}" for view in (
            "Distribution over areas", "How sure", "When NoisyStats has no answer"
        )},
    },
    "guidance": {
        OPENS: f"n=30&{FEW}",
        "bikes, weaker guarantees": f"{BIKES}&weaker=true&algorithms=DPGDzCDP",
        **{view: f"{TWO}&guidance={view}" for view in (
            "When it changes", "Map", "Required ε or n", "Required ε or n&solve_for=n", "Memo", "Numbers"
        )},
    },
    "release": {
        OPENS: "",
        "bikes": f"{BIKES}&release_of=NoisyIntercept",
        "none can be released": "n=30&algorithms=DPGDPure&algorithms=OLS",
    },
    "findings": {OPENS: "", "weaker guarantees": "any=true"},
    "privacy": {
        OPENS: "",
        "tracts": f"{TRACTS}&{MOVED}&privacy_of=NoisyStats&privacy_at=0.75",
        "no output distribution": f"{SMALL}&privacy_of=DPGDPure",
        **{view: f"{SMALL}&{MOVED}&privacy_of=DPExpTheilSen&privacy_view={view}" for view in (
            "Attack", "Numbers", "Not private", "Ledgers", "Kinds of guarantee", "What ε = 16 promises"
        )},
    },
    "paper": {
        OPENS: "",
        "changed": "figure=noisy-ratio&noisy-ratio.epsilon=4&seed=5",
        **{name: f"figure={name}" for name in FIGURES},
    },
    "lesson": {
        **{step: f"step={step}" for step in LESSON_STEPS},
        "an earlier link": "step=5",
        **{f"{step}, moved": f"step={step}&{CLASS}" for step in LESSON_STEPS},
    },
    "methods": {OPENS: ""},
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
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="700" height="400" viewBox="0 0 700 400"></svg>'
PNG = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==")
TABLES, CHARTS = ("arrow_data_frame", "arrow_table", "dataframe", "table"), ("vega_lite_chart", "plotly_chart")
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
    saved: dict[str, Callable[[], bytes]] = {}

    def download_button(label: str, data: Any, file_name: str, *args: Any, **more: Any) -> None:
        saved[f"{label}: {file_name}"] = data

    with patch("streamlit.download_button", download_button):
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
        for key, values in parse_qs(link).items():
            test.query_params[key] = values
        test.switch_page(f"pages/{name}.py").run()
        if link.startswith("source=upload&"):
            test.file_uploader(key="upload_file").set_value(("mine.csv", FILE.encode(), "text/csv")).run()
        assert not test.exception, test.exception[0].message
        shown = [element for element in _elements(test.main) if element.type != "empty"]
        shown += _elements(test.sidebar) if name == "data" else []
        files = {file: taken for file, make in saved.items() if (taken := _file(file, make))}
    return {
        "texts": [texts for element in shown if (texts := _texts(element))],
        "tables": _numbered(table(element.value) for element in shown if element.type in TABLES),
        "pictures": _numbered(_picture(element.proto) for element in shown if element.type in CHARTS),
        "files": files,
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
    """The specification of a chart, with the data that were sent beside it."""
    spec = json.loads(proto.spec)
    spec.get("layout", {}).pop("template", None)
    for part, look in READ.items():  # the same on every picture
        own = {name: value for name, value in spec.get("config", {}).pop(part, {}).items() if value != look.get(name)}
        if own:
            spec["config"][part] = own
    sent = {data.name: data.data.data for data in getattr(proto, "datasets", [])}
    if getattr(proto, "data", None) is not None and proto.data.data:
        sent["data"] = proto.data.data
    tables = {name: table(pa.ipc.open_stream(content).read_pandas()) for name, content in sent.items()}
    return specification(spec | {"datasets": {**spec.get("datasets", {}), **tables}} if tables else spec)


def _file(name: str, make: Callable[[], bytes]) -> Any:
    """What is in a file that a page offers; nothing where another of its files has the same."""
    ending = Path(name).suffix
    if ending in (".parquet", ".png", ".tex") or (ending == ".html" and not name.endswith("report.html")):
        return None
    with drawn() as specifications:
        content = make()
    read = {".csv": _csv, ".json": _settings, ".svg": _svg, ".html": _html, ".docx": _word}[ending]
    return {"content": read(content)} | ({"specifications": specifications} if specifications else {})


@contextmanager
def drawn() -> Iterator[list[Any]]:
    """The specifications that are given to vl-convert, which draws none of them: its letters are the machine's."""
    specifications: list[Any] = []

    def svg(vl_spec: Any, *args: Any, **more: Any) -> str:
        specifications.append(specification(json.loads(vl_spec) if isinstance(vl_spec, str) else vl_spec))
        return SVG

    def png(vl_spec: Any, *args: Any, **more: Any) -> bytes:
        svg(vl_spec)
        return PNG

    with (
        patch("vl_convert.vegalite_to_svg", svg),
        patch("vl_convert.vegalite_to_png", png),
        patch("dpslr_core.charts.vega.javascript", str),
    ):
        yield specifications


def _settings(content: bytes) -> Any:
    """The settings beside a table, without version, digests and last digits, which machines do not share."""
    text = _LONG.sub(lambda number: f"{float(number[0]):.8g}", content.decode().replace(f'"{VERSION}"', '"VERSION"'))
    return json.loads(_DIGEST.sub("DIGEST", text))


def _csv(content: bytes) -> dict[str, Any]:
    text = content.decode()
    return {"table": table(pd.read_csv(io.StringIO(text)))}


def _svg(content: bytes) -> list[str]:
    """The words of a picture, and how many marks of each kind it has."""
    text = content.decode()
    marks = Counter(re.findall(r"<(line|circle|rect|path)\b", text))
    words = re.findall(r'aria-label="([^"]*)"|<(?:text|title)[^>]*>([^<]*)<', text)
    return [*(label or word for label, word in words), *(f"{count} {mark}" for mark, count in sorted(marks.items()))]


def _html(content: bytes) -> list[str]:
    """A report tag by tag, its pictures by their words, its style by a digest, without its scripts."""
    said, page = [], re.sub(r"(<script.*?>).*?(?=</script>)", r"\1", content.decode(), flags=re.DOTALL)
    page = re.sub(r"'sha256-[^']*'", "'sha256-'", page)
    for part in re.split(r"(<svg.*?</svg>|(?<=<style>).*?(?=</style>))", page, flags=re.DOTALL):
        if part.startswith("<svg"):
            said += _svg(part.encode())
        elif "<" in part:
            said += lines(part.replace("><", ">\n<"))
        elif part.strip():
            said.append(f"style {sha256(part.encode()).hexdigest()[:16]}")
    return said


def _word(content: bytes) -> list[str]:
    """The paragraphs, tables and pictures' texts of a Word file."""
    document = docx.Document(io.BytesIO(content))
    texts = [f"{paragraph.style.name}: {paragraph.text}" for paragraph in document.paragraphs if paragraph.text]
    rows = [" | ".join(cell.text for cell in row.cells) for grid in document.tables for row in grid.rows]
    pictures = [shape._inline.docPr.get("descr") for shape in document.inline_shapes]
    return [line for text in (*texts, *rows, *pictures) for line in lines(text)]
