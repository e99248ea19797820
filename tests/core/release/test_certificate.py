"""Certificates: a function of the plan and the released integers alone."""

import json

import numpy as np
import pytest

from dpslr_core.mechanisms import CenteredStatsGaussian
from dpslr_core.release.certificate import certificate
from dpslr_core.release.once import rehearse
from dpslr_core.release.plans import LOOKED
from dpslr_core.sources.choices import UploadedFile
from tests.cases.plans import COLUMNS, N, planned

INTEGERS = [[10**8, -(10**9), 4 * 10**10, 2 * 10**10, 2 * 10**10]]


def held(plan, integers=INTEGERS):
    return certificate(plan, {"": integers}, [], {"dpslr": "1"}, None)


def test_a_line_in_the_file_s_units_is_that_of_the_released_sums():
    """Computed a second way: floating-point OLS from the sums that the integers stand for."""
    plan = planned()
    result = held(plan)["results"][0]
    su, sw, suu, suw, sww = np.array(INTEGERS[0]) * [float(unit) for unit in plan.program().units]
    var, cov = suu - su**2 / N, suw - su * sw / N
    slope = cov / var
    height = 20 + 100 * (0.5 + sw / N + slope * (np.array([2.0, 6.0]) / 8 - 0.5 - su / N))
    assert [row["at"] for row in result["predictions"]] == [2, 6]
    assert [row["prediction"] for row in result["predictions"]] == pytest.approx(height, rel=1e-9)
    assert result["slope"] == pytest.approx(slope * 100 / 8, rel=1e-9)
    assert result["intercept"] + 2 * result["slope"] == pytest.approx(height[0], rel=1e-9)
    squares = sww - sw**2 / N - cov**2 / var
    assert result["residual standard deviation"] == pytest.approx(
        100 * np.sqrt(squares / (N - 2)), rel=1e-9
    )
    kinds = [(each["kind"], each["at"]) for each in result["intervals"]]
    assert kinds == [("confidence", 2), ("privacy", 2), ("confidence", 6), ("privacy", 6)]
    for each in result["intervals"]:
        middle = result["predictions"][0 if each["at"] == 2 else 1]["prediction"]
        assert each["low"] < middle < each["high"]


@pytest.mark.parametrize("lower", [-5.0, 5.0])
def test_intercept_and_slope_give_the_predictions_wherever_x_begins(lower):
    columns = COLUMNS.model_copy(update={"group_column": "", "x_bounds": (lower, lower + 8)})
    result = held(planned(columns=columns))["results"][0]
    for row in result["predictions"]:
        assert result["intercept"] + result["slope"] * row["at"] == pytest.approx(
            row["prediction"], rel=1e-12
        )


def test_a_logarithm_is_told_in_its_own_units():
    columns = UploadedFile(
        x_column="income",
        y_column="score",
        x_bounds=(10, 1000),
        y_bounds=(0, 1),
        x_transform="log10",
    )
    result = held(planned(columns=columns))["results"][0]
    assert [row["at"] for row in result["predictions"]] == pytest.approx([1.5, 2.5])


@pytest.mark.parametrize(
    ("looked", "marks"), [({}, 0), ({"bounds_from": LOOKED}, 1), ({"choice_from": LOOKED}, 1)]
)
def test_what_was_chosen_by_looking_stands_in_the_certificate(looked, marks):
    content = held(planned(**looked))
    assert sum(LOOKED in sentence for sentence in content["looked at the data"]) == marks


def test_a_rehearsal_is_drawn_as_a_release_is():
    pytest.importorskip("opendp")
    rng = np.random.default_rng(2)
    records = {"": (rng.integers(0, 1001, N).tolist(), rng.integers(0, 1001, N).tolist())}
    plan = planned(CenteredStatsGaussian(), epsilon=16)
    said = json.loads(rehearse(plan, records))
    slope = np.polyfit(np.array(records[""][0]) / 125, np.array(records[""][1]) / 10 + 20, 1)[0]
    assert said["kind"] == "rehearsal" and said["results"][0]["slope"] == pytest.approx(
        slope, abs=0.5
    )
