"""Texts of others in charts: plotly shows them and does not read them."""

from __future__ import annotations

from html import unescape

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scenes import texts as drawn_texts

from dpslr_core import Dataset, charts, compare
from dpslr_core.charts.base import as_text
from dpslr_core.charts.sweeps import error_curves
from dpslr_core.experiments.curves import cdf_curves, private_lines, regression_lines
from dpslr_core.mechanisms import NoisyIntercept
from dpslr_core.sources.axis import Axis

NAME = '<a href="http://evil.invalid">x</a><br>&lt;b&gt; $x$'
X, Y = Axis(NAME, "<i>m</i>"), Axis(NAME, "$")


@given(st.text())
def test_the_text_is_the_same_without_marks(text):
    assert unescape(as_text(text)) == text
    assert not set(as_text(text)) & set("<>$")


def texts(figure) -> list[str]:
    """All titles of axes and annotations of a figure."""
    axes = [axis.title.text for axis in (*figure.select_xaxes(), *figure.select_yaxes()) if axis.title.text]
    return axes + [note.text for note in figure.layout.annotations]


def test_names_of_columns_are_no_markup_in_any_chart():
    rng = np.random.default_rng(0)
    data = Dataset(rng.random(20), rng.random(20))
    result = compare(data, [NoisyIntercept()], 2.0, trials=20)
    swept = result.summary.rename(columns={"at": "value", "c68": "mean"}).assign(
        parameter="x_new", median=0.5, low=np.nan, high=np.nan, infinite_share=0.0
    )
    figures = [
        charts.output_cdf(cdf_curves(result, 0.25, (0, 1)), 0.5, 0.1, (0, 1), Y),
        charts.scatter(data, regression_lines(data), X, Y),
        charts.spaghetti(data, private_lines(result), X, Y),
    ]
    for figure in figures:
        shown = texts(figure)
        assert not set("".join(shown)) & set("<>$")
        assert any(NAME in unescape(text) for text in shown)
    assert X.label in drawn_texts(error_curves(swept, (0, 1), X.label, "error"))
