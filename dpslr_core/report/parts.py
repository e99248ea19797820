"""What a report is made of, whichever way it is written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Section:
    """Sentences under a heading."""

    heading: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Texts in rows under the names of columns; the first column names the row.

    heading: what stands above; sentence: what the numbers say, between the two.
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentence: str = ""


@dataclass(frozen=True)
class Report:
    """All that a report says, in its order.

    answer: the headline. context: data and budget. warning: that it is not private. warnings: what the page warns of
    besides. about: question, data, settings. picture: a Vega-Lite specification with its data, see charts.files.
    picture_sentence: what the picture shows, its accessible name. method: how the numbers are made, and their limits.
    again: how to get them again. link: of the app's page, without a host. scenario: as JSON. made_with: versions.
    more: tables after the main one.
    """

    title: str
    answer: str
    context: str
    warning: str
    about: tuple[Section, ...]
    picture: dict[str, Any]
    picture_sentence: str
    table: Table
    method: tuple[Section, ...]
    again: str
    link: str
    scenario: str
    made_with: str
    more: tuple[Table, ...] = ()
    warnings: tuple[str, ...] = ()
