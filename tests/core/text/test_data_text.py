"""What the Data page says: bounds, clipped values, the prediction in the user's units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from readable import check_readable

from dpslr_core.dataset import Dataset
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.samples import load_sample
from dpslr_core.text.data import (
    View,
    bounds_sentence,
    clipping_sentence,
    data_headline,
    data_sentence,
    extrapolation_sentence,
)
from dpslr_core.text.phrases import format_amount

TEMPERATURE, RIDES = Axis("temperature", "°C", -8, 39), Axis("rides", "", 0, 150_000)


def view_of(grouped: GroupedData, group: str | None = None, **settings: object) -> View:
    label = group or grouped.groups[0]
    return View(Scenario(**settings), grouped, label, grouped.dataset(label), grouped.x, grouped.y)


def drawn(x, y) -> View:
    grouped = GroupedData("bikes", "", TEMPERATURE, RIDES, pd.DataFrame({"group": "all", "x": x, "y": y}))
    return view_of(grouped)


def test_bounds_are_in_the_users_units():
    frame = pd.DataFrame({"group": "all", "x": [0.0, 10, 50], "y": [1.0, -2, -3]})
    grouped = GroupedData.rescaled("bikes", "", TEMPERATURE, RIDES, frame)
    bounds = "Public bounds: temperature (°C) -8 to 39, rides 0 to 150,000."
    assert bounds_sentence(grouped) == bounds
    text = clipping_sentence(grouped)
    assert text.startswith(bounds)
    assert "1 value of temperature was clipped to the bounds. 2 values of rides were clipped" in text
    check_readable(text)


def test_the_headline_has_the_prediction_and_its_standard_error():
    view = view_of(load_sample("bikes"), "month 1, hour 3")
    data, text = view.data, data_headline(view)
    rides, error = (1000 * float(of([0.25])[0]) for of in (data.predict, data.standard_error))
    assert text == (
        f"{data.n:,} records; at temperature = 3.75 °C the line predicts rides per hour = {format_amount(rides)}, "
        f"standard error ±{format_amount(error)}"
    )
    check_readable(text)


def test_the_picture_says_how_far_theil_sen_is():
    view = view_of(load_sample("bikes"), "month 1, hour 3")
    data, text = view.data, data_sentence(view)
    gap = abs(float(data.theil_sen([0.25])[0] - data.predict([0.25])[0])) / float(data.standard_error([0.25])[0])
    assert text == f"At temperature = 3.75 °C, OLS and Theil–Sen are {gap:.2g} standard errors apart."
    check_readable(text)


def test_a_line_that_fits_exactly():
    x = np.array([0.0, 0.5, 1.0])
    assert data_headline(drawn(x, x)) == (
        "3 records; at temperature = 3.75 °C the line predicts rides = 37,500, standard error ±0"
    )
    assert data_sentence(drawn(x, x)) == "The OLS line fits exactly."


def test_no_line_where_x_does_not_vary():
    flat = replace(drawn([0.0, 0.5, 1.0], 0.5), data=Dataset([0.5] * 3, [0.1, 0.2, 0.3]))
    assert data_headline(flat) == "All 3 records have the same temperature, so no line can be fitted"
    assert data_sentence(flat) == "The records; there is no line."


@pytest.mark.parametrize(
    ("ends", "at", "sentence"),
    [
        ((0.0, 1.0), (0.0, 0.25, 1.0), ""),
        ((0.25, 0.75), (0.25, 0.75), ""),
        (
            (0.1, 20 / 47),
            (0.25, 0.75),
            "temperature = 27.25 °C lies beyond the records, which end at 12 °C: the line is extrapolated there.",
        ),
        (
            (0.5, 0.5 + 1e-6),
            (0.25, 0.3, 0.75),
            "temperature = 3.75 °C and 6.1 °C lie below the records, which begin at 15.5 °C; "
            "temperature = 27.25 °C lies beyond the records, which end at 15.5 °C: the line is extrapolated there.",
        ),
    ],
)
def test_points_outside_the_records_are_extrapolated(ends, at, sentence):
    frame = pd.DataFrame({"group": "all", "x": np.linspace(*ends, 7), "y": 0.5})
    view = view_of(GroupedData("bikes", "", TEMPERATURE, RIDES, frame), at=at)
    assert extrapolation_sentence(view) == sentence


@pytest.mark.parametrize(("groups", "name"), [(1, "bikes"), (2, "bikes, b0")])
def test_a_data_set_is_named_with_its_group_where_there_are_several(groups, name):
    frame = pd.DataFrame({"group": [f"b{i % groups}" for i in range(12)], "x": np.linspace(0, 1, 12), "y": 0.5})
    assert view_of(GroupedData("bikes", "", TEMPERATURE, RIDES, frame)).data_name == name
