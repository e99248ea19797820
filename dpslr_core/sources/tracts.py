"""Simulated people in small areas: parent and child income ranks in the census tracts of a state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr

from ..support import validate
from ..support.columns import float_array, shown
from ..support.tables import plain_columns, plain_labels
from ..support.types import Floats


@dataclass(frozen=True)
class StateModel:
    """Law of a state's tracts: ln(mu) ~ N(log_mu_mean, log_mu_sd^2), and alpha normal about a line in ln(mu).

    mu is the mean income of the parents in a tract; ln(child income) = alpha + beta ln(parent income) + noise.

    Attributes
    ----------
    tracts : int
        Number of the state's tracts.
    alpha_mean, alpha_slope, alpha_sd : float
        Mean of alpha at the mean of ln(mu), slope of alpha in ln(mu), and standard deviation about this line.
    beta : float
        Income elasticity, the same in all tracts.
    """

    name: str
    tracts: int
    log_mu_mean: float
    log_mu_sd: float
    alpha_mean: float
    alpha_slope: float
    alpha_sd: float
    beta: float


# Read off the public figures of the Opportunity Atlas (hhinc_mean2000, kir_pooled_p25 / 100), which
# tests/reference/states.py fits: mean and sd of ln(mu), then the least squares line of the fitted alpha on ln(mu) and
# the sd of its residuals. One child rank per tract cannot tell the slopes of tracts apart, so a state has one beta.
ILLINOIS = StateModel(
    "Illinois",
    3108,
    log_mu_mean=11.2824,
    log_mu_sd=0.3924,
    alpha_mean=10.2244,
    alpha_slope=0.0684,
    alpha_sd=0.0338,
    beta=0.0654,
)
# Without the tract whose child rank is estimated below 0, which is impossible.
NORTH_CAROLINA = StateModel(
    "North Carolina",
    2156,
    log_mu_mean=11.1741,
    log_mu_sd=0.3276,
    alpha_mean=9.3285,
    alpha_slope=0.0675,
    alpha_sd=0.0295,
    beta=0.1452,
)
STATES = {state.name: state for state in (ILLINOIS, NORTH_CAROLINA)}


# ---------------------------------------------------------------- people in tracts

SIZE_SCALE, SIZE_SHIFT = 52, 20  # n_t = floor(Exp(52) + 20)
INCOME_SPREAD = 2  # sd of parents' income within a tract / sd of mu over tracts
CHILD_SD = 0.2  # sd of ln(child income) given the parents' income
ROUNDING = 0.01  # both ranks are rounded up to a multiple

MOST_TRACTS = 10**6
ILLINOIS_TRACTS, BETA = ILLINOIS.tracts, ILLINOIS.beta

_LIMITS = {"mu": (1e-6, 1e12), "alpha": (-1e6, 1e6), "beta": (-1e6, 1e6), "size": (2, 1e7)}
_NODES, _MIXTURE_KNOTS = 48, 1000  # points of true_lines' quadrature and interpolation


def simulate_tracts(
    table: pd.DataFrame | None = None,
    *,
    tracts: int | None = None,
    elasticity: float | None = None,
    state: StateModel = ILLINOIS,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Simulate people in the tracts of a state: their parents' and their own income rank in the state.

    n_t = floor(Exp(52) + 20) people in tract t; ln(parent) ~ N(E_t, V_t) with V_t = ln(1 + W / mu_t^2),
    E_t = ln(mu_t) - V_t / 2, so that parent income has mean mu_t and variance W = 4 Var(mu over tracts);
    ln(child) = alpha_t + beta_t ln(parent) + N(0, 0.2^2); x and y are the ranks of parents among parents and
    of children among children, divided by the number of people and rounded up to two decimals: in
    {0.01, ..., 1}. Equal incomes share the lowest of their ranks.

    Parameters
    ----------
    table : DataFrame, optional
        A row for each tract; columns mu (mean parent income, in any currency), alpha and beta; optional size (whole
        numbers >= 3) and group (labels, all different). None: `draw_tracts` draws it from the next three arguments.
    tracts : int, optional
        Number of tracts; None: all tracts of the state.
    elasticity : float, optional
        Elasticity of the children's income on the parents'; None: the elasticity of the state.
    state : StateModel
        State whose tracts are drawn.
    rng : numpy.random.Generator
        Source of all randomness. Draws, in this order: `draw_tracts`, where there is no table; an exponential for each
        tract, where there is no size; a normal for each person for the parents; then for the children.

    Returns
    -------
    DataFrame
        Columns group (str), x, y; a row for each person, tracts in the order of the table.

    Raises
    ------
    ValueError
        Names the argument, or the column of table, that cannot be.

    Notes
    -----
    Source: appendix, Data Generating Process for OI Synthetic Datasets.

    Examples
    --------
    >>> people = simulate_tracts(tracts=2, rng=np.random.default_rng(7))
    >>> people["group"].unique().tolist(), float(people["x"].max()), len(people) >= 40
    (['tract 1', 'tract 2'], 1.0, True)
    """
    validate.generator(rng=rng)
    table = draw_tracts(tracts, rng, elasticity, state) if table is None else _checked(table)
    if "size" in table:
        sizes = table["size"].to_numpy().astype(np.int64)
    else:
        sizes = np.floor(rng.exponential(SIZE_SCALE, len(table)) + SIZE_SHIFT).astype(np.int64)
    mean, variance = _log_income(table["mu"].to_numpy())
    parent = np.repeat(mean, sizes) + np.repeat(np.sqrt(variance), sizes) * rng.standard_normal(
        sizes.sum()
    )
    child = np.repeat(table["beta"].to_numpy(), sizes) * parent + np.repeat(
        table["alpha"].to_numpy(), sizes
    )
    child += CHILD_SD * rng.standard_normal(child.size)
    group = table["group"].repeat(sizes).reset_index(drop=True)
    return pd.DataFrame(
        {"group": group, "x": _percentile_rank(parent), "y": _percentile_rank(child)}
    )


def draw_tracts(
    tracts: int | None,
    rng: np.random.Generator,
    elasticity: float | None = None,
    state: StateModel = ILLINOIS,
) -> pd.DataFrame:
    """Draw a table of tracts by the law of a state: columns group, mu, alpha, beta.

    Draws a normal for each tract for mu, then another for alpha.

    Parameters
    ----------
    tracts : int or None
        Number of tracts, 2 or more; None: the number in the state.
    rng : numpy.random.Generator
        Source of all randomness.
    elasticity : float, optional
        Elasticity of the children's income on the parents'. None: the state's, which gives lines as flat as there;
        larger values give steeper lines with less noise about them.
    state : StateModel
        State whose law the tracts follow.

    Raises
    ------
    ValueError
        If tracts < 2 or elasticity is not finite.
    """
    tracts = state.tracts if tracts is None else tracts
    elasticity = state.beta if elasticity is None else elasticity
    validate.integer(2, MOST_TRACTS, tracts=tracts)
    validate.finite(elasticity=elasticity)
    elasticity = float(elasticity)
    validate.generator(rng=rng)
    deviation = state.log_mu_sd * rng.standard_normal(tracts)
    alpha = (
        state.alpha_mean
        + state.alpha_slope * deviation
        + state.alpha_sd * rng.standard_normal(tracts)
    )
    table = pd.DataFrame(
        {"mu": np.exp(state.log_mu_mean + deviation), "alpha": alpha, "beta": elasticity}
    )
    table.insert(0, "group", _labels(table))
    return table


def true_lines(table: pd.DataFrame) -> pd.DataFrame:
    """Return the least squares line of everybody in each tract, indexed by label: columns intercept and slope.

    Lines are in the unit square; everybody means infinitely many people of the same law. With F and G the distributions
    of both ln(incomes) in the state, a tract's line is the regression of E[G | parent] on F(parent), where for a child
    whose ln(income) is N(m, 0.2^2)
        E[G] = sum_s w_s Phi((m - alpha_s - beta_s E_s) / sqrt(beta_s^2 V_s + 2 0.2^2)).
    Rounding up to two decimals adds half a hundredth to both ranks, and its variance to x.

    Parameters
    ----------
    table : DataFrame
        As for `simulate_tracts`, with size, which weighs the tracts in the ranks.
    """
    table = _checked(table)
    alpha, beta, size = (table[name].to_numpy(float) for name in ("alpha", "beta", "size"))
    weight, (mean, variance) = size / size.sum(), _log_income(table["mu"].to_numpy())
    nodes, shares = np.polynomial.hermite_e.hermegauss(_NODES)
    parent = mean[:, None] + np.sqrt(variance)[:, None] * nodes
    x = _mixture(parent, mean, variance, weight)
    y = _mixture(
        alpha[:, None] + beta[:, None] * parent,
        alpha + beta * mean,
        beta**2 * variance + 2 * CHILD_SD**2,
        weight,
    )
    shares = shares / shares.sum()
    x_mean, y_mean = x @ shares, y @ shares
    slope = (
        ((x - x_mean[:, None]) * y)
        @ shares
        / ((x - x_mean[:, None]) ** 2 @ shares + ROUNDING**2 / 12)
    )
    line = {"intercept": y_mean + ROUNDING / 2 - slope * (x_mean + ROUNDING / 2), "slope": slope}
    return pd.DataFrame(line, index=pd.Index(table["group"]))


def _mixture(at: Floats, mean: Floats, variance: Floats, weight: Floats) -> Floats:
    """Return the distribution function of a mixture of normals, linear between knots; same shape as `at`."""
    knots = np.linspace(at.min(), at.max(), _MIXTURE_KNOTS)
    return np.interp(at, knots, ndtr((knots[:, None] - mean) / np.sqrt(variance)) @ weight)


def _log_income(mu: Floats) -> tuple[Floats, Floats]:
    """Return mean and variance of ln(parent income) in each tract.

    Income is lognormal with mean mu and variance 4 Var(mu), where Var divides by the number of tracts less 1.
    """
    relative = mu / mu.max()
    variance = np.log1p((INCOME_SPREAD * relative.std(ddof=1) / relative) ** 2)
    return np.log(mu) - variance / 2, variance


def _percentile_rank(values: Floats) -> Floats:
    """Return ceil(100 rank / n) / 100 with rank = 1 + the number of smaller values; same shape."""
    rank = 1 + np.searchsorted(np.sort(values), values)
    # The ceiling is taken of whole numbers: in floats 0.29 would become 0.30.
    return -(-100 * rank // rank.size) / 100


def _checked(table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that are used, as floats and labels; ValueError names a column that cannot be."""
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"table must be a pandas DataFrame or None, got {type(table).__name__}")
    table = plain_columns(table, "table", ("group", *_LIMITS))
    needed = ["mu", "alpha", "beta"]
    if missing := [column for column in needed if column not in table]:
        raise ValueError(f"table must have the columns mu, alpha and beta; missing {missing}")
    if len(table) < 2:
        raise ValueError(
            f"table must have at least 2 rows, got {len(table)}: incomes vary as mu does between "
            "tracts"
        )
    wanted = [*needed, "size"] if "size" in table else needed
    columns = {column: _numbers(table, column) for column in wanted}
    if np.ptp(columns["mu"]) == 0:
        raise ValueError(f"mu must differ between tracts, got {columns['mu'][0]:g} in every row")
    return pd.DataFrame({"group": _labels(table), **columns}, table.index)


def _numbers(table: pd.DataFrame, column: str) -> Floats:
    """Return a column as floats inside its limits, shape (tracts,); size must be whole."""
    low, high = _LIMITS[column]
    values = float_array(table[column], column, others_as_nan=True)
    kind, good = "a number", (values > low) & (values < high)
    if column == "size":
        kind, good = "a whole number", good & (values == np.floor(values))
    if not good.all():
        value = table[column].tolist()[int(good.argmin())]
        wanted = f"{column} must be {kind} above {low:g} and below {high:g}"
        raise ValueError(f"{wanted}, got {shown(value)}")
    return values


def _labels(table: pd.DataFrame) -> pd.Series:
    """Return column group as text, or "tract 0001" and so on; ValueError where a label is missing or occurs twice."""
    if "group" not in table:
        width = len(str(len(table)))
        return pd.Series(
            [f"tract {i:0{width}d}" for i in range(1, len(table) + 1)], table.index, dtype="str"
        )
    labels = plain_labels(table["group"].astype("str"))
    if table["group"].isna().any() or (labels.str.strip() == "").any() or not labels.is_unique:
        raise ValueError("group must be a different name in each row of the table")
    return labels
