"""Metadata of a saved table, which determine its numbers; its bytes, CSV or Parquet; citations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from io import BytesIO
from json import dumps, loads
from typing import IO, TYPE_CHECKING
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import scipy

from ..scenario import Scenario
from ..sources.axis import UNIT_X, Axis
from ..support import VERSION
from ..support.readable import decimals
from ..support.tables import without_formulas
from ..text.data import View
from ..text.phrases import bounds_of

if TYPE_CHECKING:
    from ..lesson import Lesson
    from ..paper.figures import Figure, Settings

PUBLIC = (
    "computed from settings, guesses and numbers of records alone, without any value of the data"
)
MADE_WITH = f"numpy {np.__version__}, scipy {scipy.__version__}"  # what the last digits depend on
Metadata = dict[str, str]
About = Mapping[str, str] | None


def page_link(page: str, scenario: Scenario, x: Axis = UNIT_X) -> str:
    """The address of a page of the app with these settings, without a host; x: in whose units points are."""
    return f"/{page}?{urlencode(scenario.to_query(x), doseq=True)}"


def metadata(
    view: View, table: str, link: str = "", more: Mapping[str, object] | None = None
) -> Metadata:
    """Metadata of a table that was computed from the data of a view.

    table: what it holds, in words. link: of the page that shows it. more: settings of that page.

    The digest is that of the records in the unit square. It lets whoever has the same records recognise them; like
    every number of the table it is not differentially private.
    """
    data = {
        "data": view.data_name,
        "bounds of x": bounds_of(view.x),
        "bounds of y": bounds_of(view.y),
    }
    digest = {"digest": view.data.digest if len(view.grouped.groups) == 1 else view.grouped.digest}
    return public_metadata(view.scenario, table, link, more, data | digest) | {
        "note": view.computed
    }


def public_metadata(
    scenario: Scenario,
    table: str,
    link: str = "",
    more: Mapping[str, object] | None = None,
    data: About = None,
) -> Metadata:
    """Metadata of a table that depends on the scenario's own linear model alone: no data, so no digest of any."""
    about = {
        "dpslr": VERSION,
        "table": table,
        **(data or {}),
        "seed": str(scenario.seed),
        "epsilon": decimals(scenario.epsilon),
    }
    about |= {name: str(value) for name, value in (more or {}).items()}
    about |= {"link": link} if link else {}
    return about | {"made with": MADE_WITH, "scenario": scenario.model_dump_json(), "note": PUBLIC}


def figure_metadata(figure: Figure, settings: Settings) -> Metadata:
    """Metadata of the numbers of a figure of the paper."""
    parameters = {
        parameter.name: decimals(settings[parameter.name]) for parameter in figure.parameters
    }
    amount = {
        "data sets": str(settings.amount.datasets or "all"),
        "trials": str(settings.amount.trials),
    }
    about = {
        "dpslr": VERSION,
        "table": figure.heading,
        "figure": figure.name,
        **parameters,
        **amount,
    }
    return about | {"seed": str(settings.seed), "made with": MADE_WITH}


def lesson_metadata(lesson: Lesson) -> Metadata:
    """Metadata of the numbers of a step of the lesson."""
    said = {name: str(value) for name, value in asdict(lesson).items() if value is not None}
    return {
        "dpslr": VERSION,
        "table": f"lesson, step {lesson.step}",
        **said,
        "made with": MADE_WITH,
    }


def claims_metadata(version: str = "") -> Metadata:
    """Metadata of the table of the paper's claims; version: of the package that computed it, "" for just now."""
    from ..paper.measured import SETTINGS

    by = {"computed with": f"dpslr {version}"} if version else {"made with": MADE_WITH}
    settings = {name: str(value) for name, value in SETTINGS.items()}
    return {"dpslr": VERSION, "table": "numeric claims of the paper", **settings, **by}


def findings_metadata() -> Metadata:
    """Metadata of the stored tables of the page Findings."""
    from ..guidance.findings import DATASETS, HELD_OUT_SEED, MAP, SEED, TRACTS, VAR_E, VAR_X

    run = {"data sets": DATASETS, "tracts": TRACTS, "seed": SEED}
    about = {
        "dpslr": VERSION,
        "table": "newer algorithms and the paper's",
        "command": "python -m benchmarks findings",
    }
    about |= {name: str(value) for name, value in run.items()}
    return about | {
        "map": dumps(asdict(MAP)),
        "shapes": f"var(x) = {VAR_X}, var_e = {VAR_E}",
        "seed, held out": str(SEED + HELD_OUT_SEED),
    }


# ---------------------------------------------------------------- tables as bytes of a file

ROWS = 100_000  # that are made into bytes at a time


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """The frame as CSV, see write_csv."""
    write_csv(frame, buffer := BytesIO())
    return buffer.getvalue()


def write_csv(frame: pd.DataFrame, file: IO[bytes]) -> None:
    """The frame as CSV, its header in the first line; what it says of itself stands in a file of settings_bytes.

    Text that a spreadsheet would compute has an apostrophe in front, see without_formulas.
    """
    for first in range(0, max(len(frame), 1), ROWS):
        safe = without_formulas(frame.iloc[first : first + ROWS])
        file.write(safe.to_csv(index=False, header=first == 0, lineterminator="\n").encode())


def settings_bytes(about: Mapping[str, str]) -> bytes:
    """What a table says of itself, as an object of JSON: for a file beside its CSV.

    Its scenario is an object in turn, and what is a number is one; labels and versions stay texts.
    """
    said: dict[str, object] = {
        name: loads(text.replace(",", ""))
        if _NUMBER.fullmatch(text) and name not in _LABELS
        else text
        for name, text in about.items()
    }
    if "scenario" in about:
        said["scenario"] = loads(about["scenario"])
    return f"{dumps(said, indent=2, ensure_ascii=False)}\n".encode()


_NUMBER = re.compile(
    r"-?(0|[1-9]\d*|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?"
)  # as decimals and counts are written
_LABELS = {"dpslr", "group"}


def latex_bytes(frame: pd.DataFrame, about: About = None) -> bytes:
    """Write the frame as a LaTeX table, numbers to four digits, below its settings as comments."""
    settings = [f"% {name}: {' '.join(text.split())}" for name, text in (about or {}).items()]
    table = frame.to_latex(index=False, escape=True, na_rep="--", float_format="{:.4g}".format)
    head = r"% in the preamble: \usepackage{booktabs}; compile with lualatex or xelatex"
    return "\n".join([*settings, head, table]).encode()


def parquet_bytes(frame: pd.DataFrame, about: About = None) -> bytes:
    """The frame as Parquet, see write_parquet."""
    write_parquet(frame, buffer := BytesIO(), about)
    return buffer.getvalue()


def write_parquet(frame: pd.DataFrame, file: IO[bytes], about: About = None) -> None:
    """The frame as Parquet; pandas.read_parquet(file).attrs holds what it says of itself, as text in the schema."""
    described = frame.copy(deep=False)
    described.attrs = dict(about or {})
    described.to_parquet(file, index=False, row_group_size=ROWS)


# ---------------------------------------------------------------- how to cite the paper and this tool

PAPER = {
    "author": "Alabi, Daniel and McMillan, Audra and Sarathy, Jayshree and Smith, Adam and Vadhan, Salil",
    "title": "Differentially Private Simple Linear Regression",
    "journal": "Proceedings on Privacy Enhancing Technologies",
    "year": "2022",
    "volume": "2022",
    "number": "2",
    "pages": "184--204",
    "doi": "10.2478/popets-2022-0041",
}
TOOL = {
    "author": "{The dpslr authors}",
    "title": "dpslr: which differentially private simple-linear-regression algorithm for data like mine?",
    "year": "2026",
    "version": VERSION,
    "note": "Dashboard and Python package, MIT licence",
}


def bibtex() -> str:
    """Both as entries of BibTeX."""
    entries = (("article", "alabi2022dpslr", PAPER), ("software", "dpslr", TOOL))
    lines = {
        key: [f"  {name} = {{{value}}}," for name, value in fields.items()]
        for _, key, fields in entries
    }
    return "\n\n".join(
        "\n".join([f"@{kind}{{{key},", *lines[key], "}"]) for kind, key, _ in entries
    )


def plain_citations() -> str:
    """Both in words, the paper first."""
    p, t = PAPER, TOOL
    authors = p["author"].replace(" and ", "; ")
    pages = p["pages"].replace("--", "–")
    return (
        f"The paper: {authors} ({p['year']}). {p['title']}. {p['journal']} "
        f"{p['volume']}({p['number']}), {pages}. doi:{p['doi']}.\n"
        f"This tool: {t['author'].strip('{}')} ({t['year']}). {t['title']} Version {t['version']}."
    )
