"""The Paper page: the figure in the link, its verdict first, its parameters; and live pictures on the Methods page."""

from __future__ import annotations

import json

import pytest
from opened import app, typed, words

from dpslr_core.paper.figures import FIGURES, figure_named
from dpslr_core.text.phrases import first_and_rest
from ui.methods import LIVE

QUICK = ("exponential-density", "hyperparameters", "failures-illinois", "smooth-sensitivity", "descent")


def says(figure, **changed) -> tuple[str, str]:
    settings = figure.settings(changed)
    return first_and_rest(str(figure.agrees(figure.compute(settings), settings)))


@pytest.mark.parametrize("name", QUICK)
def test_the_link_names_the_figure_and_its_verdict_comes_first(name):
    page, figure = app("paper", figure=name), figure_named(name)
    shown, (headline, rest) = words(page), says(figure)
    assert shown.startswith(headline)
    assert rest in shown and f"The paper says: {figure.says}" in shown and figure.note in shown
    assert page.main.selectbox(key="figure").value == name


def test_a_link_without_a_figure_or_with_a_wrong_one_shows_the_first():
    for query in ({}, {"figure": "figure-99"}):
        assert app("paper", **query).main.selectbox(key="figure").value == FIGURES[0].name


def test_steps_lead_through_the_figures_in_order():
    page = app("paper")
    assert page.main.button(key="figure_Previous figure").disabled
    page.main.button(key="figure_Next figure").click().run()
    assert page.main.selectbox(key="figure").value == FIGURES[1].name
    assert FIGURES[1].name in page.query_params["figure"]


def test_a_changed_parameter_changes_the_numbers_and_is_told():
    page = app("paper", figure="exponential-density")
    typed(page, "exponential-density.epsilon", "20")
    assert not page.exception
    assert words(page).startswith(says(figure_named("exponential-density"), epsilon=20)[0])
    assert "Changed: ε = 20." in words(page)


def test_parameters_stand_in_the_link():
    page = app("paper", **{"figure": "exponential-density", "exponential-density__epsilon": "5"})
    assert words(page).startswith(says(figure_named("exponential-density"), epsilon=5)[0])


def test_values_that_do_not_go_together_are_told_in_a_sentence():
    page = app("paper", figure="theta")
    typed(page, "theta.lower", "3")
    assert not page.exception and "lower" in page.warning[0].value


def test_a_panel_has_the_verdict_as_its_name_and_full_is_offered_where_it_differs():
    page = app("paper", figure="failures-illinois")
    names = [chart.proto.alt for chart in page.get("vega_lite_chart")]
    assert len(names) == 2 and all("Our numbers differ" in name for name in names)
    assert page.main.toggle(key="full_figure").value is False
    assert json.loads(page.get("vega_lite_chart")[0].proto.spec)["layer"]
    assert not [each for each in app("paper").main.toggle if each.key == "full_figure"]


def test_every_diagram_lives_on_the_card_of_its_algorithm():
    page = app("methods")
    for live in LIVE.values():
        assert page.main.select_slider(key=f"live_{live.figure}").value in live.stops
        assert says(figure_named(live.figure))[0] in words(page)
    page.main.select_slider(key="live_widened-density").set_value(0.1).run()
    assert not page.exception and says(figure_named("widened-density"), theta=0.1)[0] in words(page)
