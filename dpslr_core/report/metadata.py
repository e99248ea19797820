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
    """Address of a page of the app with these settings, without a host.

    Parameters
    ----------
    page : str
        Name of the page.
    scenario : Scenario
        The settings.
    x : Axis
        Units in which the address gives points.
    """
    return f"/{page}?{urlencode(scenario.to_query(x), doseq=True)}"


def metadata(
    view: View, table: str, link: str = "", more: Mapping[str, object] | None = None
) -> Metadata:
    """Metadata of a table that was computed from the data of a view.

    The metadata hold the digest of the records in the unit square, by which owners of the same records recognise
    them. Like every number of the table it is not differentially private.

    Parameters
    ----------
    view : View
        Data and scenario.
    table : str
        Content of the table, in words.
    link : str
        Address of the page that shows the table.
    more : mapping, optional
        Settings of that page.
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
    """Metadata of a table that depends on the scenario's own linear model alone, so that there is no digest."""
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


def _about(table: str, **settings: object) -> Metadata:
    """Metadata of a table that depends on no data of the user."""
    return {"dpslr": VERSION, "table": table} | {
        name: str(value) for name, value in settings.items()
    }


def figure_metadata(figure: Figure, settings: Settings) -> Metadata:
    """Metadata of the numbers of a figure of the paper."""
    parameters = {
        parameter.name: decimals(settings[parameter.name]) for parameter in figure.parameters
    }
    run = {"data sets": settings.amount.datasets or "all", "trials": settings.amount.trials}
    run |= {"seed": settings.seed, "made with": MADE_WITH}
    return _about(figure.heading, figure=figure.name, **parameters, **run)


def lesson_metadata(lesson: Lesson) -> Metadata:
    """Metadata of the numbers of a step of the lesson."""
    chosen = {name: value for name, value in asdict(lesson).items() if value is not None}
    return _about(f"lesson, step {lesson.step}", **chosen, **{"made with": MADE_WITH})


def claims_metadata(version: str = "") -> Metadata:
    """Metadata of the table of the paper's claims.

    Parameters
    ----------
    version : str
        Version of the package that computed the table; "" for this one.
    """
    from ..paper.measured import SETTINGS

    by = {"computed with": f"dpslr {version}"} if version else {"made with": MADE_WITH}
    return _about("numeric claims of the paper", **SETTINGS, **by)


def findings_metadata() -> Metadata:
    """Metadata of the stored tables of the page Findings."""
    from ..guidance.findings import DATASETS, HELD_OUT_SEED, MAP, SEED, TRACTS, VAR_E, VAR_X

    run = {"data sets": DATASETS, "tracts": TRACTS, "seed": SEED, "map": dumps(asdict(MAP))}
    shapes = {"shapes": f"var(x) = {VAR_X}, var_e = {VAR_E}"}
    held_out = {"seed, held out": SEED + HELD_OUT_SEED}
    command = "python -m benchmarks findings"
    return _about("newer algorithms and the paper's", command=command, **run, **shapes, **held_out)


# ---------------------------------------------------------------- tables as bytes of a file

ROWS = 100_000  # rows that are made into bytes at a time, to save memory


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """Return the frame as bytes of CSV, as `write_csv` writes it."""
    write_csv(frame, buffer := BytesIO())
    return buffer.getvalue()


def write_csv(frame: pd.DataFrame, file: IO[bytes]) -> None:
    """Write the frame as CSV, its header in the first line; its metadata go into a file of `settings_bytes`.

    Text that a spreadsheet would compute has an apostrophe in front, see without_formulas.
    """
    for first in range(0, max(len(frame), 1), ROWS):
        safe = without_formulas(frame.iloc[first : first + ROWS])
        file.write(safe.to_csv(index=False, header=first == 0, lineterminator="\n").encode())


def settings_bytes(about: Mapping[str, str]) -> bytes:
    """Return the metadata of a table as bytes of a JSON object, for a file beside its CSV.

    The scenario is an object in turn, and numbers are numbers; labels and versions stay texts.
    """
    values: dict[str, object] = {
        name: loads(text.replace(",", ""))
        if _NUMBER.fullmatch(text) and name not in _LABELS
        else text
        for name, text in about.items()
    }
    if "scenario" in about:
        values["scenario"] = loads(about["scenario"])
    return f"{dumps(values, indent=2, ensure_ascii=False)}\n".encode()


# A number as `decimals` writes it, or a count with separators.
_NUMBER = re.compile(r"-?(0|[1-9]\d*|[1-9]\d{0,2}(,\d{3})+)(\.\d+)?")
_LABELS = {"dpslr", "group"}


def latex_bytes(frame: pd.DataFrame, about: About = None) -> bytes:
    """Return the frame as bytes of a LaTeX table, numbers to four digits, below its metadata as comments."""
    settings = [f"% {name}: {' '.join(text.split())}" for name, text in (about or {}).items()]
    table = frame.to_latex(index=False, escape=True, na_rep="--", float_format="{:.4g}".format)
    head = r"% in the preamble: \usepackage{booktabs}; compile with lualatex or xelatex"
    return "\n".join([*settings, head, table]).encode()


def parquet_bytes(frame: pd.DataFrame, about: About = None) -> bytes:
    """Return the frame as bytes of Parquet, as `write_parquet` writes it."""
    write_parquet(frame, buffer := BytesIO(), about)
    return buffer.getvalue()


def write_parquet(frame: pd.DataFrame, file: IO[bytes], about: About = None) -> None:
    """Write the frame as Parquet, with its metadata as ``attrs``, which pandas.read_parquet restores."""
    described = frame.copy(deep=False)
    described.attrs = dict(about or {})
    described.to_parquet(file, index=False, row_group_size=ROWS)


# ---------------------------------------------------------------- how to cite the paper and this tool

BIBTEX = f"""@article{{alabi2022dpslr,
  author = {{Alabi, Daniel and McMillan, Audra and Sarathy, Jayshree and Smith, Adam and Vadhan, Salil}},
  title = {{Differentially Private Simple Linear Regression}},
  journal = {{Proceedings on Privacy Enhancing Technologies}},
  year = {{2022}},
  volume = {{2022}},
  number = {{2}},
  pages = {{184--204}},
  doi = {{10.2478/popets-2022-0041}},
}}

@software{{dpslr,
  author = {{{{The dpslr authors}}}},
  title = {{dpslr: which differentially private simple-linear-regression algorithm for data like mine?}},
  year = {{2026}},
  version = {{{VERSION}}},
  note = {{Dashboard and Python package, MIT licence}},
}}"""
CITATIONS = f"""The paper: Alabi, Daniel; McMillan, Audra; Sarathy, Jayshree; Smith, Adam; Vadhan, Salil (2022). \
Differentially Private Simple Linear Regression. Proceedings on Privacy Enhancing Technologies 2022(2), 184–204. \
doi:10.2478/popets-2022-0041.
This tool: The dpslr authors (2026). dpslr: which differentially private simple-linear-regression algorithm for \
data like mine? Version {VERSION}."""
