"""The Paper page, its figures and its table of claims; and the live pictures of the Methods page."""

from __future__ import annotations

from dpslr_core import compare
from dpslr_core.charts.claims import claim_squares
from dpslr_core.mechanisms import MECHANISMS, DeepestLine, DPGDPure
from dpslr_core.paper import results
from dpslr_core.paper.claim import ClaimKind
from dpslr_core.paper.figures import figure_named
from dpslr_core.scenario import Scenario
from dpslr_core.text.phrases import first_and_rest, format_share
from tests.cases.opened import app, changed, fine, heading, pressed, read, typed, words
from ui import methods
from ui.methods import LIVE
from ui.paper import squares


def says(name: str, **changed) -> tuple[str, str]:
    figure = figure_named(name)
    settings = figure.settings(changed)
    return first_and_rest(figure.sentence(figure.compute(settings), settings))


def test_a_figure_says_how_many_of_its_claims_hold_and_shows_them():
    page = app("paper", figure="failures-illinois")
    assert heading(page) == "1 of 3 claims on this figure hold here."
    assert "(error in print)" in words(page) and "(depends on what is not in print)" in words(page)


def test_a_changed_parameter_changes_the_numbers():
    page = app("paper", **{"figure": "exponential-density", "exponential-density__epsilon": "5"})
    assert words(page).startswith(says("exponential-density", epsilon=5)[0])
    typed(page, "exponential-density.epsilon", "20")
    assert words(page).startswith(
        says("exponential-density", epsilon=20)[0]
    ) and "Changed: ε = 20." in words(page)


def test_the_table_of_claims_has_every_kind():
    table, page = results.frame(results.load()), app("paper")
    assert page.dataframe[-1].value["here"].tolist() == table["ours"].tolist()
    assert (
        page.segmented_control(key="claims").options[1:]
        == list(dict.fromkeys(kind.value for kind in ClaimKind))[:-1]
    )
    changed(page, "claims", "error in print")
    assert page.dataframe[-1].value["kind"].unique().tolist() == ["error in print"]


def test_filled_grey_squares_are_claims_that_differ_and_hollow_squares_lack_public_data():
    table = results.frame(results.load())
    drawn = claim_squares(squares(table), 14)["datasets"]
    grey = drawn["squares"][drawn["squares"]["stroke"] == "#808080"]
    hidden = grey["kind"].isin([ClaimKind.NOT_PUBLIC.value, ClaimKind.NOT_IN_PRINT.value])
    assert (hidden == (grey["fill"] == "transparent")).all() and 0 < hidden.sum() < len(grey)
    said = drawn["labels"]["said"].tolist()
    assert f"□ {hidden.sum()} not public" in said and f"■ {(~hidden).sum()} differ" in said


def specifications(test) -> list[str]:
    return [chart.proto.spec for chart in test.get("vega_lite_chart")]


def card(name: str):
    """The card of an algorithm, and its sentences."""
    page = app("methods", card=name)
    return page, read(" ".join(element.value for element in (*page.markdown, *page.caption)))


def test_a_tile_for_each_idea_and_a_card_behind_each_name():
    page = app("methods")
    ranked = methods.all_ranked(MECHANISMS)
    ratios = [rows["ratio"].iloc[0] for rows in methods.ideas(ranked)[:-1]]
    assert heading(page).startswith(
        "17 private algorithms come from five ideas."
    ) and ratios == sorted(ratios)
    best = (
        compare(Scenario().source.load().dataset(), [DeepestLine()], 2.0).summary["ratio"].iloc[0]
    )
    assert f"**{format_share(best)}** of the sampling error" in words(page) and ratios[0] == best
    names = {
        str(button.key).removeprefix("card_")
        for button in page.main.button
        if "card_" in str(button.key)
    }
    assert names == {algorithm.__name__ for algorithm in MECHANISMS}
    pressed(page, "card_DPGDPure")
    assert page.query_params["card"] == "DPGDPure"
    for correction in DPGDPure.corrections:
        assert correction in card("DPGDPure")[1]


def test_every_diagram_lives_on_the_card_of_its_algorithm_and_is_drawn_again_where_its_slider_moved(
    monkeypatch,
):
    drawn, draw = [], methods.for_page
    monkeypatch.setattr(methods, "for_page", lambda panel: (drawn.append(panel), draw(panel))[1])
    for name, live in LIVE.items():
        page, sentences = card(name)
        assert page.select_slider(key=f"live_{live.figure}").value in live.stops
        assert says(live.figure)[0] in sentences and len(specifications(page)) == 1
    assert len(drawn) == len(LIVE)
    page, _ = card("DPWideTheilSen")
    assert len(drawn) == len(LIVE)
    fine(page.select_slider(key="live_widened-density").set_value(0.1).run())
    assert any(says("widened-density", theta=0.1)[0] in read(each.value) for each in page.markdown)
    assert len(drawn) == len(LIVE) + 1
