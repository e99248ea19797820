"""The records that a release draws from: of a file of any kind the same, and none that may be no record."""

from __future__ import annotations

import io

import pandas as pd
import pytest

from dpslr_core.release.once import records_on_grid
from dpslr_core.sources.files import read_file
from tests.cases.plans import planned, table, text

FRAME = pd.read_csv(io.StringIO(text()))


def test_stata_files_are_released_by_their_stored_numbers():
    """Labels that turn the order of the numbers around do not turn the slope around."""
    frame = FRAME.assign(hours=FRAME["hours"].round().astype(int))
    file = io.BytesIO()
    labels = {"hours": {number: f"{8 - number}" for number in range(9)}}
    frame.to_stata(file, write_index=False, value_labels=labels)
    stored = records_on_grid(planned(), read_file(file.getvalue(), "a.dta"))
    written = records_on_grid(planned(), read_file(frame.to_csv(index=False).encode()))
    assert stored == written


@pytest.mark.parametrize("ending", ["parquet", "xlsx"])
def test_files_of_other_kinds_have_the_same_records(ending):
    file = io.BytesIO()
    FRAME.to_parquet(file) if ending == "parquet" else FRAME.to_excel(file, index=False)
    assert records_on_grid(planned(), read_file(file.getvalue())) == records_on_grid(
        planned(), table()
    )


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
