"""Certificates: a function of the plan and the released integers alone."""

import numpy as np
import pytest

from dpslr_core.release.certificate import certificate
from dpslr_core.release.plans import LOOKED
from tests.cases.plans import COLUMNS, N, planned

INTEGERS = [[10**8, -(10**9), 4 * 10**10, 2 * 10**10, 2 * 10**10]]


def held(plan, integers=INTEGERS):
    return certificate(plan, {"": integers}, [], {"dpslr": "1"}, None)


def test_a_line_in_the_file_s_units_is_that_of_the_released_sums():
    """Computed a second way: floating-point OLS from the sums that the integers stand for."""
    columns = COLUMNS.model_copy(update={"group_column": "", "x_bounds": (-5, 3)})
    plan = planned(columns=columns)
    result = held(plan)["results"][0]
    su, sw, suu, suw, sww = np.array(INTEGERS[0]) * [float(unit) for unit in plan.program().units]
    var, cov = suu - su**2 / N, suw - su * sw / N
    slope = cov / var
    height = 20 + 100 * (0.5 + sw / N + slope * (np.array([0.25, 0.75]) - 0.5 - su / N))
    assert [row["at"] for row in result["predictions"]] == [-3, 1]
    assert [row["prediction"] for row in result["predictions"]] == pytest.approx(height, rel=1e-9)
    assert result["slope"] == pytest.approx(slope * 100 / 8, rel=1e-9)
    assert result["intercept"] + result["slope"] == pytest.approx(height[1], rel=1e-9)
    squares = sww - sw**2 / N - cov**2 / var
    assert result["residual standard deviation"] == pytest.approx(
        100 * np.sqrt(squares / (N - 2)), rel=1e-9
    )
    kinds = [(each["kind"], each["at"]) for each in result["intervals"]]
    assert kinds == [("confidence", -3), ("privacy", -3), ("confidence", 1), ("privacy", 1)]
    for each in result["intervals"]:
        middle = result["predictions"][0 if each["at"] == -3 else 1]["prediction"]
        assert each["low"] < middle < each["high"]


def test_a_logarithm_is_told_in_its_own_units():
    changes = {"group_column": "", "x_bounds": (10, 1000), "x_transform": "log10"}
    result = held(planned(columns=COLUMNS.model_copy(update=changes)))["results"][0]
    assert [row["at"] for row in result["predictions"]] == pytest.approx([1.5, 2.5])


@pytest.mark.parametrize(("name", "place"), [("bounds_from", 0), ("choice_from", 1)])
def test_what_was_chosen_by_looking_stands_in_the_certificate(name, place):
    said = held(planned(**{name: LOOKED}))["looked at the data"]
    assert [LOOKED in sentence for sentence in said] == [place == 0, place == 1]
