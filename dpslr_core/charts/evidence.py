"""The ranked errors of a recommendation's algorithms, and the error of each about OLS against epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from ..experiments.ranking import CLASS_ORDER, NOT_PRIVATE, guarantee_class
from ..guidance.recommendation import Recommendation
from ..guidance.required_values import NoiseCurve
from ..support.run import Z95
from ..text.phrases import format_amount, format_share
from .base import BOTTOM, error_range
from .rows import GREEN, LEFT, ROW, Kinds, by_guarantee, error_scale, region_below_one, round_ticks, row_axis
from .styles import style
from .vega import SHAPES, Spec, expression, layer, nominal, quantitative, with_data

NAMED = 1.5  # times the required epsilon of the last curve that is named


def ranked_evidence(recommendation: Recommendation) -> Spec:
    """One row per algorithm, the mean error as a dot with its 95% Monte-Carlo interval, grouped by guarantee.

    The error is C_true(68) / sigma: sampling and privacy noise together; OLS, without any noise, has about 0.8.
    """
    rows = evidence_rows(recommendation)
    span = error_range(rows[["error", "low", "high"]].to_numpy().ravel())
    return with_data(_evidence(by_guarantee(rows), span), rows=rows)


@lru_cache(SHAPES)
def _evidence(kinds: Kinds, span: tuple[float, float]) -> Spec:
    """The shape of ranked_evidence: the algorithms in their order and the ends of the axis."""
    axis = {
        "title": "expected error, in standard errors",
        "domain": False,
        "titleLimit": 900,
        "values": round_ticks(span),
    }
    row = {
        "y": row_axis(kinds),
        "color": nominal("color", scale=None),
        "tooltip": [
            nominal("algorithm", title="algorithm"), nominal("guarantee", title="guarantee"),
            nominal("said", title="error in standard errors"), quantitative("datasets", title="simulated data sets"),
        ],
    }  # fmt: skip

    def x(field: str) -> Spec:
        return quantitative(field, scale=error_scale(span), axis=axis)

    said = layer("rows", {"type": "text", "align": "left", "dx": 10}, row | {"x": x("high"), "text": nominal("said")})
    words = row | {"x": {"value": LEFT}, "text": nominal("words")}
    layers = [
        *region_below_one(x("low"), "error below one standard error"),
        layer("rows", {"type": "rule", "strokeWidth": 3}, row | {"x": x("low"), "x2": {"field": "high"}}),
        layer("rows", {"type": "point", "filled": True, "size": 100, "opacity": 1}, row | {"x": x("error")}),
        said | {"transform": [{"filter": "datum.words == ''"}]},
        layer("rows", {"type": "text", "align": "left", "dx": 6}, words),
    ]
    return {"layer": layers, "height": {"step": ROW}}


def evidence_rows(recommendation: Recommendation) -> pd.DataFrame:
    """The evidence by guarantee, the best of each first, with the columns guarantee_class, low, high and words."""
    budget = recommendation.budget
    classes = {m.name: guarantee_class(m, budget.epsilon, budget.accounting) for m in recommendation.mechanisms}
    rows = recommendation.evidence.rename(columns={"mechanism": "algorithm"})
    rows = rows.assign(guarantee_class=rows["algorithm"].map(classes).fillna(NOT_PRIVATE))
    order = rows["guarantee_class"].map(CLASS_ORDER)
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


def noise_curves(curves: Sequence[NoiseCurve], r: float, now: float) -> Spec:
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
    here = pd.DataFrame({"target": [r], "present": [now]})
    return with_data(
        _noise(error_range([r / 5, r * 20])), points=points, reached=reached, named=_apart(reached), here=here
    )


@lru_cache(SHAPES)
def _noise(span: tuple[float, float]) -> Spec:
    """The shape of noise_curves: the ends of the axis of errors."""
    across = (0.01, 1000.0)
    scale = {
        "type": "log",
        "domain": list(across),
        "clamp": True,
        "nice": False,
        "range": [0, expression("width - 12")],
    }
    axis = {"title": "privacy budget ε", "values": round_ticks(across)}
    look = {"title": "error about OLS, in standard errors", "values": round_ticks(span)}

    def x(field: str) -> Spec:
        return {"x": quantitative(field, scale=scale, axis=axis)}

    def y(field: str) -> Spec:
        return {"y": quantitative(field, scale={"type": "log", "domain": list(span), "nice": False}, axis=look)}

    both = x("epsilon") | y("ratio") | {"color": nominal("color", scale=None)}
    tooltip = [
        nominal("algorithm"),
        quantitative("epsilon", title="ε", format=",.3~r"),
        quantitative("ratio", title="error in standard errors", format=".3~r"),
    ]
    name = {"type": "text", "angle": 315, "align": "left", "dx": 8, "dy": -2, "fontSize": 11}
    wide = {"value": expression("width > 640 ? 1 : 0")}
    layers = [
        layer("here", {"type": "rule", "strokeWidth": 1, "color": "#808080"}, x("present")),
        layer("here", {"type": "rule", "strokeDash": [2, 3], "strokeWidth": 2, "color": GREEN}, y("target")),
        layer("points", {"type": "line", "strokeWidth": 2, "clip": True}, both | {"detail": nominal("algorithm")}),
        layer("reached", {"type": "point", "filled": True, "size": 90, "opacity": 1}, both | {"tooltip": tooltip}),
        layer("named", name, both | {"text": nominal("algorithm"), "opacity": wide}),
    ]
    return {"layer": layers, "height": 320}


def _apart(reached: pd.DataFrame) -> pd.DataFrame:
    """The dots that have room for a name: each some way to the right of the last that has one."""
    named: list[int] = []
    for place, row in reached.sort_values("epsilon").iterrows():
        if not named or row["epsilon"] > NAMED * reached.loc[named[-1], "epsilon"]:
            named.append(int(str(place)))
    return reached.loc[named]
