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
from tests.cases.releases import follow_no_other_scale, kolmogorov

pytest.importorskip("opendp")
SCORES = list(range(12))
DRAWS = 2000


def permute_and_flip(epsilon):
    q = -epsilon / 2 * np.array(SCORES)
    return [
        quad(lambda z, i=i: np.exp(q[i] - z) * np.prod(1 - np.exp(np.delete(q, i) - z)), 0, 60)[0]
        for i in SCORES
    ]


def exponential(rho):
    weights = np.exp(-np.sqrt(2 * rho) * np.array(SCORES))
    return weights / weights.sum()


@pytest.mark.parametrize(("kind", "amount", "power", "law"), [
    (PureDP, 1.0, 1, permute_and_flip),
    (ZCDP, 0.125, 2, exponential),
])  # fmt: skip
def test_the_selected_index_follows_its_law_and_no_other_scale(kind, amount, power, law):
    draw = library.choice(len(SCORES), 1, kind(amount)).draw
    draws = [draw(SCORES)[0] for _ in range(DRAWS)]
    assert sum(law(amount)) == pytest.approx(1, abs=1e-6)
    follow_no_other_scale(lambda factor: kolmogorov(draws, np.cumsum(law(amount * factor**power))))


@pytest.mark.parametrize("guarantee", [PureDP(0.3), ZCDP(0.3)])
@pytest.mark.parametrize(("kind", "make"), [("noisy", library.noise), ("select", library.choice)])
def test_what_is_known_of_a_serialised_measurement_is_what_the_library_writes(
    kind, make, guarantee
):
    written = json.loads(make(7, 3, guarantee).serialized)
    scale = written["__kwargs__"]["scale"]
    known = library.serialization(kind, isinstance(guarantee, PureDP), 7, scale, version("opendp"))
    assert json.dumps(known) == json.dumps(written)


def size_laplace(k, scale):
    return 1 - 2 * np.exp(-(k + 1) / scale) / (1 + np.exp(-1 / scale))


def size_gaussian(k, scale):
    return 2 * stats.norm.cdf((k + 0.5) / scale) - 1


@pytest.mark.parametrize(("guarantee", "scale", "law"), [
    (PureDP(0.5), 100, size_laplace),
    (ZCDP(0.5), 50, size_gaussian),
])  # fmt: skip
def test_the_noise_follows_its_law_and_no_other_scale(guarantee, scale, law):
    sizes = np.abs(library.noise(DRAWS, 50, guarantee).draw([0] * DRAWS))
    places = np.arange(sizes.max() + 1)
    follow_no_other_scale(lambda factor: kolmogorov(sizes, law(places, scale * factor)))


GUARANTEES = [kind(amount) for kind in (PureDP, ZCDP) for amount in (0.1, 1 / 3, 16.0, 128.0)]


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=repr)
def test_the_library_s_map_keeps_the_promise_and_wastes_nothing(guarantee):
    promise = Fraction(library.amount(guarantee))
    for sensitivity in (1, 3, 989_297_050):
        for make in (library.noise, library.choice):
            cost = make(3, sensitivity, guarantee).opendp_map
            assert promise * (1 - Fraction(1, 10**12)) <= cost <= promise, (sensitivity, make)


def test_without_the_library_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "opendp.prelude", None)
    with pytest.raises(ImportError, match="pip install"):
        library.noise(1, 1, PureDP(1.0))
