"""All figures: their list, parameters, panels and verdicts; every kind of panel can be drawn."""

import numpy as np
import pandas as pd
import pytest

from dpslr_core.charts.vega import written
from dpslr_core.paper.figure import agreement
from dpslr_core.paper.figures import FIGURES, figure_named
from dpslr_core.paper.pictures import for_page
from dpslr_core.paper.real_data import HIGH, LOW, POOLED, PURE
from tests.cases.paper import few, uci_or_skip

OF_UCI = {
    "bikes": "bikes",
    "bikes-widened": "bikes",
    "bike-records": "bikes",
    "stocks": "stocks",
    "stock-records": "stocks",
    "nanotubes": "nanotubes",
    "nanotube-records": "nanotubes",
}


def test_a_changed_parameter_is_told_and_a_wrong_one_refused():
    figure = figure_named("bikes")
    changed = figure.settings({"epsilon": 3})
    assert changed["epsilon"] == 3 and figure.changed_from_print(changed) == "ε = 3"
    for wrong in (
        {"sigma": 1},
        {"epsilon": 0},
        {"epsilon": float("nan")},
        {"steps": 2.5},
        {"steps": 1},
    ):
        with pytest.raises(
            ValueError, match=next(iter(wrong)) if "sigma" not in wrong else "has the parameters"
        ):
            figure.settings(wrong)
    with pytest.raises(ValueError, match="seed"):
        figure.settings(seed=-1)


@pytest.mark.slow
@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_each_panel_runs(figure, monkeypatch):
    """Each panel of few data sets and trials is drawn, with numbers on more than half of every curve."""
    if figure.name in OF_UCI:
        uci_or_skip(monkeypatch, OF_UCI[figure.name])
    settings = few(figure, 2, trials=10)
    frame = figure.compute(settings)
    panels = figure.panels(frame, settings)
    assert panels and figure.agrees(frame, settings)
    for panel in panels.values():
        written(for_page(panel), ".svg")
        for rows in panel["datasets"].values():
            if {"algorithm", "y"} <= set(rows):
                known = np.isfinite(rows["y"]).groupby(rows["algorithm"]).mean()
                assert (known > 0.5).all(), known


# Verdicts on made-up numbers.


@pytest.mark.parametrize(
    ("statements", "sentence"),
    [
        (
            (True, False),
            "Our numbers agree in part: 1 of 2 statements of the paper hold. So it is.",
        ),
        ((False,), "Our numbers differ: 0 of 1 statement of the paper holds. So it is."),
        ((), "So it is."),
    ],
)
def test_the_verdict_counts_the_statements_that_hold(statements, sentence):
    assert agreement("so it is.", *statements) == sentence


def areas(**ratios):
    """C(68) of some algorithms in areas whose standard error is 1 by position, in hundredths."""
    rows = [
        ("Illinois", f"g{i:02d}", name, ratio, ratio, (i + 1) / 100)
        for name, values in ratios.items()
        for i, ratio in enumerate(values)
    ]
    return pd.DataFrame(
        rows, columns=["panel", "group", "mechanism", "c68", "ratio", "standard_error"]
    )


def tracts(mine, oi):
    others = {name: [1.0, 1.0] for name in (*PURE, POOLED) if name != "DPExpTheilSen"}
    return areas(DPExpTheilSen=[mine] * 2, MaximumObservedSensitivity=[oi] * 2, **others).assign(
        error=1.0
    )


def widened(first, others):
    return areas(DPExpTheilSen=[first] * 2 + [others] * 38, DPWideTheilSen=[1.0] * 40)


def outputs(**panels):
    rows = [
        (panel, name, ratio) for panel, ratios in panels.items() for name, ratio in ratios.items()
    ]
    return pd.DataFrame(rows, columns=["panel", "algorithm", "ratio"])


def means(panel, **curves):
    """Mean errors at the values 1, 2, ... of each algorithm."""
    frame = pd.DataFrame(curves, index=pd.RangeIndex(1, 1 + len(next(iter(curves.values())))))
    long = (
        frame.rename_axis("value")
        .reset_index()
        .melt("value", var_name="algorithm", value_name="mean")
    )
    return long.assign(panel=panel)


def products(small, *large):
    """NoisyStats at three residual variances, at the smallest and the largest product; the other algorithm has 2."""
    title = "ε n var(x) = {}, varying the residual variance"
    noisy = {title.format(40): [9.0, 9.0, small], title.format(800): list(large)}
    return pd.concat(
        means(name, NoisyStats=each, DPExpTheilSen10Match=[2] * 3) for name, each in noisy.items()
    )


def three(descent, other):
    matched = {"DPExpTheilSen10Match": [1.0, 2.0], "NoisyStats": [9.0, 2.0]}
    return means("Varying n", **matched, DPGDzCDP=descent, DPWideTheilSen10Match=other)


def by_beta(half, other):
    return pd.DataFrame({"value": [0.02, 0.2, 0.5, 0.8], "mean": [9.0, other, half, 1.0]})


MATCHED = {"DPExpTheilSen1Match": 0.5, "DPWideTheilSen1Match": 90, "DPSSTheilSen1Match": 2}
OTHERS = {"NoisyStats": 50, "DPGDPure": 60, "DPGDApprox": 60, "DPGDzCDP": 60}
WIDE = dict.fromkeys(MATCHED, 500) | OTHERS
AGREE, PARTLY, DIFFER = "agree:", "agree in part:", "differ:"


LOWS, WORST = [LOW, HIGH], {"exact": [0, 0, 0.1], "nvar": [9.0, 8, 1]}
VERDICTS = [
    ("bikes", areas(DPExpTheilSen=[0.5, 0.6, 2], NoisyStats=[2, 2, 2]), AGREE),
    ("bikes", areas(DPExpTheilSen=[2, 2, 2], NoisyStats=[0.1, 2, 2]), DIFFER),
    ("tracts", tracts(0.5, 2), AGREE),
    ("tracts", tracts(1.5, 1), DIFFER),
    ("bikes-widened", widened(30, 1), AGREE),
    ("bikes-widened", widened(1, 1), DIFFER),
    (
        "failures-illinois",
        pd.DataFrame({"group": LOWS, "exact": [0.4, 0], "failed": [0.4, 0.01]}),
        AGREE,
    ),
    (
        "failures-illinois",
        pd.DataFrame({"group": LOWS, "exact": [0.4, 0], "failed": [0.4, 0.2]}),
        PARTLY,
    ),
    ("failures-all-tracts", pd.DataFrame(WORST | {"failed": [0, 0, 0.12]}), AGREE),
    ("failures-all-tracts", pd.DataFrame(WORST | {"failed": [0, 0, 0.3]}), PARTLY),
    ("stocks", outputs(p={"DPExpTheilSen": 0.9, "NoisyStats": 3}), AGREE),
    ("stocks", outputs(p={"DPExpTheilSen": 1.1, "NoisyStats": 0.3}), DIFFER),
    ("nanotubes", outputs(a=MATCHED | OTHERS, b=WIDE), AGREE),
    (
        "nanotubes",
        outputs(a=MATCHED | OTHERS | {"DPExpTheilSen1Match": 3}, b=MATCHED | OTHERS),
        DIFFER,
    ),
    ("nanotube-records", pd.DataFrame({"n": [10_682], "nvar": [889.2]}), DIFFER),
    ("synthetic", three([5, 1], [2, 2]), AGREE),
    ("synthetic", three([5, 3], [0.5, 0.5]), DIFFER),
    ("synthetic-products", products(9, 3, 1, 1), AGREE),
    ("synthetic-products", products(1, 3, 3, 3), DIFFER),
    ("theta", means("p", DPWideTheilSen=[1.0, 9.0]), AGREE),
    ("theta", means("p", DPWideTheilSen=[1.0, 2.0]), DIFFER),
    ("beta", by_beta(1.1, 1.5), AGREE),
    ("beta", by_beta(2.5, 3.0), DIFFER),
]


@pytest.mark.parametrize(("name", "frame", "verdict"), VERDICTS)
def test_a_figure_agrees_where_the_papers_statements_hold(name, frame, verdict):
    figure = figure_named(name)
    assert figure.agrees(frame, figure.settings()).startswith(f"Our numbers {verdict}")
