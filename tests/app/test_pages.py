"""Every page, alone and through app.py: no exception, and the numbers on the page are the core's."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpslr_core import Dataset, compare, simulate_linear
from dpslr_core.charts.maps import BETTER, DARK, EVEN, WORSE
from dpslr_core.charts.vega import PRINT
from dpslr_core.experiments.curves import private_lines
from dpslr_core.experiments.ranking import ranking as ranking_of
from dpslr_core.mechanisms import USUAL, DeepestLine, DPExpTheilSen, DPGDPure, NoisyStats
from dpslr_core.release.explored import released_error
from dpslr_core.release.text import explored_sentence
from dpslr_core.scenario import Scenario, mechanism_named
from dpslr_core.sources.axis import UNIT_Y
from dpslr_core.sources.numbers import format_points
from dpslr_core.sources.samples import SAMPLES, load_sample
from dpslr_core.text.compare import verdict_sentence
from dpslr_core.text.phrases import SEEDED
from tests.cases.opened import ROOT, app, fine, pictures, read, typed, words
from ui import privacy
from ui.page import CHOOSE_BY
from ui.plain import plain
from ui.presets import PRESETS, balanced_rows
from ui.show import ON_DARK, ON_LIGHT

PAGES = sorted(path.name for path in (ROOT / "pages").glob("*.py"))
SMALL = {"n": "30", "n_to": "60", "datasets": "20"}  # all algorithms on few records: Sweep and Guidance run them often

TWO = ["NoisyStats", "DPExpTheilSen"]  # where it does not matter which


KEPT = {
    "source": "sample", "sample": "bikes", "x_new": "10; 20", "trials": "50",
    "algorithms": ["NoisyStats", "DPExpTheilSen", "DPGDPure"],
}  # fmt: skip


def tooltips(spec: Any) -> Iterator[dict]:
    """The lines of all tooltips of a picture."""
    for key, part in spec.items() if isinstance(spec, dict) else enumerate(spec) if isinstance(spec, list) else ():
        if key == "tooltip" and isinstance(part, list):
            yield from part
        else:
            yield from tooltips(part)


def coloured_text(spec: Any, mark: Any = None) -> Iterator[Any]:
    """The colour of each text that a picture does not leave to the theme; cells have a ground of their own."""
    if isinstance(spec, list):
        for part in spec:
            yield from coloured_text(part)
    elif isinstance(spec, dict):
        mark = spec.get("mark")
        if (mark if isinstance(mark, str) else (mark or {}).get("type")) == "text" and spec["data"] != {
            "name": "cells"
        }:
            given = [] if isinstance(mark, str) else [mark.get("color"), mark.get("fill")]
            yield from filter(None, [*given, spec["encoding"].get("color"), spec["encoding"].get("fill")])
        for part in spec.values():
            yield from coloured_text(part)


def on_page(colour: str, page: str) -> float:
    """The contrast ratio of WCAG 2 between a colour and the page that it is on."""

    def channels(text: str) -> np.ndarray:
        return np.array([int(text[i : i + 2], 16) for i in (1, 3, 5)]) / 255

    def luminance(seen: np.ndarray) -> float:
        return float(
            np.where(seen <= 0.04045, seen / 12.92, ((seen + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
        )

    light, dark = sorted((luminance(channels(each)) + 0.05 for each in (colour, page)), reverse=True)
    return light / dark


def test_text_in_pictures_is_read_on_white_and_on_dark():
    """Numbers, names and titles of axes, on paper and on Streamlit's two pages; its own, #808495, are too pale."""
    assert on_page(ON_LIGHT, "#ffffff") >= 4.5 > on_page("#808495", "#ffffff")
    assert on_page(ON_DARK, "#2d2d2d") >= 4.5 > on_page(ON_LIGHT, "#2d2d2d")  # the dark page is darker still
    assert on_page(PRINT["axis"]["labelColor"], PRINT["background"]) >= 4.5
    assert min(on_page(DARK, ground) for ground in (WORSE, EVEN, BETTER)) >= 4.5  # the cells of Findings


def ranking(test: AppTest) -> pd.DataFrame:
    """The table of the Compare page."""
    return test.dataframe[0].value.set_index("algorithm")


@pytest.mark.parametrize("page", ["compare.py", "findings.py", "paper.py"])  # with all, no and one of the settings
def test_a_page_runs_alone(page):
    test = AppTest.from_file(str(ROOT / "pages" / page), default_timeout=600)
    for key, value in (SMALL | {"algorithms": TWO}).items():
        test.query_params[key] = value
    assert fine(test.run()).title[0].value
    assert test.session_state["epsilon"] == 2


def test_tabs_are_told_apart_by_page_view_and_budget(monkeypatch):
    """Titles of the browser: of its tabs, bookmarks and history."""
    titles = []
    monkeypatch.setattr(st, "set_page_config", lambda **said: titles.append(said.get("page_title")))
    for page, query in (("start", {}), ("data", {}), ("privacy", {"epsilon": "3"}), ("methods", {})):
        app(page, **query)
        titles.append(None)
    tool = "Differentially private simple linear regression"
    ends = [title for title, following in pairwise(titles) if following is None]
    view = next(iter(privacy.VIEWS))
    assert ends == [tool, f"Data · {tool}", f"Privacy, {view} at ε = 3 · {tool}", f"Methods · {tool}"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_through_the_app_and_its_answer_explains_its_terms(page):
    data = {"source": "sample", "sample": "tracts"} if page == "small_areas.py" else {}
    test = app(page.removesuffix(".py"), **SMALL, **data, algorithms=["DPExpTheilSen", "NoisyIntercept"])
    assert test.title[0].value
    for chart in test.get("vega_lite_chart"):
        spec = json.loads(chart.proto.spec)
        assert ON_LIGHT in spec["config"]["text"]["color"]["expr"]
        for part in ("axis", "legend", "header"):
            assert all(ON_LIGHT in spec["config"][part][name]["expr"] for name in ("labelColor", "titleColor"))
        assert not list(coloured_text(spec)), "no colour of an algorithm has 4.5:1 on white and on dark"
        assert spec["config"]["mark"]["tooltip"] is None  # else the theme shows the fields of every mark by their names
        assert all("title" in each or each["field"] == "algorithm" for each in tooltips(spec)), chart.proto.alt
    if page not in ("start.py", "paper.py"):
        terms = re.findall(r"^- \*\*(.+?)\*\*", test.header[0].proto.help, flags=re.M)
        assert terms and len(set(terms)) == len(terms)
        assert all(name in terms for name in ("DPExpTheilSen", "NoisyIntercept") if name in test.header[0].value)


def test_every_page_is_in_the_navigation():
    text = (ROOT / "app.py").read_text()
    assert all(f"pages/{page}" in text for page in PAGES)


def test_the_compare_page_shows_the_numbers_of_the_core():
    test = app("compare", source="sample", sample="tracts", group="T05", epsilon="8", trials="200", seed="3")
    data = load_sample("tracts").dataset("T05")
    mechanisms = [algorithm() for algorithm in USUAL]
    result = compare(data, mechanisms, 8, trials=200, seed=3)
    ranked, tracts = ranking_of(result.summary, mechanisms, 0.25, 8), load_sample("tracts")
    assert verdict_sentence(ranked, tracts.y, tracts.x) in pictures(test)
    shown = ranking(test)
    expected = result.summary[result.summary["at"] == 0.25].set_index("mechanism")
    assert set(shown.index) == {mechanism.name for mechanism in mechanisms}
    np.testing.assert_allclose(shown["C(68)"], expected.loc[shown.index, "c68"], rtol=1e-12)
    np.testing.assert_allclose(shown["no answer"], expected.loc[shown.index, "failure_rate"], rtol=1e-12)


CHANGES = {
    "look_at": "20", "width": "3", "epsilon": "8", "seed": "3", "trials": "20", "x_new": "10; 21",
    "group": "month 1, hour 8", "accounting": "attack", "unit_square": "true", "also_k": "3",
}  # fmt: skip


def test_every_setting_makes_another_comparison_of_what_is_kept():
    def said(**query: str) -> list[Any]:
        test = app("compare", **KEPT | query)
        return [test.header[0].value, pictures(test), test.dataframe[0].value.to_csv()]

    usual = said()
    assert not [key for key, value in CHANGES.items() if said(**{key: value}) == usual]
    assert said() == usual


@pytest.mark.parametrize(("algorithm", "curves"), [("NoisyStats", False), ("DPGDPure", True)])
def test_draws_from_a_seed_say_so_on_the_page_and_in_the_csv(monkeypatch, algorithm, curves):
    """The private lines always, the curves where there is no exact law; tables of numbers are the page's."""
    saved = {}
    monkeypatch.setattr("ui.show.st.download_button", lambda _, data, name, *__, **___: saved.update({name: data}))
    for details, seeded in (("Private lines", True), ("All curves", curves), ("Numbers", False)):
        test = app("compare", algorithms=algorithm, n="30", details=details)
        assert [caption.value for caption in test.main.caption].count(plain(SEEDED)) == seeded
    tables = {name: make() for name, make in saved.items() if name.endswith(".csv")}
    files = {name: pd.read_csv(io.BytesIO(data)) for name, data in tables.items()}
    assert (files["lines.csv"].pop("note") == SEEDED).all()
    assert ("note" in files["output_cdf.csv"]) == curves and "note" not in files["ranking.csv"]
    result = compare(Scenario(n=30).source.load().dataset(), [mechanism_named(algorithm)()], 2.0)
    expected = private_lines(result, 0, 20)
    np.testing.assert_allclose(files["lines.csv"]["y"], expected["y"])


def test_the_ranking_speaks_the_users_units_and_the_switch_the_unit_square():
    own = app("compare", source="sample", sample="bikes", algorithms="NoisyIntercept")
    unit = app("compare", source="sample", sample="bikes", algorithms="NoisyIntercept", unit_square="true")
    assert ranking(own)["C(68)"].iloc[0] == pytest.approx(1000 * ranking(unit)["C(68)"].iloc[0])
    assert "temperature" in own.sidebar.text_input(key="x_new").label
    assert unit.sidebar.text_input(key="x_new").label.endswith("at x")


def test_points_typed_in_the_users_units():
    test = app("compare", source="sample", sample="bikes", x_new="10", algorithms=["DPExpTheilSen", "OLS"])
    data, x = load_sample("bikes").dataset(), load_sample("bikes").x
    at = float(x.to_unit(10))
    expected = compare(data, [DPExpTheilSen()], 2, [at]).summary["c68"].iloc[0]
    assert ranking(test)["C(68)"].loc["DPExpTheilSen"] == pytest.approx(1000 * expected)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("warm", "'warm' is no number."),
        ("10; 400", "temperature 400 is above your upper bound of 39."),
        ("-10", "temperature -10 is below your lower bound of -8."),
        (",", "',' is no number."),
        ("nan", "'nan' is no number."),
        ("60,000", "'60,000' could mean 60000, or 60 and 0: write 60000 or 60; 0."),
        ("0,5", "'0,5' could mean 0.5, or 0 and 5: write 0.5 or 0; 5."),
        ("1;2;3;4;5;6;7;8;9", "At most 8 points can be used together; 1 are left out."),
    ],
)
def test_an_unusable_point_is_a_sentence_and_the_page_goes_on(text, sentence):
    test = app("compare", source="sample", sample="bikes", x_new=text, algorithms=TWO)
    assert sentence in read(test.sidebar.error[0].value)
    assert pictures(test)


def test_one_bad_point_does_not_drop_the_good_ones():
    test = app("compare", source="sample", sample="bikes", x_new="10; warm; 400; 20 °C, 5%", algorithms=TWO)
    good = app("compare", source="sample", sample="bikes", x_new="10, 20", algorithms=TWO)
    assert ranking(test).equals(ranking(good))
    said = read(test.sidebar.error[0].value)
    for part in ("'warm'", "400", "'5%' could mean 5, or 0.05", "Showing 10, 20 instead."):
        assert part in said
    assert not good.sidebar.error


def test_the_switch_keeps_the_points():
    test = app("compare", source="sample", sample="bikes", x_new="15.5", algorithms=TWO)
    fine(test.sidebar.toggle(key="unit_square").set_value(True).run())
    assert test.sidebar.text_input(key="x_new").value == "0.5"
    fine(test.sidebar.toggle(key="unit_square").set_value(False).run())
    assert test.sidebar.text_input(key="x_new").value == "15.5"


def test_hyperparameters_come_from_the_fields_and_reach_the_core():
    bounds = {"DPExpTheilSen__lower": "-50.0", "DPExpTheilSen__upper": "50.0"}
    test = app("compare", **bounds, DPExpTheilSen__k="3", algorithms=TWO)
    shown = ranking(test)
    assert "DPExpTheilSen3Match" in shown.index
    data = Dataset(*simulate_linear(250, 0.03, 0.01, rng=np.random.default_rng(0)))
    result = compare(data, [DPExpTheilSen(lower=-50.0, upper=50.0, k=3)], 2.0)
    assert shown.loc["DPExpTheilSen3Match", "C(68)"] == pytest.approx(result.summary["c68"].iloc[0], rel=1e-12)


def test_numbers_of_a_tuple_are_written_to_their_last_digit():
    test = app("compare", algorithms=["NoisyStats"])
    assert not test.sidebar.error
    test.session_state["hyperparameters"] = True  # unfolded
    test = fine(test.run())
    [text] = [widget.value for widget in test.sidebar.text_input if widget.key == "NoisyStats.split"]
    assert text == ", ".join(3 * [repr(1 / 3)])
    data = Dataset(*simulate_linear(250, 0.03, 0.01, rng=np.random.default_rng(0)))
    expected = compare(data, [NoisyStats()], 2.0).summary["c68"].iloc[0]
    assert ranking(test).loc["NoisyStats", "C(68)"] == pytest.approx(expected, rel=1e-12)
    drawn = DPGDPure(steps=5, start=(1 / 3, 2 / 3))
    test = app(
        "compare", **{key.replace(".", "__"): text for key, text in Scenario(mechanisms=[drawn]).to_query().items()}
    )
    assert ranking(test)["C(68)"].iloc[0] == compare(data, [drawn], 2.0).summary["c68"].iloc[0]


def test_hyperparameters_are_drawn_where_they_are_unfolded_or_other_than_usual():
    def keys(test) -> set[str]:
        return {str(widget.key).removesuffix("_box") for widget in test.sidebar.text_input}

    own = {"also_k", "DPExpTheilSen.lower", "DPExpTheilSen.upper", "DPExpTheilSen.k"}
    test = app("compare", algorithms=["DPExpTheilSen"])
    assert not own & keys(test)
    test.session_state["hyperparameters"] = True
    test = fine(test.run())
    assert own <= keys(test)
    test.sidebar.text_input(key="DPExpTheilSen.k_box").set_value("3")
    test.session_state["hyperparameters"] = False
    test = fine(test.run())
    assert own <= keys(test) and "DPExpTheilSen3Match" in ranking(test).index
    test = typed(test, "DPExpTheilSen.k", "")
    assert not own & keys(fine(test.run())) and "DPExpTheilSen" in ranking(test).index
    assert own <= keys(app("compare", algorithms=["DPExpTheilSen"], also_k="5"))


def test_hyperparameters_that_do_not_go_together_are_a_sentence():
    test = app("compare", DPExpTheilSen__lower="3.0", algorithms=TWO)
    assert (
        "The link says DPExpTheilSen.lower = 3.0, which cannot be used. Allowed: all numbers. Shown: -0.5."
        in test.main.warning[0].value
    )
    test = app("compare", DPExpTheilSen__lower="1.0", algorithms=TWO)
    fine(test.text_input(key="DPExpTheilSen.lower_box").set_value("3").run())
    assert "lower must be below upper" in test.sidebar.error[0].value
    assert pictures(test)
    test = app("compare", DPExpTheilSen__lower="3.0", DPExpTheilSen__upper="4.0", algorithms=TWO)  # read together
    assert not test.main.warning and test.session_state["DPExpTheilSen.lower"] == 3.0


@pytest.mark.parametrize("page", ["data", "compare", "privacy", "small_areas", "guidance"])
def test_data_without_a_line_are_a_sentence(page):
    test = app(page, var_x="0")
    assert [warning.value for warning in test.warning] == ["No line can be fitted to Synthetic data: x is constant."]


@pytest.mark.parametrize("page", ["compare", "guidance", "sweep"])
def test_no_algorithm_is_a_hint_and_no_crash(page):
    assert "Choose at least one algorithm" in app(page, algorithms=[""]).info[0].value


def test_draw_again_moves_to_other_lines():
    test = app("compare", algorithms="NoisyStats", details="Private lines")

    def lines() -> bytes:
        sent = test.get("vega_lite_chart")[-1].proto.datasets
        return next(data.data.data for data in sent if data.name == "lines")

    before = lines()
    fine(next(b for b in test.button if b.label == "Draw again").click().run())
    assert lines() != before


def test_groups_can_be_leafed_through():
    test = app("data", source="sample", sample="tracts")
    fine(next(b for b in test.button if "next" in b.label).click().run())
    assert test.sidebar.selectbox(key="group").value == "T02"
    fine(next(b for b in test.button if "previous" in b.label).click().run())
    assert test.sidebar.selectbox(key="group").value == "T01"


def test_a_group_of_another_grouped_is_forgotten():
    test = app("data", source="sample", sample="tracts", group="T07")
    fine(test.sidebar.selectbox(key="sample").set_value("bikes").run())
    assert test.metric[0].value == f"{load_sample('bikes').dataset().n}"


def test_every_sample_opens():
    for sample in SAMPLES:
        test = app("data", source="sample", sample=sample.key)
        assert test.metric[0].value == f"{load_sample(sample.key).dataset().n:,}"


def test_the_data_page_says_what_the_core_says():
    test = app("data", n="100", var_x="0.05", var_e="0.001", data_seed="5")
    data = Scenario(n=100, var_x=0.05, var_e=0.001, data_seed=5).source.load().dataset()
    assert [metric.value for metric in test.metric[:3]] == ["100", f"{data.var_x:.4g}", f"{data.nvar:.4g}"]
    assert any("standard error" in sentence for sentence in pictures(test))


def test_public_data_that_cannot_be_had_are_a_sentence(monkeypatch, tmp_path):
    from dpslr_core.sources import samples as uci

    def offline(*_args: object) -> None:
        raise uci.DataUnavailable("The UCI archive cannot be reached. You can upload the data as a CSV file instead.")

    monkeypatch.setenv("DPSLR_DATA", str(tmp_path))
    monkeypatch.setattr(uci, "find_uci", lambda *_args, **_options: None)
    monkeypatch.setattr(uci, "download", offline)
    test = app("compare", source="uci")
    assert "upload the data as a CSV" in test.warning[0].value


def test_rows_of_stories_are_balanced():
    for count, sizes in ((7, [2, 2, 3]), (6, [3, 3]), (4, [2, 2]), (1, [1])):
        assert sorted(map(len, balanced_rows([PRESETS[0]] * count))) == sizes


@pytest.mark.parametrize(
    "query",
    [
        {"n": "abc", "epsilon": "-1", "look_at": "99", "width": "7", "draw": "-3"},
        {"source": "sample", "sample": "bikes", "group": "<script>"},
        {"DPExpTheilSen__lower": "-1e308", "DPExpTheilSen__upper": "1e308", "DPWideTheilSen__theta": "1e308"},
        {"DPSSTheilSen__df": "1e308", "DPGDzCDP__clip": "1e300", "DPGDPure__steps": "100000000"},
        {"also_k": "1000000", "DPExpTheilSen__k": "100000"},
        {"x_new": "0,0.1,0.2,0.3,0.4,0.5,0.6,1"},
        {"var_e": "0.000001", "slope": "0", "intercept": "1"},
        {"trials": "20", "epsilon": "0.01", "n": "10"},
    ],
    ids=lambda query: ",".join(query),
)
@pytest.mark.parametrize("page", ["data", "compare"])
def test_absurd_links_are_no_crash(page, query):
    assert pictures(app(page, **query))


def test_an_unreadable_pair_of_numbers_is_named():
    test = app("compare", DPGDPure__start="1, 2", algorithms="DPGDPure")
    fine(test.text_input(key="DPGDPure.start").set_value("a, b").run())
    assert "DPGDPure: start must be numbers with commas between, got 'a'" in test.sidebar.error[0].value


def test_each_page_that_chooses_says_how_and_links_the_others():
    for name, (here, _, by) in list(CHOOSE_BY.items())[:3]:
        test = app(here, **({"source": "sample", "sample": "tracts"} if here == "small_areas" else {}))
        assert f"{name}: {by}." in words(test).replace("*", "")
        linked = {link.proto.page for link in test.get("page_link")}
        others = {page for page, _, _ in CHOOSE_BY.values()} - {here}
        assert others <= {page.rstrip("/").split("/")[-1] for page in linked}


THIRDS = (1 / 3, 2 / 3, 0.1 + 0.2)


@pytest.mark.parametrize("at", [THIRDS, (*THIRDS, 1e-20)])  # no number in °C is as near to the lower bound as 1e-20
def test_the_address_of_a_result_gives_the_same_draws_in_units_and_in_the_unit_square(at: tuple[float, ...]):
    bikes = Scenario(source="sample", sample="bikes", at=at, mechanisms=[DPGDPure(steps=5)], trials=20)
    grouped = bikes.source.load()
    test = app("compare", **{key.replace(".", "__"): text for key, text in bikes.to_query(grouped.x).items()})
    assert ("unit_square" in bikes.to_query(grouped.x)) == (len(at) > len(THIRDS))
    scale = 1 if "unit_square" in bikes.to_query(grouped.x) else grouped.y.scale
    data = grouped.dataset(grouped.groups[0])
    expected = compare(data, bikes.mechanisms, bikes.epsilon, bikes.at, bikes.trials, bikes.seed).summary
    assert ranking(test)["C(68)"].iloc[0] == expected["c68"].iloc[0] * scale


def test_the_switch_of_units_keeps_every_digit_of_the_points():
    bikes = Scenario(source="sample", sample="bikes").source.load()
    typed = format_points([bikes.x.nearest(1 / 3)])
    test = app("compare", source="sample", sample="bikes", x_new=typed, algorithms=TWO)
    fine(test.sidebar.toggle(key="unit_square").set_value(True).run())
    assert test.sidebar.text_input(key="x_new").value == repr(1 / 3)
    fine(test.sidebar.toggle(key="unit_square").set_value(False).run())
    assert test.sidebar.text_input(key="x_new").value == typed


def test_compare_says_the_error_of_a_release_where_it_is_another():
    view = Scenario(n=1000, mechanisms=[DeepestLine()])
    data = view.source.load().dataset()
    error = released_error(DeepestLine(), data, view.budget)
    assert error is not None
    said = explored_sentence("DeepestLine", error, UNIT_Y)
    assert "draws on 160,000 lines" in said
    test = app("compare", n="1000", algorithms="DeepestLine", details="Release by release")
    assert said in words(test)
    test = app("compare", n="1000", algorithms="CenteredStats", details="Release by release")
    assert "draws on" not in words(test)


def test_a_step_on_compare_waits_for_no_law_of_a_release(monkeypatch):
    """It takes up to a second, which a class of thirty would wait for at every step."""
    monkeypatch.setattr("ui.compare.released_sentence", lambda *_: pytest.fail("computed before it is opened"))
    fine(app("compare", n="1000", algorithms="DeepestLine"))
