"""The error of a release beside the error that pages explore."""

from __future__ import annotations

import numpy as np
import pytest

from dpslr_core.mechanisms import JointTheilSen
from dpslr_core.privacy import Budget, PureDP
from dpslr_core.release.explored import rehearsal_data, released_error
from dpslr_core.release.programs import PROGRAMS, program_of
from dpslr_core.sources.choices import Synthetic


def test_the_error_of_a_release_is_that_of_very_many_choices_among_its_candidates():
    data, at = rehearsal_data(Synthetic(), 150), (0.25, 0.75)
    error = released_error(JointTheilSen(), data, Budget(4.0, at))
    assert error.drawn_from == "400 candidates at each point"
    program = program_of(JointTheilSen(), PureDP(4.0), at, data.n)
    scores, rng = (
        program.scores(*program.on_grid(data))[0] / program.scale(0),
        np.random.default_rng(0),
    )
    # Permute-and-flip chooses the largest score with exponential noise.
    chosen = [np.argmin(scores - rng.exponential(size=scores.size)) // 400 for _ in range(1000)]
    distances = np.abs(np.array(program.candidates, dtype=float)[chosen] - data.predict(at)[0])
    assert np.quantile(distances, 0.68) == pytest.approx(error.released, abs=1e-6)


def test_programs_of_whole_numbers_have_the_error_that_is_explored():
    data = rehearsal_data(Synthetic(), 60)
    for algorithm in PROGRAMS:
        error = released_error(algorithm(), data, Budget(2.0, (0.25, 0.75)))
        assert error is not None
        if error.drawn_from == "whole numbers":
            assert error.released == pytest.approx(error.explored, rel=0.02)
