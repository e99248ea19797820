"""What the Data page says: bounds, clipped values, predictions and moved records in the user's units."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from dpslr_core.audit.moved import MovedRecord
from dpslr_core.dataset import Dataset
from dpslr_core.privacy.accounting import Accounting
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import Axis
from dpslr_core.sources.choices import KINDS
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.sources.samples import SAMPLES, load_sample
from dpslr_core.text import data as said
from tests.cases.tables import table as cases

TEMPERATURE, RIDES = Axis("temperature", "°C", -8, 39), Axis("rides", "", 0, 150_000)


def view_of(grouped: GroupedData, group: str | None = None, **settings: object) -> said.View:
    label = group or grouped.groups[0]
    return said.View(
        Scenario(**settings), grouped, label, grouped.dataset(label), grouped.x, grouped.y
    )


def drawn(x, y) -> said.View:
    grouped = GroupedData(
        "bikes", "", TEMPERATURE, RIDES, pd.DataFrame({"group": "all", "x": x, "y": y})
    )
    return view_of(grouped)


def test_only_a_file_of_ones_own_is_called_true_data_that_are_not_private():
    """What comes with the project is simulated, as each sample says of itself; UCI's files are public."""
    sentence = {kind: said.COMPUTED[choice.origin] for kind, choice in KINDS.items()}
    assert [kind for kind, words in sentence.items() if "not private" in words] == ["upload"]
    assert [kind for kind, words in sentence.items() if "public" in words] == ["uci"]
    assert {kind for kind, words in sentence.items() if "simulated" in words} == {
        "synthetic",
        "sample",
        "state",
    }
    assert all(load_sample(sample.key).about.startswith("Simulated") for sample in SAMPLES)


def table(rows: int = 200, **losses: object) -> GroupedData:
    frame = pd.DataFrame({"group": "all", "x": np.linspace(0, 1, rows), "y": 0.5})
    return GroupedData("bikes", "", TEMPERATURE, RIDES, frame, **losses)


LOSSES = cases("""
    {"left_out": 1} | false | 1 of 201 rows left out; nothing clipped.
    {"left_out": 3} | true | 3 of 203 rows left out; nothing clipped.
    {"clipped_x": 1} | false | No row left out; 1 of 200 values of temperature clipped.
    {"left_out": 2, "clipped_y": 2} | true | 2 of 202 rows left out; 2 of 200 values of rides clipped.
    {"left_out": 24, "left_out_with_group": 14} | true | 24 of 224 rows left out (10 unusable, 14 in groups without a
""")


def test_losses_matter_from_one_in_a_hundred_on():
    for losses, matters, sentence in LOSSES:
        grouped = table(**losses)
        assert (
            said.losses_sentence(grouped).startswith(sentence)
            and said.losses_matter(grouped) == matters
        )
        assert bool(said.upload_warnings(grouped, 1)) == matters


def test_rows_of_one_person_stand_beside_what_the_guarantee_covers():
    unknown, three = (table(rows_per_person=most) for most in (0, 3))
    assert said.persons_sentence(unknown, 1) == "" and said.upload_warnings(unknown, 1) == ()
    assert (
        said.persons_sentence(three, 3)
        == "In this file one person has 3 rows at most. The guarantee covers 3."
    )
    assert said.upload_warnings(three, 3) == ()
    sentence = said.persons_sentence(three, 2)
    assert sentence.startswith(
        "In this file one person has 3 rows at most, but the guarantee covers 2. Say "
    )
    assert said.upload_warnings(three, 2) == (sentence, said.READ_OFF)


def test_areas_whose_records_all_lie_to_one_side_of_a_point_are_counted():
    low, high = Dataset([0.1, 0.2, 0.3], [0.1, 0.3, 0.2]), Dataset([0.5, 0.6, 0.9], [0.1, 0.3, 0.2])
    for at, ending in ((0.05, "records."), (0.4, "records."), (0.3, "1 of 2 areas.")):
        sentence = said.beyond_sentence([low, high], TEMPERATURE, at)
        assert sentence.startswith("The point temperature = ") and sentence.endswith(ending)
    assert said.beyond_sentence([low], TEMPERATURE, 0.3) == ""


def test_the_headline_says_why_there_is_no_sampling_error():
    x = np.array([0.0, 0.5, 1.0])
    assert said.data_headline(drawn(x, x), 0.25) == said.ON_ONE_LINE and not said.data_context(
        drawn(x, x), 0.25
    )
    flat = replace(drawn(x, 0.5), data=Dataset([0.5] * 3, [0.1, 0.2, 0.3]))
    assert (
        said.data_headline(flat, 0.25)
        == "All 3 records have the same temperature, so no line can be fitted."
    )
    assert said.data_sentence(flat, 0.25) == "The records; there is no line."


def test_points_outside_the_records_are_extrapolated():
    for ends, at, outside in (
        ((0.25, 0.75), (0.25, 0.75), ""),
        ((0.1, 0.425532), (0.25, 0.75), "temperature = 27.25 °C lies"),
        ((0.5, 0.500001), (0.25, 0.3), "temperature = 3.75 °C and 6.1 °C lie"),
    ):
        frame = pd.DataFrame({"group": "all", "x": np.linspace(*ends, 7), "y": 0.5})
        view = view_of(GroupedData("bikes", "", TEMPERATURE, RIDES, frame), at=at)
        sentence = said.extrapolation_sentence(view)
        assert (
            sentence.removesuffix(" beyond all records: the line is extrapolated there.") == outside
        )


def test_a_delta_above_one_over_n_is_warned_of():
    at_most, above = (
        said.delta_sentence(Accounting("approx", delta), table()) for delta in (0.005, 0.006)
    )
    assert at_most == "" and above.startswith("δ = 0.006 is above 1/n = 0.005. ")


X, Y = Axis("temperature", "°C", -10, 30), Axis("rides", "", 0, 1000)
DATA = Dataset(np.linspace(0.1, 0.9, 12), np.linspace(0.2, 0.6, 12))


def test_a_move_is_told_in_the_units_of_the_data():
    moved = MovedRecord(DATA, 11, 0.9, 0.1)
    sentence = said.moved_sentence(moved, 0.75, X, Y)
    fall = 1000 * (DATA.predict(0.75)[0] - moved.after.predict(0.75)[0])
    assert f"OLS at temperature = 20 °C falls by {fall:.3g}." in sentence
    assert "With record 12 at (26 °C, 100)" in sentence and "Theil–Sen stays." in sentence
