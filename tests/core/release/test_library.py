"""The two integer programs: their laws, their promises, their refusals."""

import json
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
