"""What can be taken away from the Data page."""

from __future__ import annotations

from functools import partial

import pandas as pd

from dpslr_core.charts.records import moved_picture, records_picture
from dpslr_core.experiments.curves import regression_lines
from dpslr_core.experiments.moved import MovedRecord
from dpslr_core.report.scripts import data_script
from dpslr_core.text.data import data_sentence
from dpslr_core.text.moved import moved_sentence

from ..settings import View
from ..takeaway.panel import Shown, drawn, take_away
from .moved import data_query


def take_data_away(view: View, table: pd.DataFrame, moved: MovedRecord | None, zoom: bool) -> None:
    """The predictions, the picture of the records and the script; moved: where the page moves a record."""

    def picture() -> bytes:
        if moved is None:
            lines = regression_lines(view.data)
            return drawn(records_picture(view.data, lines, view.x, view.y, zoom), data_sentence(view))
        told = moved_sentence(moved, view.scenario.at[0], view.x, view.y)
        return drawn(moved_picture(moved, view.x, view.y, zoom), told)

    take_away(
        Shown(
            page="data",
            scenario=view.scenario,
            query=data_query(view),
            table=table,
            script=partial(data_script, view, moved),
            reproducible=view.grouped.reproducible,
            picture=picture,
        )
    )
