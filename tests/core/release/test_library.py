"""The two integer programs: their laws, their promises, their refusals."""

import json
from fractions import Fraction
from importlib.metadata import version

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from dpslr_core.privacy import ZCDP, PureDP
from dpslr_core.release import library
from dpslr_core.release.library import noisy, select

SCORES = list(range(12))
DRAWS = 2000
# Kolmogorov's statistic times sqrt(n) is above 2.7 with probability 1e-6: there is no seed to fix.
LIMIT = 2.7


def distance(draws, cdf):
    """Kolmogorov's distance of integer draws to a cdf on 0, 1, ..., times the root of their number."""
    share = np.cumsum(np.bincount(draws)) / len(draws)
    return np.max(np.abs(share - cdf(np.arange(len(share))))) * np.sqrt(len(draws))


def permute_and_flip(epsilon):
    q = -epsilon / 2 * np.array(SCORES)
    return [quad(lambda z, i=i: np.exp(q[i] - z) * np.prod(1 - np.exp(np.delete(q, i) - z)), 0, 60)[0] for i in SCORES]


def exponential(rho):
    weights = np.exp(-np.sqrt(2 * rho) * np.array(SCORES))
    return weights / weights.sum()


@pytest.mark.parametrize("kind, law", [(PureDP, permute_and_flip), (ZCDP, exponential)])
def test_the_selected_index_follows_its_law_and_no_other_scale(kind, law):
    pytest.importorskip("opendp")
    amount = 1.0 if kind is PureDP else 0.125
    draws = [select(SCORES, 1, kind(amount)) for _ in range(DRAWS)]
    power = 1 if kind is PureDP else 2
    assert sum(law(amount)) == pytest.approx(1, abs=1e-6)
    for factor, accepted in [(1, True), (2 / 3, False), (3 / 2, False)]:
        cdf = np.cumsum(law(amount * factor**power))
        assert (distance(draws, lambda k, cdf=cdf: cdf[k]) < LIMIT) == accepted


@pytest.mark.parametrize("guarantee", [PureDP(0.3), ZCDP(0.3)])
@pytest.mark.parametrize(("kind", "make"), [("noisy", library.noise), ("select", library.choice)])
def test_what_is_known_of_a_serialised_measurement_is_what_the_library_writes(kind, make, guarantee):
    pytest.importorskip("opendp")
    written = json.loads(make(7, 3, guarantee).serialized)
    scale = written["__kwargs__"]["scale"]
    known = library.serialization(kind, isinstance(guarantee, PureDP), 7, scale, version("opendp"))
    assert json.dumps(known) == json.dumps(written)


def size_laplace(scale):
    return lambda k: 1 - 2 * np.exp(-(k + 1) / scale) / (1 + np.exp(-1 / scale))


def size_gaussian(scale):
    return lambda k: 2 * stats.norm.cdf((k + 0.5) / scale) - 1


@pytest.mark.parametrize("guarantee, law", [(PureDP(0.5), size_laplace), (ZCDP(0.5), size_gaussian)])
def test_the_noise_follows_its_law_and_no_other_scale(guarantee, law):
    pytest.importorskip("opendp")
    draws = np.abs(noisy([0] * DRAWS, 50, guarantee))
    scale = 100 if isinstance(guarantee, PureDP) else 50
    for factor, accepted in [(1, True), (2 / 3, False), (3 / 2, False)]:
        assert (distance(draws, law(scale * factor)) < LIMIT) == accepted


@pytest.mark.parametrize("guarantee", [PureDP(0.1), PureDP(1 / 3), PureDP(16.0), ZCDP(0.1), ZCDP(1 / 3), ZCDP(128.0)])
@pytest.mark.parametrize("sensitivity", [1, 3, 989_297_050])
@pytest.mark.parametrize("program", [noisy, select])
def test_the_library_s_map_keeps_the_promise_and_wastes_nothing(monkeypatch, guarantee, sensitivity, program):
    pytest.importorskip("opendp")
    kept = []
    original = library._kept

    def watched(build, start, distance, promise):
        kept.append(Fraction(original(build, start, distance, promise).map(distance)))
        return original(build, start, distance, promise)

    monkeypatch.setattr(library, "_kept", watched)
    program([0, 5, 9], sensitivity, guarantee)
    promise = Fraction(guarantee.epsilon if isinstance(guarantee, PureDP) else guarantee.rho)
    assert promise * (1 - Fraction(1, 10**12)) <= kept[0] <= promise


@pytest.mark.parametrize(
    "values, sensitivity, guarantee, name",
    [
        ([], 1, PureDP(1.0), "values"),
        ([1, 2.5], 1, PureDP(1.0), r"values\[1\]"),
        ([2**53 + 1], 1, PureDP(1.0), r"values\[0\]"),
        ([1], 0, PureDP(1.0), "sensitivity"),
        ([1], 1.0, PureDP(1.0), "sensitivity"),
        ([1], 1, PureDP(float("inf")), "guarantee"),
        ([1], 1, 1.0, "guarantee"),
    ],
)
@pytest.mark.parametrize("program", [noisy, select])
def test_a_wrong_call_names_its_field(program, values, sensitivity, guarantee, name):
    with pytest.raises(ValueError, match=name):
        program(values, sensitivity, guarantee)


def test_without_the_library_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "opendp.prelude", None)
    with pytest.raises(ImportError, match="pip install"):
        noisy([1], 1, PureDP(1.0))
