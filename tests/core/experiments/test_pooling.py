"""Pooled areas: an independent computation, limits, coverage in simulated worlds, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import laplace, norm

from dpslr_core import Dataset
from dpslr_core.experiments.pooling import (
    Spreads,
    _log_density,
    _Model,
    _public_numbers,
    _Released,
    pool_areas,
)
from dpslr_core.mechanisms import CenteredStats, CenteredStatsGaussian

HEIGHT, SLOPE = 0.05, 0.1  # standard deviations between areas


def world(areas, seed=0, height=HEIGHT, slope=SLOPE, records=60.0):
    """Data sets of areas, and the true lines as a function of x."""
    rng = np.random.default_rng(seed)
    levels = 0.5 + height * rng.standard_normal(areas)
    slopes = 0.3 + slope * rng.standard_normal(areas)
    centres = 0.5 + 0.1 * rng.uniform(-1, 1, areas)
    datasets = {}
    for i in range(areas):
        x = np.clip(
            centres[i] + 0.18 * rng.standard_normal(int(rng.exponential(records)) + 20), 0, 1
        )
        y = np.clip(levels[i] + slopes[i] * (x - 0.5) + 0.13 * rng.standard_normal(x.size), 0, 1)
        datasets[f"A{i:03}"] = Dataset(x, y)
    return datasets, lambda at: levels + slopes * (at - 0.5)


def released(datasets, epsilon, seed=1, mechanism=None):
    rng = np.random.default_rng(seed)
    mechanism = mechanism or CenteredStats()
    return {
        name: mechanism.release_statistics(data, epsilon, 1, rng=rng)
        for name, data in datasets.items()
    }


@pytest.mark.parametrize("spreads", [Spreads(0.05, 0.1), Spreads(0.0, 0.1), Spreads(0.02, 0.0)])
def test_the_lines_are_those_of_the_dense_normal_model(spreads):
    """All heights, slopes and coefficients at once, with a nearly flat prior on those of the area in the middle."""
    datasets, _ = world(12)
    releases = released(datasets, 2.0)
    covariates = pd.DataFrame({"z": np.arange(12.0) % 5}, index=list(datasets))
    model = _Model.of(_Released.of(releases), _public_numbers(covariates, releases))
    areas, k = model.design.shape
    coefficients = np.kron(
        np.eye(2), model.design
    )  # heights, then slopes, by the coefficients of both
    sizes = np.diag(np.tile([1e4, *[0.1**2] * (k - 1)], 2))
    prior = coefficients @ sizes @ coefficients.T
    prior += np.kron(np.diag([spreads.height**2, spreads.slope**2]), np.eye(areas))
    seen = np.block(
        [[np.eye(areas), np.diag(model.away)], [np.zeros((areas, areas)), np.eye(areas)]]
    )
    noise = np.block(
        [[np.diag(model.var_w), np.diag(model.cov)], [np.diag(model.cov), np.diag(model.var_slope)]]
    )
    gain = np.linalg.solve(seen @ prior @ seen.T + noise, seen @ prior).T
    mean = gain @ np.concatenate([model.w, model.slope])
    covariance = prior - gain @ seen @ prior
    fit = model.given(spreads)
    lines, left = fit.lines()
    assert lines.T.ravel() == pytest.approx(mean, abs=2e-5)
    found = fit.covariance(left)
    for i in range(areas):
        pair = np.ix_([i, areas + i], [i, areas + i])
        assert found[i] == pytest.approx(covariance[pair], rel=2e-3, abs=1e-6)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.9999])
@pytest.mark.parametrize("away", [0.0, 0.4, -3.0, 30.0])
def test_the_density_of_normal_and_laplace_noise_is_their_convolution(share, away):
    variance = 0.7
    found = _log_density(np.array([away]), np.array([variance]), np.array([share * variance]))[0]
    if share == 0:
        assert found == pytest.approx(norm.logpdf(away, scale=np.sqrt(variance)))
        return
    b, sd = np.sqrt(share * variance / 2), np.sqrt((1 - share) * variance)
    total, _ = quad(
        lambda v: laplace.pdf(away - v, scale=b) * norm.pdf(v, scale=sd),
        -9 * sd,
        9 * sd,
        points=[0],
        limit=200,
    )
    assert found == pytest.approx(np.log(total), rel=1e-4)


@pytest.mark.parametrize(
    ("mechanism", "epsilon"), [(CenteredStats(), 1.0), (CenteredStatsGaussian(), 8.0)]
)
def test_pooled_lines_are_nearer_to_the_truth_and_their_intervals_hold(mechanism, epsilon):
    inside, pooled, alone = [], [], []
    for seed in range(4):
        datasets, true = world(80, seed=seed)
        frame = pool_areas(released(datasets, epsilon, seed, mechanism), at=(0.25,))
        truth = true(0.25)
        inside.append(((frame["low"] <= truth) & (truth <= frame["high"])).mean())
        pooled.append(((frame["pooled"] - truth) ** 2).mean())
        alone.append(np.median(np.abs(frame["released"] - truth)))
    assert 0.9 <= np.mean(inside) <= 0.995
    assert np.mean(pooled) < 0.9 * np.mean(alone)


def test_a_covariate_that_says_the_heights_is_used():
    datasets, true = world(80, height=0.1, slope=0.0)
    releases = released(datasets, 1.0)
    covariates = pd.DataFrame({"height": true(0.5)}, index=list(datasets))
    without, known = (pool_areas(releases, (0.5,), given)["pooled"] for given in (None, covariates))
    assert np.std(known - true(0.5)) < 0.6 * np.std(without - true(0.5))


INCOME = pd.DataFrame({"income": np.arange(12.0)}, index=[f"A{i:03}" for i in range(12)])


@pytest.mark.parametrize(("given", "words"), [
    ({"covariates": INCOME.drop("A003")}, "covariates must have a row for each area; missing 'A003'"),
    ({"covariates": pd.concat([INCOME] * 2, axis=1)}, "covariates must have one column 'income', got 2"),
    (
        {"covariates": INCOME.assign(income=["n/a", *range(11)])},
        "covariates must be finite numbers, got income = 'n/a' for 'A000'",
    ),
])  # fmt: skip
def test_what_cannot_be_used_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        pool_areas(released(world(12)[0], 2.0), **given)


def test_too_few_areas_and_several_releases_are_refused():
    datasets, _ = world(12)
    releases = released(datasets, 2.0)
    with pytest.raises(ValueError, match="at least 10 areas, got 9"):
        pool_areas(dict([*releases.items()][:9]))
    several = CenteredStats().release_statistics(
        datasets["A000"], 2.0, 3, rng=np.random.default_rng(0)
    )
    with pytest.raises(
        ValueError, match="one release of CenteredStats for each area, not for 'A001'"
    ):
        pool_areas({**releases, "A001": several})


def test_what_shrinking_takes_off_the_mean_of_x_does_not_tie_the_errors_of_mean_and_slope():
    """Products about the noisy mean of x hold its noise times that of y; an area's two errors went together by it."""
    datasets, line = world(2_000, seed=3)
    raw = _Released.of(released(datasets, 0.5))
    model = _Model.of(raw, np.empty((len(datasets), 0)))
    slopes = line(1.0) - line(0.0)
    of_mean = model.w - (line(model.origin + 0.5) - 0.5) - model.away * slopes
    of_slope = model.slope - slopes
    product = (of_mean * of_slope - model.cov) / np.sqrt(model.var_w * model.var_slope)
    each = product * (raw.u - model.away - model.origin)
    assert abs(each.sum()) < 4 * np.sqrt((each**2).sum())
    assert (of_mean**2).mean() == pytest.approx(model.var_w.mean(), rel=0.15)
    weights = model.var_slope**-2.0  # so that few areas of little spread do not decide
    assert weights @ of_slope**2 == pytest.approx(weights @ model.var_slope, rel=0.1)
