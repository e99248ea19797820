"""Pages on records without a sampling error but for rounding: they say so, and their pictures fit."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.cases.opened import app, bounded, fine, heading, pictures, read, upload, words
from tests.cases.zero import CASES

NOTHING = "there is no sampling error to compare with"
FEW = {"algorithms": ["NoisyStats", "NoisyIntercept", "OLS", "TheilSen"], "trials": "20", "epsilon": "2"}
MODEL = {"source": "synthetic", "n": "60", "var_x": "0.03", "var_e": "0"}


def domains(spec):
    """The ends of all axes of numbers in a picture of Vega-Lite."""
    if isinstance(spec, list):
        return [domain for part in spec for domain in domains(part)]
    if not isinstance(spec, dict):
        return []
    own = [spec["domain"]] if isinstance(spec.get("domain"), list) else []
    known = [each for each in own if len(each) == 2 and all(isinstance(end, int | float) for end in each)]
    return known + [domain for value in spec.values() for domain in domains(value)]


def warnings(test):
    return read("\n".join(box.value for box in (*test.main.warning, *test.main.info)))


@pytest.mark.parametrize("name", CASES)
def test_data_and_compare_say_whether_there_is_a_sampling_error(name):
    case = CASES[name]
    test = upload(app("data", source="upload", **FEW), case.frame.to_csv(index=False))
    test = bounded(test, hours=case.x_bounds, score=case.y_bounds)
    assert (NOTHING in heading(test)) == (not case.error)
    assert ("The OLS line fits exactly." in words(test)) == (not case.error)
    fine(test.switch_page("pages/compare.py").run())
    assert (NOTHING in heading(test)) == (not case.error)
    if not case.error:
        assert "will not help" not in heading(test) and "standard errors" not in heading(test)
        for said, picture in pictures(test).items():
            assert "standard errors" not in said and all(np.ptp(each) > 1e-3 for each in domains(picture)), said
            assert "0.00000000" not in json.dumps(picture["layer"] if "layer" in picture else picture["vconcat"])


@pytest.mark.parametrize("view", ["Numbers", "50 releases as dots", "All curves", "Release by release", "How sure"])
def test_every_view_of_compare_stands_without_a_sampling_error(view):
    test = app("compare", **MODEL, **FEW, details=view)
    assert NOTHING in heading(test) and "10⁻¹" not in words(test)
    assert all(np.ptp(each) > 1e-3 for picture in pictures(test).values() for each in domains(picture))
    if view == "50 releases as dots":
        assert any("50 releases by" in said and NOTHING in said.lower() for said in pictures(test))


@pytest.mark.parametrize("settings", [{"algorithms": ["OLS", "TheilSen"]}, {"epsilon": "1000000000"}], ids=str)
@pytest.mark.parametrize("variance", ["0", "0.01"])
def test_pictures_fit_where_no_error_is_larger_than_rounding(settings, variance):
    test = app("compare", **MODEL | FEW | settings | {"var_e": variance})
    assert all(np.ptp(each) > 1e-6 for picture in pictures(test).values() for each in domains(picture))
    if "algorithms" in settings:
        assert heading(test).startswith("No differentially private algorithm is chosen.")


@pytest.mark.parametrize("page", ["sweep", "guidance"])
def test_pages_of_a_model_without_errors_name_the_setting(page):
    said = warnings(app(page, **MODEL, **FEW))
    assert f"{NOTHING}, as the residual variance, σₑ², is 0: take a larger one." in said and "var_e" not in said
    if page == "sweep":
        assert NOTHING in warnings(app(page, **MODEL, **FEW, shows="Width of intervals"))


def test_pages_of_a_file_on_a_line():
    case = CASES["slope 1/3"]
    test = upload(app("data", source="upload", **FEW), case.frame.to_csv(index=False))
    test = bounded(test, hours=case.x_bounds, score=case.y_bounds)
    fine(test.switch_page("pages/sweep.py").run())
    assert f"{NOTHING}, as all records lie on one line." in warnings(test)


def test_areas_on_a_line_are_left_out_of_what_passes():
    names = ["constant, 70.1", "falling", "a parabola", "a scatter of 3 points"]
    frames = [CASES[name].frame.assign(school=f"school {number}") for number, name in enumerate(names)]
    rows = "".join(frame.to_csv(index=False, header=number == 0) for number, frame in enumerate(frames))
    test = upload(app("data", source="upload", **FEW), rows)
    fine(test.selectbox(key="upload_group").set_value("school").run())
    test = bounded(test, hours=(0.0, 8.0), score=(20.0, 120.0))
    fine(test.switch_page("pages/small_areas.py").run())
    assert "2 areas have no sampling error to compare with." in words(test)
    assert "of 2 areas" in heading(test), heading(test)
