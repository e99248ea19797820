"""Claims of the introduction and about data: the prediction, winsorization and the literal reading of the nanotubes."""

import numpy as np
import pytest

from dpslr_core.paper.claims import measured
from dpslr_core.paper.claims.outline import data as data_claims
from dpslr_core.paper.claims.outline import introduction
from dpslr_core.sources import uci


def test_the_prediction_is_ols_and_winsorized_records_lie_within_percentiles():
    data = measured.line(60, 0.03, 0.01)
    records = np.array([data.x, data.y])
    assert introduction._prediction(records) == pytest.approx(data.predict(0.25)[0])
    pulled_in = introduction._winsorized(records)
    assert pulled_in.min(axis=1) == pytest.approx(np.quantile(records, 0.1, axis=1))
    assert pulled_in.max(axis=1) == pytest.approx(np.quantile(records, 0.9, axis=1))


def test_one_record_moves_a_prediction_without_bound():
    assert [introduction.change_of_ols(width) for width in (1e-3, 1e-6)] == pytest.approx([250, 250_000])


def test_rows_outside_the_unit_square_are_not_counted(tmp_path, monkeypatch):
    header = "Initial atomic coordinate u;Initial atomic coordinate w;Calculated atomic coordinates u'"
    rows = ["0,5;0,1;0,6", "1,2;0,1;0,6", "0,5;7;0,6", "0,5;0,1;-0,1"]
    (tmp_path / "carbon_nanotubes.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    monkeypatch.setenv(uci.FOLDER_VARIABLE, str(tmp_path))
    assert data_claims.rows_within_the_square() == 2


def test_without_the_file_there_is_no_number(monkeypatch):
    monkeypatch.setattr(data_claims, "find_uci", lambda key: None)
    with pytest.raises(uci.DataUnavailable):
        data_claims.rows_within_the_square()
