"""What somebody may believe after a release who gave a claim some probability before."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from ..support import validate
from ..support.types import Floats


class Beliefs(NamedTuple):
    """The probability of a claim before a release, and the least and the largest that it may have afterwards."""

    prior: float
    least: float
    largest: float


def posterior(prior: float, log_factor: ArrayLike) -> Floats:
    """The probability of a claim after an outcome that is e^log_factor times as likely if it is true.

    Odds after = odds before times the factor (Bayes). Same shape as log_factor. ValueError unless 0 < prior < 1.

    >>> float(posterior(0.1, np.log(6)))
    0.4
    """
    validate.inside(0, 1, closed="neither", prior=prior)
    with np.errstate(over="ignore"):
        return np.asarray(expit(logit(prior) + np.asarray(log_factor, dtype=float)))


def beliefs(prior: float, rise: float, fall: float | None = None) -> Beliefs:
    """The least and the largest probability of a claim after a release.

    rise, fall: an outcome is at most e^rise times as likely if the claim is true, and at least e^-fall times; fall is
    rise where only one number is given. ValueError where prior is not between 0 and 1, or rise or fall is negative.
    """
    fall = rise if fall is None else fall
    validate.inside(0, np.inf, rise=rise, fall=fall)
    least, largest = posterior(prior, [-fall, rise]).tolist()
    return Beliefs(prior, least, largest)
