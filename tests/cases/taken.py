"""What can be taken away from a page: the files of its buttons, its script and its command, run as a user would."""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from dpslr_core.cli import FINDING, main
from tests.cases.opened import app
from ui import lesson, paper, release, takeaway

Files = dict[str, Callable[[], bytes]]


@dataclass(frozen=True)
class Taken:
    """A page that was opened by a link.

    Attributes
    ----------
    test : the page
    files : what each button saves, by the name of the file
    """

    test: AppTest
    files: Files

    @property
    def script(self) -> str:
        """The script that the page shows."""
        return next(code.value for code in self.test.code if code.value.startswith('"""'))

    @property
    def command(self) -> str:
        """The command that the page shows; "" where there is none."""
        commands = (code.value for code in self.test.code if code.value.startswith("dpslr "))
        return next(commands, "")

    def table(self, name: str) -> pd.DataFrame:
        """The Parquet file; asserts that the other files of the table hold the same."""
        table = pd.read_parquet(io.BytesIO(self.files[f"{name}.parquet"]()))
        as_csv = io.BytesIO(self.files[f"{name}.csv"]())
        plain = pd.read_csv(as_csv)
        assert [column.lstrip("'") for column in plain] == list(table)
        assert len(plain) == len(table)
        settings = json.loads(self.files[f"{name}.csv.json"]())
        assert settings.keys() == table.attrs.keys()
        if "scenario" in settings:
            scenario = json.loads(table.attrs["scenario"])
            assert settings["scenario"] == scenario
            assert settings["epsilon"] == scenario["epsilon"]
            assert settings["seed"] == scenario["seed"]
        assert ("scenario" in settings) == ("scenario.json" in self.files)
        rows_of_latex = self.files[f"{name}.tex"]().decode().count(r"\\")
        assert rows_of_latex == len(table) + 1
        return table

    def by_script(self) -> dict[str, Any]:
        """The names that the script has made once it has run."""
        names: dict[str, Any] = {"__name__": "script"}
        exec(compile(self.script, "script.py", "exec"), names)
        return names

    def by_command(self, table: str) -> pd.DataFrame:
        """The table of the command, in JSON or a CSV, run in a folder with the scenario of the page."""
        _, *words = shlex.split(self.command)
        out = words[-1] if "--out" in words else ""
        with TemporaryDirectory() as folder, chdir(folder):
            if "scenario.json" in self.files:
                Path("scenario.json").write_bytes(self.files["scenario.json"]())
            one_process = ["--workers", "1"] if words[0] in ("required", "sweep") else []
            done = CliRunner().invoke(main, [*words, *one_process, *([] if out else ["--json"])])
            assert done.exit_code in (0, FINDING), done.output
            if out:
                return pd.read_csv(out)
        return pd.DataFrame(json.loads(done.stdout)[table])


def taken(page: str, **query: str | list[str]) -> Taken:
    """A page as a link opens it, and what its buttons save."""
    files: Files = {}
    with pytest.MonkeyPatch.context() as patch:
        save_into(files, patch)
        return Taken(app(page, **query), files)


def save_into(files: Files, patch: pytest.MonkeyPatch) -> None:
    """Let buttons add to the files what they save, or make and save."""

    def button(label: str, data: bytes, name: str, *more: object, **others: object) -> None:
        files[name] = lambda: data

    def make(label: str, make: Callable[[], bytes], name: str, *more: object) -> None:
        files[name] = make

    patch.setattr("streamlit.download_button", button)
    for module in (lesson, paper, release, takeaway):
        patch.setattr(module, "make_and_save", make)


def again(page: str, table: pd.DataFrame) -> Taken:
    """The page as the link of a saved table opens it."""
    return taken(page, **parse_qs(urlsplit(table.attrs["link"]).query))


class PageRead(HTMLParser):
    """A page of HTML as it is read.

    Attributes
    ----------
    tags : each tag with its attributes
    text : all that is read
    rows : the cells of all tables, row by row
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.rows: list[list[str]] = []
        self._into = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._into = tag
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag: str) -> None:
        self._into = ""

    def handle_data(self, data: str) -> None:
        if self._into in ("th", "td"):
            self.rows[-1].append(data)
        if self._into and self._into != "style":
            self.text += data

    def table(self, head: list[str]) -> pd.DataFrame:
        """The rows below the last head that begins with these cells, which is that of the appendix."""
        *_, place = (i for i, row in enumerate(self.rows) if row[: len(head)] == head)
        columns = self.rows[place]
        below = []
        for row in self.rows[place + 1 :]:
            if len(row) != len(columns):
                break
            below.append(row)
        return pd.DataFrame(below, columns=columns)


def number(cell: str) -> float:
    """A number as a report writes it; infinite where it is a dash."""
    if cell == "—":
        return float("inf")
    return float(cell.replace(",", "").removeprefix("±"))
