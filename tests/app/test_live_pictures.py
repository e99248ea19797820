"""The live pictures of the Methods page: drawn once for all, and again only where a slider moves."""

from __future__ import annotations

from opened import app, fine

from ui import methods as pictures


def specifications(test) -> list[str]:
    return [chart.proto.spec for chart in test.get("vega_lite_chart")]


def test_only_the_picture_whose_slider_moved_is_drawn_again(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        pictures, "for_page", lambda panel, usual=pictures.for_page: (drawn.append(panel), usual(panel))[1]
    )
    page = app("methods")
    usual = specifications(page)
    assert len(drawn) == len(usual) == len(pictures.LIVE)
    fine(page.run())
    assert len(drawn) == len(usual)
    page.select_slider(key="live_descent").set_value(50.0)
    fine(page.run())
    assert len(drawn) == len(usual) + 1


def test_larger_text_does_not_stay_in_what_is_kept():
    usual = specifications(app("methods"))
    larger = specifications(app("methods", larger_text="true"))
    assert larger != usual and specifications(app("methods")) == usual
