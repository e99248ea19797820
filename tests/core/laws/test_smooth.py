"""z_m and its smooth sensitivity by rank queries are those of the sorted list, number for number."""

from itertools import product

import numpy as np
import pytest

from dpslr_core import Dataset
from dpslr_core.laws import by_rank
from dpslr_core.mechanisms import DPSSTheilSen
from dpslr_core.pairs import ranks
from dpslr_core.pairs.grid import PublicGrid


def test_reach_does_not_depend_on_the_data(monkeypatch):
    """All data sets of n records are answered, or none is, and the refusal says what it depends on."""
    monkeypatch.setattr(ranks, "CROSSOVER", 3)
    monkeypatch.setattr(by_rank, "_LISTED", 20_000)
    rng = np.random.default_rng(0)
    for y in (rng.random(300), np.full(300, 0.5), (rng.random(300) < 0.2) * 1.0):
        data = Dataset(rng.random(300), y)
        assert DPSSTheilSen().law(data, 0.05) == (None, None)
        with pytest.raises(ValueError, match=r"out of reach at n = 300 and epsilon = 0\.05"):
            DPSSTheilSen().release(data, 0.05, rng=rng)
        assert None not in DPSSTheilSen().law(data, 50.0)
        assert np.isfinite(DPSSTheilSen().release(data, 50.0, size=5, rng=rng)).all()


def test_student_noise_is_never_below_the_resolution_of_floats():
    least = PublicGrid(-0.5, 1.5, np.array([0.25])).spacing / 16
    for n, epsilon in product((40, 1500), (1.0, 1e6)):
        x = np.random.default_rng(5).random(n)
        for y in (np.full(n, 0.5), x):
            with np.errstate(all="raise", under="ignore"):
                law = DPSSTheilSen().law(Dataset(x, y), epsilon, [0.25])[0]
                q = np.array([0.01, 0.3, 0.77, 0.99])
                np.testing.assert_allclose(law.cdf(law.ppf(q)), q, atol=1e-7)
            assert law.scale >= least
