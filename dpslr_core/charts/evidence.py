"""The ranked errors of a recommendation's algorithms, and the error of each about OLS against epsilon."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd

from ..experiments.ranking import PURE, SAME, WEAKER, promise_of
from ..guidance.recommendation import Recommendation
from ..guidance.required_values import NoiseCurve
from ..support.confidence import Z95
from ..text.phrases import format_amount, format_share
from .base import BOTTOM, error_range
from .rows import GREEN, LEFT, ROW, error_scale, region_below_one, round_ticks, row_axis, unframed
from .styles import style

REGION = "error below one standard error"
NAMED = 1.5  # times the required epsilon of the last curve that is named
AXIS = "expected error, in standard errors"


def ranked_evidence(recommendation: Recommendation) -> alt.LayerChart:
    """One row per algorithm, the mean error as a dot with its 95% Monte-Carlo interval, grouped by guarantee.

    The error is C_true(68) / sigma: sampling and privacy noise together; OLS, without any noise, has about 0.8.
    """
    rows = evidence_rows(recommendation)
    span = error_range(rows[["error", "low", "high"]].to_numpy().ravel())
    look = alt.Axis(title=AXIS, values=round_ticks(span), domain=False, titleLimit=900)
    scale = error_scale(span)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=look)

    base = alt.Chart(rows).encode(
        y=row_axis(rows),
        color=alt.Color("color:N", scale=None),
        tooltip=[
            alt.Tooltip("algorithm:N", title="algorithm"), alt.Tooltip("guarantee:N", title="guarantee"),
            alt.Tooltip("said:N", title="error in standard errors"),
            alt.Tooltip("datasets:Q", title="simulated data sets"),
        ],
    )  # fmt: skip
    layers = [
        *region_below_one(x, REGION),
        base.mark_rule(strokeWidth=3).encode(x=x("low"), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, size=100, opacity=1).encode(x=x("error")),
        base.mark_text(align="left", dx=10)
        .encode(x=x("high"), text=alt.Text("said:N"))
        .transform_filter("datum.words == ''"),
        base.mark_text(align="left", dx=6).encode(x=alt.XValue(LEFT), text=alt.Text("words:N")),
    ]
    return alt.LayerChart(layer=layers, height=alt.Step(ROW), config=unframed())


def evidence_rows(recommendation: Recommendation) -> pd.DataFrame:
    """The evidence by guarantee, the best of each first: with promise, low, high, and words where no dot is drawn."""
    budget = recommendation.budget
    kinds = {m.name: promise_of(m, budget.epsilon, budget.accounting) for m in recommendation.mechanisms}
    rows = recommendation.evidence.rename(columns={"mechanism": "algorithm"})
    rows = rows.assign(promise=rows["algorithm"].map(kinds).fillna("not private"))
    order = rows["promise"].map({PURE: 0, SAME: 0, WEAKER: 1}).fillna(2)
    rows = rows.iloc[np.argsort(order.to_numpy(), kind="stable")].reset_index(drop=True)
    finite = np.isfinite(rows["error"])
    margin = (Z95 * rows["monte_carlo_error"]).fillna(0.0)
    failing = [f"too often without an answer on {format_share(share)} of the data sets" for share in
               rows["infinite_share"]]  # fmt: skip
    return rows.assign(
        error=rows["error"].where(finite),
        low=(rows["error"] - margin).clip(lower=BOTTOM).where(finite),
        high=(rows["error"] + margin).where(finite),
        words=np.where(finite, "", failing),
        said=[format_amount(error) for error in rows["error"]],
        color=[style(str(name))["color"] for name in rows["algorithm"]],
    )


def noise_curves(curves: Sequence[NoiseCurve], r: float, now: float) -> alt.LayerChart:
    """C(68) / sigma about OLS against epsilon, both logarithmic, the required epsilon of each algorithm as a dot.

    r: the target, a horizontal line; now: the present epsilon, a vertical one.
    """
    points = pd.DataFrame([
        (curve.required.mechanism, epsilon, ratio, style(curve.required.mechanism)["color"])
        for curve in curves
        for epsilon, ratio in zip(curve.epsilons, curve.ratios, strict=True)
        if np.isfinite(ratio)
    ], columns=["algorithm", "epsilon", "ratio", "color"])  # fmt: skip
    reached = pd.DataFrame([
        (curve.required.mechanism, curve.required.value, r, style(curve.required.mechanism)["color"])
        for curve in curves
        if curve.required.value is not None
    ], columns=["algorithm", "epsilon", "ratio", "color"])  # fmt: skip
    span = error_range([r / 5, r * 20])
    across, wide = (0.01, 1000.0), "width > 640"
    epsilon = alt.Scale(type="log", domain=list(across), clamp=True, nice=False, range=[0, {"expr": "width - 12"}])
    x = alt.X("epsilon:Q", scale=epsilon, axis=alt.Axis(title="privacy budget ε", values=round_ticks(across)))
    look = alt.Axis(title="error about OLS, in standard errors", values=round_ticks(span))
    y = alt.Y("ratio:Q", scale=alt.Scale(type="log", domain=list(span), clamp=False, nice=False), axis=look)
    color = alt.Color("color:N", scale=None)
    tooltip = [
        "algorithm:N",
        alt.Tooltip("epsilon:Q", title="ε", format=",.3~r"),
        alt.Tooltip("ratio:Q", title="error in standard errors", format=".3~r"),
    ]
    target = alt.Chart(pd.DataFrame({"ratio": [r]})).mark_rule(strokeDash=[2, 3], strokeWidth=2, color=GREEN)
    present = alt.Chart(pd.DataFrame({"epsilon": [now]})).mark_rule(strokeWidth=1, color="#808080")
    names = alt.Chart(_apart(reached)).mark_text(angle=315, align="left", dx=8, dy=-2, fontSize=11)
    lines = alt.Chart(points).mark_line(strokeWidth=2, clip=True)
    dots = alt.Chart(reached).mark_point(filled=True, size=90, opacity=1)
    layers = [
        present.encode(x=x),
        target.encode(y=y),
        lines.encode(x=x, y=y, color=color, detail=alt.Detail("algorithm:N")),
        dots.encode(x=x, y=y, color=color, tooltip=tooltip),
        names.encode(
            x=x,
            y=y,
            color=color,
            text=alt.Text("algorithm:N"),
            opacity=alt.OpacityValue({"expr": f"{wide} ? 1 : 0"}),
        ),
    ]
    return alt.LayerChart(layer=layers, height=320, config=unframed())


def _apart(reached: pd.DataFrame) -> pd.DataFrame:
    """The dots that have room for a name: each some way to the right of the last that has one."""
    named: list[int] = []
    for place, row in reached.sort_values("epsilon").iterrows():
        if not named or row["epsilon"] > NAMED * reached.loc[named[-1], "epsilon"]:
            named.append(int(str(place)))
    return reached.loc[named]
