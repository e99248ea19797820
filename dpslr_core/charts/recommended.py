"""Picture of a recommendation, in Altair: errors split into sampling error and what privacy adds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..support.readable import format_amount
from ..support.run import Z95
from ..text.guidance import beside_without
from .compared import STEP
from .styles import style
from .vega import GREEN, GREEN_TEXT, GREY, Spec, chart_of, shape_of, with_data

if TYPE_CHECKING:
    from ..guidance.recommendation import Recommendation

FIRST = 6  # algorithms on the first screen
ROOM = 115  # pixels for the words at the end of the longest bar
LEAST, LONGEST = (
    3.0,
    3.0,
)  # least end of the axis, and its end over the best error; longer bars are cut
WIDE = 4.5  # end of the axis from which the sampling error has room for few words
WITHOUT = "without privacy"


def first_names(recommendation: Recommendation) -> list[str]:
    """Return the algorithms of the first screen: the best that may be recommended."""
    evidence = recommendation.evidence
    names: list[str] = evidence.loc[evidence["candidate"], "mechanism"].tolist()
    return names[:FIRST]


def error_parts(recommendation: Recommendation, names: Sequence[str]) -> Spec:
    """Draw a bar for the error without privacy, and for each algorithm: sampling error, and what privacy adds to it.

    Parameters
    ----------
    recommendation : Recommendation
        Errors of the algorithms.
    names : sequence of str
        Algorithms in order.
    """
    r, evidence = (
        recommendation,
        recommendation.evidence.set_index("mechanism").loc[["OLS", *names]],
    )
    times = np.array([r.times(name) for name in evidence.index])
    finite = times[np.isfinite(times)]
    end = min(finite.max(), max(LEAST, LONGEST * finite[1:].min(initial=finite.max())))
    drawn = np.where(np.isfinite(times), np.minimum(times, end), 0.0)
    cut = np.where((end < times) & np.isfinite(times), "▸ ", "")
    words = ["1", *(beside_without(r, name) for name in names)]
    margins = Z95 * evidence["monte_carlo_error"]
    rows = pd.DataFrame({
        "algorithm": [WITHOUT, *names],
        "start": 0.0,
        "anyway": np.minimum(drawn, 1.0),
        "error": drawn,
        "words": [f"{arrow}{label}" for arrow, label in zip(cut, words, strict=True)],
        "color": [style(name)["color"] if name == r.algorithm else GREY for name in evidence.index],
        "guarantee": evidence["guarantee"].to_numpy(),
        "units": [
            f"{format_amount(error)} ± {format_amount(margin)}" if np.isfinite(margin) else "∞"
            for error, margin in zip(evidence["error"], margins, strict=True)
        ],
        "datasets": evidence["datasets"].to_numpy(),
    })  # fmt: skip
    sides = pd.DataFrame({"low": [0.0], "high": [1.0]})
    return with_data(_shape(float(f"{end:.3g}")), rows=rows, sides=sides)


@cache
def _shape(end: float) -> Spec:
    """Return the chart of `error_parts` without its rows."""
    import altair as alt  # commands without a picture need no Altair

    scale = alt.Scale(
        domain=[0, end], range=[0, alt.ExprRef(f"width - {ROOM}")], nice=False, clamp=True
    )
    bold = alt.ExprRef("datum.value == data('rows')[1].algorithm ? 'bold' : 'normal'")
    names = alt.Axis(
        domain=False,
        ticks=False,
        grid=False,
        labelLimit=190,
        labelFontSize=13,
        labelFontWeight=bold,
        labelFlush=False,
        title=None,
    )

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=None)

    sides = chart_of("sides")
    rows = chart_of("rows").encode(y=alt.Y("algorithm:N", sort=None, axis=names))
    above = sides.encode(x=x("high"), y=alt.value(0))
    room = 560 if end < WIDE else 10_000  # pixels
    anyway = alt.ExprRef(
        f"width > {room} ? 'sampling error, which you have anyway' : 'sampling error'"
    )
    tooltip = [
        alt.Tooltip("algorithm:N"), alt.Tooltip("guarantee:N", title="guarantee"),
        alt.Tooltip("units:N", title="error in standard errors, with 95% interval"),
        alt.Tooltip("datasets:Q", title="simulated data sets"),
    ]  # fmt: skip
    chart = alt.layer(
        sides.mark_rect(color=GREEN, opacity=0.16).encode(x=x("low"), x2="high:Q"),
        rows.mark_bar(height=14, color=GREEN, opacity=0.8).encode(x=x("start"), x2="anyway:Q"),
        rows.mark_bar(height=14).encode(
            x=x("anyway"), x2="error:Q", color=alt.Color("color:N", scale=None)
        ),
        sides.mark_rule(color=GREEN, strokeWidth=2).encode(x=x("high")),
        above.mark_text(
            align="right",
            dx=-6,
            dy=-9,
            fontSize=13,
            fontWeight="bold",
            color=alt.ExprRef(GREEN_TEXT),
            text=anyway,
        ),
        above.mark_text(
            align="left", dx=6, dy=-9, fontSize=13, fontWeight="bold", text="what privacy adds"
        ),
        rows.mark_text(align="left", dx=10, fontSize=13).encode(x=x("error"), text="words:N"),
        rows.mark_bar(opacity=0)
        .encode(x=alt.value(0), x2=alt.value("width"), tooltip=tooltip)
        .properties(name="rows"),
    )
    return shape_of(chart.properties(height=alt.Step(STEP)))
