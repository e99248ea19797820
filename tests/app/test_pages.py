"""Every page through app.py: no exception, pictures that can be read, and what the sidebar says reaches the core."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dpslr_core import compare
from dpslr_core.charts.maps import BETTER, DARK, EVEN, WORSE
from dpslr_core.charts.vega import PRINT
from dpslr_core.experiments.curves import private_lines
from dpslr_core.mechanisms import DeepestLine, DPExpTheilSen, DPGDPure, NoisyStats
from dpslr_core.release.explored import released_error
from dpslr_core.release.text import explored_sentence
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import UNIT_Y
from dpslr_core.sources.samples import SAMPLES, DataUnavailable, load_sample
from dpslr_core.text.phrases import SEEDED
from tests.cases.opened import (
    ROOT,
    app,
    changed,
    fine,
    pictures,
    read,
    scenario,
    typed,
    words,
)
from ui.plain import plain
from ui.show import ON_DARK, ON_LIGHT

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
SMALL = {
    "n": "30",
    "n_to": "60",
    "datasets": "20",
}  # all algorithms on few records: Sweep and Guidance run them often
TWO = ["NoisyStats", "DPExpTheilSen"]  # where it does not matter which
BIKES = {"source": "sample", "sample": "bikes", "algorithms": TWO}


def readable(colour: Any) -> bool:
    """Whether a colour follows the ground, and has 4.5:1 on white and on dark."""
    pair = re.search(r"luminance\(background\) > 0.4 \? '(#\w{6})' : '(#\w{6})'", str(colour))
    return bool(pair) and min(contrast(pair[1], "#ffffff"), contrast(pair[2], "#0e1117")) >= 4.5


def coloured_text(spec: Any) -> Iterator[Any]:
    """The colour of each text that a picture does not leave to the theme; cells have a ground of their own."""
    if isinstance(spec, list):
        for part in spec:
            yield from coloured_text(part)
    elif isinstance(spec, dict):
        mark = spec.get("mark")
        mark = {"type": mark} if isinstance(mark, str) else mark or {}
        if mark.get("type") == "text" and spec.get("data") not in (
            {"name": "cells"},
            {"name": "regions"},
        ):
            encoding = spec["encoding"]
            colours = [
                mark.get("color"),
                mark.get("fill"),
                encoding.get("color"),
                encoding.get("fill"),
            ]
            yield from (colour for colour in colours if colour and not readable(colour))
        for part in spec.values():
            yield from coloured_text(part)


def contrast(colour: str, ground: str) -> float:
    """The contrast ratio of WCAG 2."""

    def luminance(text: str) -> float:
        channels = np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(
            channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
        )
        return float(linear @ [0.2126, 0.7152, 0.0722])

    dark, light = sorted(luminance(each) + 0.05 for each in (colour, ground))
    return light / dark


def test_text_in_pictures_is_read_on_white_and_on_dark():
    """Numbers, names and titles of axes, on paper and on Streamlit's two pages; its own, #808495, are too pale."""
    assert contrast(ON_LIGHT, "#ffffff") >= 4.5 > contrast("#808495", "#ffffff")
    assert contrast(ON_DARK, "#2d2d2d") >= 4.5  # the dark page is darker still
    assert contrast(PRINT["axis"]["labelColor"], PRINT["background"]) >= 4.5
    assert (
        min(contrast(DARK, ground) for ground in (WORSE, EVEN, BETTER)) >= 4.5
    )  # the cells of Findings


def ranking(test: AppTest) -> pd.DataFrame:
    """The table of the Compare page."""
    return test.dataframe[0].value.set_index("algorithm")


def error(test: AppTest) -> float:
    """The error of the best algorithm on the Compare page."""
    return float(ranking(test)["C(68)"].iloc[0])


def linked(scenario: Scenario, **more: Any) -> AppTest:
    """The Compare page of a scenario."""
    return app("compare", **scenario.to_query(scenario.source.load().x), **more)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_its_pictures_can_be_read_and_its_answer_explains_its_terms(page):
    assert f"pages/{page}.py" in (ROOT / "app.py").read_text()
    data = {"source": "sample", "sample": "tracts"} if page == "small_areas" else {}
    test = app(page, **SMALL, **data, algorithms=["DPExpTheilSen", "NoisyIntercept"])
    assert test.title[0].value
    for chart in test.get("vega_lite_chart"):
        spec = json.loads(chart.proto.spec)
        assert ON_LIGHT in spec["config"]["text"]["color"]["expr"]
        for part in ("axis", "legend", "header"):
            assert all(
                ON_LIGHT in spec["config"][part][name]["expr"]
                for name in ("labelColor", "titleColor")
            )
        assert not list(coloured_text(spec)), (
            "no colour of an algorithm has 4.5:1 on white and on dark"
        )
        assert (
            spec["config"]["mark"]["tooltip"] is None
        )  # else the theme shows the fields of every mark by their names
    if page not in ("start", "paper"):
        terms = re.findall(r"^- \*\*(.+?)\*\*", test.header[0].proto.help, flags=re.M)
        assert terms and len(set(terms)) == len(terms)
        assert all(
            name in terms
            for name in ("DPExpTheilSen", "NoisyIntercept")
            if name in test.header[0].value
        )


CHANGES = {
    "look_at": "20", "width": "3", "epsilon": "8", "seed": "3", "trials": "20", "x_new": "10; 21",
    "group": "month 1, hour 8", "accounting": "attack", "unit_square": "true", "also_k": "3",
}  # fmt: skip


def test_every_setting_makes_another_comparison_of_what_is_kept():
    kept = BIKES | {"x_new": "10; 20", "trials": "50", "algorithms": [*TWO, "DPGDPure"]}

    def shown(**query: str) -> list[Any]:
        test = app("compare", **kept | query)
        return [test.header[0].value, pictures(test), test.dataframe[0].value.to_csv()]

    usual = shown()
    assert not [key for key, value in CHANGES.items() if shown(**{key: value}) == usual]
    assert shown() == usual


@pytest.mark.parametrize(("algorithm", "curves"), [("NoisyStats", False), ("DPGDPure", True)])
def test_draws_from_a_seed_say_so_on_the_page_and_in_the_csv(saved_files, algorithm, curves):
    """The private lines always, the curves where there is no exact law; tables of numbers are the page's."""
    for details, seeded in (("Private lines", True), ("All curves", curves), ("Numbers", False)):
        test = app("compare", algorithms=algorithm, n="30", details=details)
        assert [caption.value for caption in test.main.caption].count(plain(SEEDED)) == seeded
    names = ("lines.csv", "output_cdf.csv", "ranking.csv")
    lines, output, table = (pd.read_csv(io.BytesIO(saved_files[name]())) for name in names)
    assert (lines["note"] == SEEDED).all() and ("note" in output) == curves and "note" not in table
    scenario = Scenario(n=30)
    mechanisms = [{"NoisyStats": NoisyStats, "DPGDPure": DPGDPure}[algorithm]()]
    expected = private_lines(compare(scenario.source.load().dataset(), mechanisms, 2.0), 0, 20)
    np.testing.assert_allclose(lines["y"], expected["y"])


POINTS = {
    "warm": "'warm' is no number.",
    "10; 400": "temperature 400 is above your upper bound of 39.",
    "-10": "temperature -10 is below your lower bound of -8.",
    ",": "',' is no number.",
    "60,000": "'60,000' could be one number or several: put semicolons between numbers, no mark in one.",
    "1;2;3;4;5;6;7;8;9": "At most 8 points can be used together; 1 are left out.",
}


def test_an_unusable_point_is_refused_in_a_sentence_and_usable_points_stay():
    test = app("compare", **BIKES)
    for text, sentence in POINTS.items():
        changed(test, "x_new", text)
        assert sentence in read(test.sidebar.error[0].value), text
        assert pictures(test), text
    changed(test, "x_new", "10; warm; 400; 20 °C; 5%")
    problem = read(test.sidebar.error[0].value)
    for part in ("'warm'", "400", "'5%' could mean 5, or 0.05", "Showing 10, 20 instead."):
        assert part in problem
    good = app("compare", **BIKES, x_new="10, 20")
    assert ranking(test).equals(ranking(good)) and not good.sidebar.error


def test_the_switch_of_units_forgets_points_of_the_other_units():
    test = changed(app("compare", **BIKES, x_new="10"), "unit_square", True)
    assert test.sidebar.text_input(key="x_new").value == "" and not test.sidebar.error


def test_the_address_of_a_result_gives_the_same_draws_in_units_and_in_the_unit_square():
    """No number in °C is as near to the lower bound as 1e-20."""
    descent = DPGDPure(steps=5, start=(1 / 3, 2 / 3))
    for at in ((1 / 3, 0.1 + 0.2), (1 / 3, 1e-20)):
        bikes = Scenario(source="sample", sample="bikes", at=at, mechanisms=[descent], trials=20)
        grouped = bikes.source.load()
        data, query = grouped.dataset(grouped.groups[0]), bikes.to_query(grouped.x)
        expected = compare(data, [descent], bikes.epsilon, at, 20, bikes.seed).summary["c68"]
        scale = 1 if "unit_square" in query else grouped.y.scale
        assert (scale == 1) == (1e-20 in at)
        assert ranking(app("compare", **query))["C(68)"].iloc[0] == expected.iloc[0] * scale


def test_hyperparameters_are_drawn_where_they_are_unfolded_or_other_than_usual():
    def keys(test) -> set[str]:
        return {str(widget.key).removesuffix("") for widget in test.sidebar.text_input}

    own = {"also_k", "DPExpTheilSen.lower", "DPExpTheilSen.upper", "DPExpTheilSen.k"}
    test = app("compare", algorithms=TWO)
    assert not own & keys(test)
    test.session_state["hyperparameters"] = True
    test = fine(test.run())
    assert own <= keys(test)
    assert test.sidebar.text_input(key="NoisyStats.split").value == ", ".join(3 * [repr(1 / 3)])
    test.sidebar.text_input(key="DPExpTheilSen.k").set_value("3")
    test.session_state["hyperparameters"] = False
    test = fine(test.run())
    assert own <= keys(test) and "DPExpTheilSen3Match" in ranking(test).index
    test = typed(test, "DPExpTheilSen.k", "")
    del test.query_params["DPExpTheilSen.k"]  # as a browser does
    assert not own & keys(fine(test.run())) and "DPExpTheilSen" in ranking(test).index
    assert own <= keys(app("compare", algorithms=["DPExpTheilSen"], also_k="5"))


def test_hyperparameters_that_cannot_be_used_are_a_sentence():
    test = app("compare", DPExpTheilSen__lower="3.0", algorithms=TWO)
    assert "DPExpTheilSen: lower must be below upper" in test.sidebar.error[0].value
    test = app(
        "compare", DPExpTheilSen__lower="1.0", algorithms=[*TWO, "DPGDPure"], DPGDPure__start="1, 2"
    )
    changed(test, "DPExpTheilSen.lower", "3")
    assert "lower must be below upper" in test.sidebar.error[0].value and pictures(test)
    changed(test, "DPExpTheilSen.lower", "0")
    changed(test, "DPGDPure.start", "a, b")
    assert "DPGDPure: start: 'a' is no number" in test.sidebar.error[0].value
    test = app(
        "compare", DPExpTheilSen__lower="3.0", DPExpTheilSen__upper="4.0", algorithms=TWO
    )  # read together
    assert (
        not test.main.warning and DPExpTheilSen(lower=3.0, upper=4.0) in scenario(test).mechanisms
    )


def test_data_without_a_line_no_algorithm_and_data_out_of_reach_are_sentences(
    monkeypatch, tmp_path
):
    for page in ("data", "compare", "privacy", "small_areas", "guidance"):
        warnings = [warning.value for warning in app(page, var_x="0").warning]
        assert warnings == ["No line can be fitted to Synthetic data: x is constant."], page
    for page in ("compare", "guidance", "sweep"):
        assert "Choose at least one algorithm" in app(page, algorithms=[""]).info[0].value, page

    def offline(*_args: object) -> None:
        raise DataUnavailable(
            "The UCI archive cannot be reached. You can upload the data as a CSV file instead."
        )

    monkeypatch.setenv("DPSLR_DATA", str(tmp_path))
    monkeypatch.setattr("dpslr_core.sources.samples.find_uci", lambda *_args, **_options: None)
    monkeypatch.setattr("dpslr_core.sources.samples.download", offline)
    assert "upload the data as a CSV" in app("compare", source="uci").warning[0].value


def test_draw_again_moves_to_other_lines():
    test = app("compare", algorithms="NoisyStats", details="Private lines")

    def lines() -> bytes:
        datasets = test.get("vega_lite_chart")[-1].proto.datasets
        return next(data.data.data for data in datasets if data.name == "lines")

    before = lines()
    fine(next(b for b in test.button if b.label == "Draw again").click().run())
    assert lines() != before


def test_a_group_is_forgotten_with_its_sample():
    test = app("data", source="sample", sample="tracts")
    changed(test, "group", "T07")
    for sample in ("bikes", *(sample.key for sample in SAMPLES)):
        changed(test, "sample", sample)
        assert test.metric[0].value == f"{load_sample(sample).dataset().n:,}", sample


def test_absurd_links_are_no_crash():
    for query in (
        {"n": "abc", "epsilon": "-1", "look_at": "99"},
        {"source": "sample", "sample": "bikes", "group": "<script>"},
        {
            "DPExpTheilSen__lower": "-1e308",
            "DPExpTheilSen__upper": "1e308",
            "DPWideTheilSen__theta": "1e308",
        },
        {"DPSSTheilSen__df": "1e308", "DPGDzCDP__clip": "1e300", "DPGDPure__steps": "100000000"},
        {"also_k": "1000000", "DPExpTheilSen__k": "100000"},
        {"x_new": "0,0.1,0.2,0.3,0.4,0.5,0.6,1"},
        {"var_e": "0.000001", "slope": "0", "intercept": "1"},
        {"trials": "20", "epsilon": "0.01", "n": "10"},
    ):
        assert pictures(app("compare", **query)), query


def test_compare_says_the_error_of_a_release_where_it_is_another_and_computes_it_nowhere_else(
    monkeypatch,
):
    """It takes up to a second, which a class of thirty would wait for at every step."""
    view = Scenario(n=1000, mechanisms=[DeepestLine()])
    error_of_release = released_error(DeepestLine(), view.source.load().dataset(), view.budget)
    sentence = explored_sentence("DeepestLine", error_of_release, UNIT_Y)
    assert "draws on 160,000 lines" in sentence
    for algorithm, expected in (("DeepestLine", True), ("CenteredStats", False)):
        test = app("compare", n="1000", algorithms=algorithm, details="Release by release")
        assert (sentence in words(test)) == ("draws on" in words(test)) == expected
    monkeypatch.setattr(
        "ui.compare.released_sentence", lambda *_: pytest.fail("computed before it is opened")
    )
    app("compare", n="1000", algorithms="DeepestLine")
