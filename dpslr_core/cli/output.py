"""What a command gives: printed as a table or as JSON, or written to a file by its ending."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from errno import EACCES
from math import isfinite
from pathlib import Path
from typing import Any

import click
import pandas as pd
from click.core import ParameterSource

from ..report.parts import Report
from ..report.pictures.drawing import Drawable
from ..sources.files.stored import Damaged, unwritable
from ..support.amounts import format_amount
from .files import refuse_foreign, write_frame, write_result

TABLES, REPORTS, PICTURES = (".csv", ".parquet", ".json"), (".html", ".docx"), (".svg", ".png")
WIDTH = 700  # pixels of a picture
PRIVACY = "It is computed from the true data and is not private."


@dataclass(frozen=True)
class Output:
    """The result of a command.

    frame: all numbers. about: what determines them. name: of the table in JSON. shown: the columns that are printed;
    None: all. summary: further values for JSON. report, picture: make a report, or a picture with its sentence.
    """

    frame: pd.DataFrame
    about: Mapping[str, str]
    name: str = "rows"
    shown: Sequence[str] | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    report: Callable[[], Report] | None = None
    picture: Callable[[], tuple[Drawable, str]] | None = None

    def deliver(self, out: Path | None, as_json: bool, sentence: str = "") -> None:
        """Write to the file where one is named; print JSON, or else the sentence and the table.

        Where the table is in a file, the sentence alone is printed.
        """
        if out is not None:
            self.write(out)
            click.echo(f"Written to {out}. {self.warning}".rstrip(), err=as_json)
        if as_json:
            click.echo(self.json())
            return
        if sentence:
            click.echo(sentence)
        if out is None:
            frame = self.frame if self.shown is None else self.frame[list(self.shown)]
            click.echo(frame.to_string(index=False, float_format=lambda value: format_amount(value, 4)))

    @property
    def warning(self) -> str:
        """That the true data were looked at, where they were."""
        return PRIVACY if "digest" in self.about else ""

    def json(self) -> str:
        """Everything as JSON, to the last digit."""
        rows = [{name: json_value(cell) for name, cell in row.items()} for row in self.frame.to_dict("records")]
        summary = {name: json_value(value) for name, value in self.summary.items()}
        return json.dumps({**summary, "about": dict(self.about), self.name: rows}, indent=2, ensure_ascii=False)

    def write(self, out: Path) -> None:
        """The file, in the format that its ending names, whole or not at all."""
        if out.suffix in (".csv", ".parquet"):
            write_frame(self.frame, out, self.about)
            return
        if out.suffix == ".json":
            content = (self.json() + "\n").encode()
        elif self.picture is not None and out.suffix in PICTURES:
            content = picture_bytes(*self.picture(), out.suffix)
        else:
            assert self.report is not None, "check_out lets no other file through"
            content = report_bytes(self.report(), out.suffix)
        write_result(content, out)


def report_bytes(report: Report, suffix: str) -> bytes:
    """A report as .html or .docx, or its picture as .svg or .png. ImportError where what that needs is not here."""
    if suffix == ".html":
        from ..report.html import as_html

        return as_html(report).encode()
    if suffix == ".docx":
        from ..report.word import as_word  # python-docx and Pillow come with the app

        return as_word(report)
    return picture_bytes(report.picture, report.picture_sentence, suffix)


def picture_bytes(picture: Drawable, sentence: str, suffix: str) -> bytes:
    """A picture as .svg or .png. ImportError where what that needs is not here."""
    if suffix == ".svg":
        from ..report.pictures.svg import svg_file

        return svg_file(picture.drawing(WIDTH), sentence)
    from ..report.pictures.png import png  # Pillow comes with the app

    return png(picture.drawing(WIDTH))


def json_value(value: Any) -> Any:
    """A cell as JSON has it: null where a number is infinite or undefined."""
    if value is None or isinstance(value, str | bool):
        return value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, int | bool | list | dict) else str(value)


def check_out(
    out: Path | None,
    written: Sequence[str],
    file: Path | None = None,
    option: str = "--out",
    load: Callable[[Path], object] | None = None,
) -> None:
    """ValueError where the result could not be written after all the work, or would replace a file of someone else.

    load: reads the tables that come with dpslr, Damaged where a file holds none. Such a table may be replaced, and so
    may whatever is in the place of the one that comes with dpslr, where no other is named.
    """
    if out is None:
        return
    if out.suffix not in written:
        raise ValueError(f"{option} must end in {_or(written)}, got {str(out)!r}")
    if not out.parent.is_dir():
        raise ValueError(f"{option}: there is no folder {str(out.parent)!r}")
    check_folder(out)
    if file is not None and out.resolve() == file.resolve():
        raise ValueError(f"{option} would replace the data, {str(file)!r}")
    if load is None or not _replaceable(out, load):
        refuse_foreign(out, option=option)


def _replaceable(out: Path, load: Callable[[Path], object]) -> bool:
    """Whether a table of dpslr may be written here, see check_out."""
    if click.get_current_context().get_parameter_source("out") == ParameterSource.DEFAULT:
        return True
    try:
        load(out)
    except Damaged:
        return False
    return True


def check_folder(out: Path) -> None:
    """Unwritable where no file can be made in the folder that this one is to stand in."""
    if not os.access(out.parent, os.W_OK | os.X_OK):
        raise unwritable(out, OSError(EACCES, ""))


def _or(endings: Sequence[str]) -> str:
    """Endings as text: "a, b or c"."""
    return " or ".join(filter(None, [", ".join(endings[:-1]), endings[-1]]))
