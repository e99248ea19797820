"""The records that a release draws from: of a file of any kind the same, and none that may be no record."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from dpslr_core.release.once import records_on_grid
from dpslr_core.sources.files import read_file
from tests.cases.plans import planned, table, text

FRAME = pd.read_csv(io.StringIO(text()))


def test_a_totals_row_and_a_doubtful_sheet_stop_a_release():
    """Even where the plan counts the row: whether it is a record is asked before anything is drawn."""
    rows = text(n=59) + f"Total,{FRAME['hours'].sum():.2f},{FRAME['score'].sum():.1f}\n"
    with pytest.raises(
        ValueError, match=r"Row 61 looks like a totals row: column 'school' says 'Total'\."
    ):
        records_on_grid(planned(), read_file(rows.encode()))
    file = io.BytesIO()
    with pd.ExcelWriter(file) as writer:
        for title in ("first", "second"):
            FRAME.to_excel(writer, sheet_name=title, index=False)
    with pytest.raises(ValueError, match="holds several tables; sheet 'first' was read"):
        records_on_grid(planned(), read_file(file.getvalue()))


def test_a_title_above_the_header_stops_no_release():
    above = read_file(("# of the office\nHours and scores\n" + text()).encode())
    assert records_on_grid(planned(), above) == records_on_grid(planned(), table())
