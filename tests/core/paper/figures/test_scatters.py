"""The records in print: their counts and n var(x), from the files where they are."""

import pytest
from paper_cases import uci_or_skip

from dpslr_core.paper.figures import figure_named
from dpslr_core.paper.figures.figure import Verdict


@pytest.mark.parametrize(
    ("name", "key", "told"),
    [
        ("bike-records", "bikes", "the 288 data sets have 45 to 62 records and standard errors of 0.0003 to 0.32."),
        ("nanotube-records", "nanotubes", "there are 10,683 records, with n var(x) = 889.2228."),
        ("stock-records", "stocks", "there are 250 records"),
    ],
)
def test_the_records_are_those_in_print(monkeypatch, name, key, told):
    uci_or_skip(monkeypatch, key)
    figure = figure_named(name)
    settings = figure.settings()
    frame = figure.compute(settings)
    verdict = figure.agrees(frame, settings)
    assert verdict.verdict is Verdict.AGREES and told in verdict.sentence
    (drawn,) = figure.panels(frame, settings).values()
    assert 0 < len(drawn.frame) <= 2000


def test_other_records_are_told_apart():
    import pandas as pd

    figure = figure_named("nanotube-records")
    frame = pd.DataFrame({"n": [10_682], "nvar": [889.2]})
    assert figure.agrees(frame, figure.settings()).verdict is Verdict.DIFFERS


def test_another_month_is_another_data_set(monkeypatch):
    uci_or_skip(monkeypatch, "bikes")
    figure = figure_named("bike-records")
    titles = [figure.tasks(figure.settings({"month": month}))[0].panel for month in (3, 7)]
    assert titles == ["month 3, hour 15", "month 7, hour 15"]
