"""Plans: public settings alone, with a digest that sees every change."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpslr_core.mechanisms import (
    CenteredStats,
    CenteredStatsGaussian,
    DPGDApprox,
    DPSSTheilSen,
)
from dpslr_core.privacy import ZCDP, PureDP
from dpslr_core.release import plan
from dpslr_core.release.base import float_below
from dpslr_core.release.plans import LOOKED, Plan, Promise, exact
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import UNIT_X, UNIT_Y
from dpslr_core.sources.choices import UploadedFile
from dpslr_core.sources.grouping import GroupedData
from dpslr_core.support.readable import decimals

COLUMNS = UploadedFile(x_column="hours", y_column="score", x_bounds=(0, 8), y_bounds=(20, 120))
OF_AREAS = COLUMNS.model_copy(update={"group_column": "school"})
SCENARIO = Scenario(source=COLUMNS, epsilon=0.1, mechanisms=(CenteredStats(),))
SAID = {"bounds_from": "the timetable and the test's scale", "choice_from": "simulated data"}


def made(**more):
    return plan(SCENARIO, **({"n": 40} | SAID | more))


def test_a_plan_holds_the_scenario_s_settings_and_comes_back_from_its_file(tmp_path):
    kept = made()
    assert (kept.mechanism, kept.at, kept.n, str(kept.promise)) == (
        CenteredStats(),
        SCENARIO.at,
        40,
        "ε = 0.1",
    )
    path = tmp_path / "plan.json"
    path.write_text(kept.to_json(), encoding="utf-8")
    assert Plan.read(path) == kept and Plan.read(path).sha256 == kept.sha256
    assert LOOKED not in kept.to_json()


def test_every_setting_changes_the_digest():
    assert made().content.keys() == Plan.model_fields.keys()
    others = {"n": 41}, {"choice_from": LOOKED}, {"algorithm": CenteredStats(b=(4, 4, 2, 1, 2))}
    assert len({made(**other).sha256 for other in ({}, *others)}) == 4


def test_a_plan_that_was_changed_is_refused():
    kept = made()
    for old, new in (('"n": 40', '"n": 41'), ("timetable", "data"), ('"n": 40', '"n": 40.0')):
        with pytest.raises(ValueError, match="changed after it was made"):
            Plan.from_json(kept.to_json().replace(old, new))
    for text in ("", "{}", "[]", '{"plan": 1, "sha256": 2}', "[" * 100_000, kept.to_json()[:-40]):
        with pytest.raises(ValueError, match=r"holds no plan|cannot be used"):
            Plan.from_json(text)
    held = json.loads(kept.to_json())
    with pytest.raises(ValueError, match="changed after it was made"):
        Plan.from_json(json.dumps(held | {"approved by": "the office"}))
    held["plan"]["n"] = 1
    with pytest.raises(ValueError, match="cannot be used: n: "):
        Plan.from_json(json.dumps(held))


def test_a_name_that_stands_twice_in_a_plan_is_refused():
    """A reviewer who reads the first sees another plan than a program that takes the last."""
    twice = made().to_json().replace('"amount"', '"amount": "0.01", "amount"', 1)
    assert Plan.model_validate(json.loads(twice)["plan"]) == made()
    with pytest.raises(ValueError, match="'amount' stands twice"):
        Plan.from_json(twice)


UNITS = ["person. Signed by the office. One cat", "person, who", "a; b", "x\ny", "one " * 7]
AREAS = {"columns": OF_AREAS, "n": None, "areas": {"a": 2, "b": 9}}
WRONG = [
    *(({"unit": unit}, "unit must be at most 6 words") for unit in UNITS),
    ({"n": 2_000_000}, "n: Input should be less than or equal to 1000000"),
    ({"bounds_from": " "}, "bounds_from must say"),
    ({"choice_from": ""}, "choice_from must say"),
    (
        {"columns": UploadedFile(x_column="hours", y_column="score")},
        "columns must name x and y and the public bounds",
    ),
    ({"algorithm": DPGDApprox()}, "promise must be pure or zero-concentrated"),
    ({"algorithm": DPSSTheilSen()}, "DPSSTheilSen cannot be released: there is no exact sampler"),
    (AREAS, "3 records or more each"),
    ({"areas": {"a": 20, "b": 20}, "n": None}, "areas need the column"),
    (AREAS | {"smallest": 10}, "must leave areas with a line"),
    (AREAS | {"smallest": 2}, "smallest: Input should be greater"),
    ({"unusable_as": (9.0, 50.0)}, "unusable rows must count as"),
    ({"unusable_as": (4.0, float("nan"))}, "unusable rows must count as"),
]


@pytest.mark.parametrize(("changed", "words"), WRONG)
def test_a_plan_that_cannot_be_made_is_one_sentence(changed, words):
    with pytest.raises(ValueError, match=words) as refused:
        made(**changed)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "unit", ["household", "pupil (SEN)", "Schüler/in", "person aged 18-65", "व्यक्ति"]
)
def test_units_in_other_words_are_kept(unit):
    assert made(unit=unit).unit == unit


def test_a_scenario_without_a_file_needs_columns():
    with pytest.raises(ValueError, match="columns must be named"):
        plan(Scenario(mechanisms=(CenteredStats(),)), n=40, **SAID)


def records(x, y, clipped=0):
    return GroupedData(
        "mine", "", UNIT_X, UNIT_Y, pd.DataFrame({"group": "all", "x": x, "y": y}), clipped
    )


def test_bounds_that_are_a_column_s_own_range_are_refused_unless_marked():
    own = records([0, 0.3, 1], [0.2, 0.5, 0.6])
    with pytest.raises(ValueError, match="bounds of x are the smallest and the largest value"):
        made(data=own)
    marked = made(data=own, bounds_from=LOOKED)
    assert marked.bounds_from == LOOKED and LOOKED in marked.to_json()
    assert made(data=records([0, 0.3, 1], [0.2, 0.5, 0.6], clipped=2)).bounds_from != LOOKED
    assert made(data=records([0.1, 0.3, 1], [0, 0.5, 0.6])).bounds_from != LOOKED


def test_how_numbers_are_written_is_taken_from_the_data_where_the_columns_do_not_say_it():
    comma = GroupedData(
        "mine", "", replace(UNIT_X, numbers="comma"), UNIT_Y, records([0.1, 0.3], [0, 0.5]).frame
    )
    for style, data, said in (
        (None, None, "point"),
        (None, comma, "comma"),
        ("plain", comma, "plain"),
    ):
        columns = made(columns=COLUMNS.model_copy(update={"x_numbers": style}), data=data).columns
        assert (columns.x_numbers, columns.y_numbers) == (said, "point")


def test_areas_stand_in_the_order_of_their_names_and_n_is_their_sum():
    of_areas = made(columns=OF_AREAS, n=None, areas={"south": 30, "north": 20})
    assert list(of_areas.sizes.items()) == [("north", 20), ("south", 30)] and of_areas.n == 50
    assert Plan.from_json(of_areas.to_json()) == of_areas
    with pytest.raises(ValueError, match="sum over all areas"):
        made(columns=OF_AREAS, n=40, areas={"south": 30, "north": 20})


def test_the_promise_of_a_record_never_exceeds_its_part_of_the_person_s():
    for records_per_person in (1, 2, 3, 7):
        pure = Promise(definition="pure", amount="0.1").for_record(records_per_person)
        rho = Promise(definition="zcdp", amount="0.1").for_record(records_per_person)
        assert isinstance(pure, PureDP) and isinstance(rho, ZCDP)
        assert Fraction(pure.epsilon) * records_per_person <= Fraction(1, 10)
        assert Fraction(rho.rho) * records_per_person**2 <= Fraction(1, 10)
        assert pure.epsilon * records_per_person == pytest.approx(0.1, rel=1e-15)


def test_a_zcdp_algorithm_is_promised_the_rho_of_the_accounting():
    assert str(made(algorithm=CenteredStatsGaussian()).promise) == "ρ = 0.005 (zCDP)"


@given(st.floats(min_value=1e-18, max_value=1e18))
def test_decimals_mean_the_float_and_its_floor_is_the_largest_float_below(number):
    assert float(decimals(number)) == number
    below = float_below(exact(decimals(number)))
    assert Fraction(below) <= exact(decimals(number)) < Fraction(np.nextafter(below, np.inf))


@pytest.mark.parametrize("text", ["", "0", "-1", "1e3", "nan", "1/3", "0.0", "１", None, 2])
def test_amounts_are_written_in_decimals(text):
    with pytest.raises(ValueError, match="amount must be a number above 0"):
        exact(text)
