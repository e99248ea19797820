"""The figures on synthetic data: all algorithms, two at a fixed product, and the hyperparameters θ and β."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from ..charts.curves import error_range
from ..charts.vega import Spec, rule
from ..dataset import Dataset
from ..experiments.sweep import (
    SweepPart,
    SweepPlan,
    measure_part,
    plan_sweep,
    sweep_parts,
)
from ..mechanisms.base import Mechanism
from ..mechanisms.baselines import OLS, TheilSen
from ..mechanisms.noisy_stats import NoisyStats
from ..mechanisms.theil_sen import DPExpTheilSen, DPSSTheilSen, DPWideTheilSen
from ..privacy import Budget
from ..sources.linear import LinearModel
from ..support.run import Run
from ..support.types import Floats
from ..text.phrases import format_amount
from . import figure, pictures
from .figure import Amount, Figure, Parameter, Settings, chosen

LABELS = {
    "n": "records n", "var_x": "variance of x", "var_e": "residual variance", "epsilon": "ε", "x_new": "point x",
    "theta": "widening θ", "beta": "smoothing β",
}  # fmt: skip
ERROR = "error / standard deviation of OLS"
OWN_MEASURE = (
    "Errors are measured as in the paper: C(68) of each data set, averaged. By that OLS has "
    "about 0.8. The pages Sweep "
    "and Guidance pool the releases of all data sets, by which OLS has 1."
)
PRODUCTS = (40, 216, 800)
# The paper prints the ends of n, var_x and epsilon, "all varied on a logarithmic scale"; here each has ten values.
VALUES: dict[str, tuple[float, ...]] = {
    "n": (30, 57, 109, 207, 395, 753, 1437, 2742, 5233, 10_000),
    "var_x": (0.003, 0.00387, 0.005, 0.00646, 0.00834, 0.0108, 0.0139, 0.018, 0.0232, 0.03),
    "epsilon": (0.01, 0.0215, 0.0464, 0.1, 0.215, 0.464, 1.0, 2.15, 4.64, 10.0),
    # Above 0.03 too many y are clipped to the unit square.
    "var_e": (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.03),
    "x_new": tuple(i / 10 for i in range(11)),
}
THETAS = tuple(float(f"{theta:.3g}") for theta in np.geomspace(1e-6, 1, 19))
BETAS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
BUDGETS = (1, 2, 4)  # multiples of epsilon in three panels; the paper prints no epsilon
WITHOUT_MEAN = tuple(
    algorithm for algorithm in figure.PRIVATE if algorithm.__name__ != "NoisyIntercept"
)


class Panel(NamedTuple):
    """Panel of a figure: one parameter varies about a model of the data and a budget for both points."""

    title: str
    parameter: str
    values: tuple[float, ...]
    model: LinearModel
    epsilon: float
    mechanisms: tuple[Mechanism, ...]
    trials: int

    @property
    def plan(self) -> SweepPlan:
        """Plan of the panel's sweep."""
        return plan_sweep(
            self.parameter, self.values, self.model, Budget(self.epsilon), self.mechanisms
        )


SweepTask = tuple[Panel, Run, SweepPart]


def _tasks(settings: Settings, panels: Callable[[Settings], Sequence[Panel]]) -> list[SweepTask]:
    """Return the tasks of a figure's panels; a task measures some of a panel's data sets."""
    runs = [(panel, Run(panel.trials, settings.seed)) for panel in panels(settings)]
    return [
        (panel, run, sweep_part)
        for panel, run in runs
        for sweep_part in sweep_parts(panel.plan, settings.amount.datasets)
    ]


def measure(task: SweepTask) -> pd.DataFrame:
    """Measure the errors of one task as a table that can be stored: a row per data set and mechanism."""
    panel, run, sweep_part = task
    rows = [
        pd.DataFrame(ratios).assign(
            panel=panel.title,
            parameter=batch.parameter,
            value=batch.value,
            first=batch.first,
            mechanism=name,
        )
        for batch in measure_part(sweep_part, panel.plan, run)
        for name, ratios in zip(batch.names, batch.ratios.T, strict=True)
    ]
    return pd.concat(rows, ignore_index=True)


def averaged(frame: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Average the errors of each panel, value and algorithm over data sets, as the paper does.

    C_true(68) / sigma of each data set alone is averaged, by which OLS has about 0.8. Other pages pool the releases of
    all data sets instead, see expected_error.
    """
    keys = ["panel", "parameter", "value", "mechanism"]
    groups = frame.groupby(keys, sort=False)
    rows = groups["ratio"].agg(
        mean=lambda ratios: np.mean(ratios.to_numpy()),
        median=lambda ratios: np.median(ratios.to_numpy()),
        infinite_share=lambda ratios: np.isinf(ratios).mean(),
        datasets="size",
    )
    rows = (
        rows.assign(exact=groups["exact"].all())
        .reset_index()
        .rename(columns={"mechanism": "algorithm"})
    )
    order = {panel: number for number, panel in enumerate(frame["panel"].unique())}
    rows = rows.assign(order=rows["panel"].map(order)).sort_values(
        ["order", "value"], kind="stable", ignore_index=True
    )
    return rows.drop(columns="order")


def panels_of(frame: pd.DataFrame, settings: Settings) -> dict[str, Spec]:
    """Draw the mean errors as curves; where a mean is infinite, an open circle at the median."""
    y = pictures.axis(ERROR, error_range(np.append(frame["mean"], frame["median"])), log=True)
    panels = {}
    for title, rows in frame.groupby("panel", sort=False):
        parameter, values = str(rows["parameter"].iloc[0]), rows["value"]
        ends = float(values.min()), float(values.max())
        x = pictures.axis(LABELS[parameter], ends, log=parameter != "x_new")
        rows = rows.rename(columns={"value": "x"})
        gaps = rows[~np.isfinite(rows["mean"]) & np.isfinite(rows["median"])]
        open_dots = gaps[["algorithm", "x"]].assign(y=gaps["median"])
        drawn = rows.rename(columns={"mean": "y"})
        panels[str(title)] = pictures.curves(drawn, x, y, rule("y", y, 1.0), open_dots=open_dots)
    return panels


def wide(frame: pd.DataFrame, panel: str | None = None) -> pd.DataFrame:
    """Return mean errors, a row for each panel and value and a column for each algorithm; of all panels by default."""
    rows = frame if panel is None else frame[frame["panel"] == panel]
    return rows.pivot(index=["panel", "value"], columns="algorithm", values="mean")


# All algorithms, and two at a fixed product.


def _compared(settings: Settings, algorithms: Sequence[type[Mechanism]]) -> tuple[Mechanism, ...]:
    return OLS(), TheilSen(k=settings["k"]), *chosen(algorithms, settings)


def _all_panels(settings: Settings) -> list[Panel]:
    model = LinearModel(settings["n"], settings["var_x"], settings["var_e"])
    fixed = model, settings["epsilon"], _compared(settings, WITHOUT_MEAN), settings.amount.trials
    titles = {"n": "Varying n", "var_x": "Varying the variance of x", "epsilon": "Varying ε"}
    return [
        Panel(title, parameter, VALUES[parameter], *fixed) for parameter, title in titles.items()
    ]


def _product_panels(settings: Settings) -> list[Panel]:
    mechanisms, panels = _compared(settings, (NoisyStats, DPExpTheilSen)), []
    epsilon, var_x, trials = settings["epsilon"], settings["var_x"], settings.amount.trials
    for product in PRODUCTS:
        model = LinearModel(max(3, round(product / (epsilon * var_x))), var_x, settings["var_e"])
        for parameter in ("var_e", "x_new"):
            title = _product_title(product, parameter)
            panels.append(
                Panel(title, parameter, VALUES[parameter], model, epsilon, mechanisms, trials)
            )
    return panels


def _product_title(product: int, parameter: str) -> str:
    return f"ε n var(x) = {product}, varying {'the residual variance' if parameter == 'var_e' else 'x'}"


_RANGE = figure.span(-2.0, 2.0)
_N, _EPSILON = "records n", figure.epsilon(2.0, printed=False)
_VAR_E = Parameter("var_e", "residual variance", 0.01, 1e-8, 1.0, False)
_MATCHINGS = Parameter("k", "matchings k", 10, 1, 1000)
ALL = Figure(
    "synthetic",
    "Figure 10",
    "Error of all algorithms on synthetic data",
    "DPExpTheilSen, DPGDzCDP or NoisyStats is best or close to it; the last two lead as ε n "
    "var(x) grows.",
    measure,
    panels_of,
    (
        Parameter("n", _N, 1000, 3, 100_000, False),
        Parameter("var_x", "variance of x", 0.03, 1e-6, 0.08, False),
        _VAR_E,
        _EPSILON,
        *_RANGE,
        _MATCHINGS,
        *figure.HYPERPARAMETERS,
    ),
    quick=Amount(20, 50),
    full=Amount(500, 50),
    tasks=partial(_tasks, panels=_all_panels),
    finish=averaged,
    columns=3,
    note=f"{OWN_MEASURE} The paper prints the ranges of n, the variance of x and ε, not the values of those that stay.",
    claims=("best-three", "panels-pure-best", "threshold-all", "descent-order", "descent-ahead"),
)
PRODUCT = Figure(
    "synthetic-products",
    "Figure 11",
    "NoisyStats and DPExpTheilSen at three values of ε n var(x)",
    "At 40 DPExpTheilSen is better for every residual variance; at 800 the curves cross.",
    measure,
    panels_of,
    (
        figure.epsilon(8.0, printed=False),
        Parameter("var_x", "variance of x", 0.02, 1e-6, 0.08, False),
        _VAR_E,
        *_RANGE,
        _MATCHINGS,
    ),
    quick=Amount(20, 20),
    full=Amount(500, 20),
    tasks=partial(_tasks, panels=_product_panels),
    finish=averaged,
    note=f"{OWN_MEASURE} The paper prints the products, not ε, n or the variance of x; n follows from the other two.",
    claims=(
        "residual-small-product",
        "residual-cross-over",
        "residual-small",
        "point-best",
        "point-order",
        "point-noisy-stats",
        "point-product",
    ),
)
# Panels with the paper's settings, by product and varying parameter: "n", "40-var_e".
PAPER_PANELS: dict[str, Panel] = {
    panel.parameter: panel for panel in _all_panels(ALL.settings())
} | {
    f"{product}-{panel.parameter}": panel
    for product, panel in zip(
        np.repeat(PRODUCTS, 2), _product_panels(PRODUCT.settings()), strict=True
    )
}


# Hyperparameters.


@dataclass(frozen=True)
class TruncatedModel(LinearModel):
    """Model whose normal x are drawn again while they are outside [0, 1], so that x need not be clipped."""

    def from_noise(self, uniform: Floats, normal: Floats) -> Dataset:
        """Return the data of uniform and normal noise, both of shape (n,); x is a quantile of the truncated normal."""
        deviation = np.sqrt(self.var_x)
        below, above = ndtr((np.array([0.0, 1.0]) - self.x_mean) / deviation)
        x = np.clip(self.x_mean + deviation * ndtri(below + uniform * (above - below)), 0, 1)
        return Dataset(
            x, np.clip(self.slope * x + self.intercept + np.sqrt(self.var_e) * normal, 0, 1)
        )


def _truncated(settings: Settings, x_mean: float, intercept: float) -> TruncatedModel:
    return TruncatedModel(
        settings["n"],
        settings["sd_x"] ** 2,
        settings["sd_e"] ** 2,
        0.5,
        intercept,
        x_mean,
        "normal",
    )


def _theta_panels(settings: Settings) -> list[Panel]:
    mechanisms, model = (
        chosen((DPExpTheilSen, DPWideTheilSen), settings),
        _truncated(settings, 0.0, 0.5),
    )
    return [
        Panel(
            f"ε = {format_amount(epsilon)}",
            "theta",
            THETAS,
            model,
            epsilon,
            mechanisms,
            settings.amount.trials,
        )
        for epsilon in (times * settings["epsilon"] for times in BUDGETS)
    ]


def _beta_panels(settings: Settings) -> list[Panel]:
    mechanisms, model = chosen((DPSSTheilSen,), settings), _truncated(settings, 0.5, 0.2)
    return [
        Panel(
            "Varying β",
            "beta",
            BETAS,
            model,
            settings["epsilon"],
            mechanisms,
            settings.amount.trials,
        )
    ]


_TRUNCATED = "ε and the range are not in print; x outside [0, 1] is drawn again. The error is measured at x = 0.25."
THETA_FIGURE = Figure(
    "theta",
    "Figure 16",
    "Error of DPWideTheilSen by its widening θ",
    "On data this concentrated the quality varies widely with θ.",
    measure,
    panels_of,
    (
        Parameter("n", _N, 40, 3, 1000),
        Parameter("sd_x", "standard deviation of x", 1e-3, 1e-6, 0.3),
        Parameter("sd_e", "residual standard deviation", 1e-4, 1e-8, 1.0),
        _EPSILON,
        *figure.span(-2.0, 2.0, False),
    ),
    quick=Amount(50, 50),
    full=Amount(500, 50),
    tasks=partial(_tasks, panels=_theta_panels),
    finish=averaged,
    columns=3,
    note=f"{OWN_MEASURE} Panels are at the chosen ε, and at two and four times that. {_TRUNCATED}",
    claims=("theta-varies",),
)
BETA_FIGURE = Figure(
    "beta",
    "Figure 18",
    "Error of DPSSTheilSen by its smoothing β",
    "The quality depends little on β, and β = 0.5 is a good choice.",
    measure,
    panels_of,
    (
        Parameter("n", _N, 30, 3, 1000),
        Parameter("sd_x", "standard deviation of x", 0.01, 1e-6, 0.3),
        Parameter("sd_e", "residual standard deviation", 0.005, 1e-8, 1.0),
        _EPSILON,
        *figure.span(-2.0, 2.0, False),
    ),
    quick=Amount(50, 50),
    full=Amount(500, 50),
    tasks=partial(_tasks, panels=_beta_panels),
    finish=averaged,
    note=f"{OWN_MEASURE} {_TRUNCATED}",
    claims=("beta-half",),
)
