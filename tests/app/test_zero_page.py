"""Pages on records without a sampling error but for rounding: they say so, and their pictures fit."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from tests.cases.opened import (
    app,
    bounded,
    changed,
    heading,
    pictures,
    pressed,
    read,
    turned,
    upload,
    words,
)
from tests.cases.zero import CASES

NOTHING = "there is no sampling error to compare with"
FEW = {
    "algorithms": ["NoisyStats", "NoisyIntercept", "OLS", "TheilSen"],
    "trials": "20",
    "epsilon": "2",
}
MODEL = {"source": "synthetic", "n": "60", "var_x": "0.03", "var_e": "0"}


def domains(spec):
    """The ends of all axes of numbers in a picture of Vega-Lite."""
    if isinstance(spec, list):
        return [domain for part in spec for domain in domains(part)]
    if not isinstance(spec, dict):
        return []
    own = [spec["domain"]] if isinstance(spec.get("domain"), list) else []
    known = [
        each for each in own if len(each) == 2 and all(isinstance(end, int | float) for end in each)
    ]
    return known + [domain for value in spec.values() for domain in domains(value)]


def pictures_fit(test, least: float = 1e-3) -> bool:
    """Whether every axis of numbers has a length."""
    ends = [each for picture in pictures(test).values() for each in domains(picture)]
    return all(np.ptp(each) > least for each in ends)


def of_file(frame, group: str = "", **bounds: tuple[float, float]):
    """The Data page after this file was uploaded."""
    test = upload(app("data", source="upload", **FEW), frame.to_csv(index=False))
    if group:
        changed(test, "upload_group", group)
    return bounded(test, **bounds)


def warnings(test):
    return read("\n".join(box.value for box in (*test.main.warning, *test.main.info)))


@pytest.mark.parametrize("name", CASES)
def test_data_and_compare_say_whether_there_is_a_sampling_error(name):
    case = CASES[name]
    test = of_file(case.frame, hours=case.x_bounds, score=case.y_bounds)
    assert (NOTHING in heading(test)) == (not case.error)
    assert ("The line without privacy fits exactly." in words(test)) == (not case.error)
    turned(test, "compare")
    assert (NOTHING in heading(test)) == (not case.error)
    if not case.error:
        assert "does not make" not in heading(test) and "standard errors" not in heading(test)
        assert pictures_fit(test)
        for sentence, picture in pictures(test).items():
            assert "standard errors" not in sentence
            assert "0.00000000" not in json.dumps(
                picture["layer"] if "layer" in picture else picture["vconcat"]
            )


@pytest.mark.parametrize("view", ["Numbers", "All curves", "Release by release", "How sure"])
def test_every_view_of_compare_stands_without_a_sampling_error(view):
    test = app("compare", **MODEL, **FEW, details=view)
    assert NOTHING in heading(test) and "10⁻¹" not in words(test) and pictures_fit(test)


def test_pages_of_a_model_without_errors_name_the_setting():
    for page in ("sweep", "guidance"):
        shown = warnings(app(page, **MODEL, **FEW))
        assert f"{NOTHING}, as the residual variance, σₑ², is 0: take a larger one." in shown, page
        assert "var_e" not in shown


def test_areas_on_a_line_are_left_out_of_what_passes():
    names = ["constant, 70.1", "falling", "a parabola", "a scatter of 3 points"]
    frames = [CASES[name].frame.assign(school=name) for name in names]
    test = of_file(pd.concat(frames), "school", hours=(0.0, 8.0), score=(20.0, 120.0))
    pressed(turned(test, "small_areas"), "true_file")
    assert "2 areas have no sampling error to compare with." in words(test)
    assert "of 2 areas" in heading(test), heading(test)
