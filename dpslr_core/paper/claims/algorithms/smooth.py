"""Claims about the median by smooth sensitivity: the lemma's two forms, what noise is added to, its loss."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np

from ....audit import privacy_loss, worst_loss
from ....laws import medians
from ....laws.named import PointMass, StudentT
from ....mechanisms import DPSSTheilSen
from ....pairs import with_ends
from ....support.types import Floats
from .. import printed
from ..claim import Claim, at_most, equal
from ..settings import SEED
from .theil_sen import ENDS, VALUES

SMOOTH = "Algorithms, smooth sensitivity"
APPENDIX = "Appendix DPSSTheilSen"
_T = 0.5


def student_law(mechanism: DPSSTheilSen, z: Floats, epsilon: float) -> StudentT:
    """The law of the private median of sorted z, of which one record changes one entry."""
    grid = mechanism.grid(np.array([0.5]))
    (law,) = mechanism.laws_of([with_ends(z, *grid.range)], epsilon, 1, grid)
    assert isinstance(law, StudentT)
    return law


def forms_factor() -> float:
    """The lemma's smooth sensitivity in the main text over that in the appendix, the median over 15 lists."""
    lists = np.clip(np.random.default_rng(SEED).normal(0.5, 0.1, (15, 100)), *ENDS)
    lists.sort(axis=1)
    t = 0.25  # of epsilon 2 for one point
    theirs = [printed.main_text_sensitivity(z, 1, t, *ENDS) for z in lists]
    return float(np.median(theirs / medians.smooth_sensitivity(lists, 1, t, *ENDS)))


def _neighbouring_lists() -> list[Floats]:
    """Sorted lists of four numbers that share three of them, shape (lists, 4), one array for each choice of those."""
    shared = combinations_with_replacement(VALUES, 3)
    return [np.sort([(*rest, value) for value in VALUES], axis=1) for rest in shared]


def moved_over_sensitivity() -> float:
    """The largest change of z_m between neighbouring lists over the appendix's smooth sensitivity."""
    worst = 0.0
    for lists in _neighbouring_lists():
        middle, allowed = medians.lower_median(lists), medians.smooth_sensitivity(lists, 1, _T, *ENDS)
        moved = np.abs(middle[:, None] - middle).max(axis=1)
        worst = max(worst, float(np.max(moved / allowed)))
    return worst


def sensitivity_change() -> float:
    """The largest ratio of the appendix's smooth sensitivity between neighbouring lists over e^t."""
    allowed = [medians.smooth_sensitivity(lists, 1, _T, *ENDS) for lists in _neighbouring_lists()]
    return max(float(s.max() / s.min()) for s in allowed) / math.exp(_T)


def moved_by_the_mean_of_two() -> float:
    """How far the median of an even number of estimates moves over the smooth sensitivity that allows for it."""
    far = math.exp(_T)
    here, there = np.array([0, 0, 0, 0, 1, far]), np.array([0, 0, 1, far, far, far])  # one record changes two entries
    moved = float(np.median(there) - np.median(here))
    return moved / float(medians.smooth_sensitivity(here, 2, _T, 0.0, far))


def divisor_at_the_default() -> float:
    """s at beta = 1/2, epsilon 2 and 3 degrees of freedom: S over the scale of the noise."""
    z = np.linspace(0.3, 0.7, 21)
    allowed = medians.smooth_sensitivity(z, 1, 2 / (2 * 4), *ENDS)
    return float(allowed) / student_law(DPSSTheilSen(), z, 2.0).scale


def printed_proof_loss() -> float:
    """The loss of median + S/s + N, the last line of the proof of the Student-t lemma, at epsilon 0.05."""
    laws = [student_law(DPSSTheilSen(), np.array([0.5, 0.5, 0.5, last]), 0.05) for last in (0.5, 1.5)]
    one, other = (StudentT(law.location + law.scale, 1.0, law.df) for law in laws)
    return privacy_loss(one, other)


def dropping_loss() -> float:
    """The loss at epsilon 1 where pairs with equal x are dropped: x = (0, 0, 0) against x = (0, 0, 1)."""
    nothing = PointMass(math.nan)
    return privacy_loss(nothing, student_law(DPSSTheilSen(), np.array([0.5, 0.5]), 1.0))


CLAIMS = (
    Claim(
        "smooth-two-forms",
        f"{SMOOTH}, lemma",
        "The main text and the appendix state the same smooth sensitivity: their ratio is {}.",
        equal(1, within=0.01),
        forms_factor,
        "They are different formulas. This is the median over lists of 100 normal numbers; the appendix's is used.",
    ),
    Claim(
        "smooth-upper-bound",
        f"{SMOOTH}, lemma",
        "The smooth sensitivity is no smaller than the local one: local over smooth is {}.",
        at_most(1),
        moved_over_sensitivity,
        "The appendix's form, both ends included, over all lists of four numbers from five values.",
    ),
    Claim(
        "smooth-smooth",
        f"{SMOOTH}, lemma",
        "Between neighbours the smooth sensitivity changes by a factor of eᵗ at most: the change over eᵗ is {}.",
        at_most(1 + 1e-12),
        sensitivity_change,
        "The same lists, t = 0.5.",
    ),
    Claim(
        "smooth-even-median",
        f"{APPENDIX}, Algorithm 5",
        "The median, to which noise is added, moves by its smooth sensitivity at most: the ratio is {}.",
        at_most(1),
        moved_by_the_mean_of_two,
        "The mean of two middle values moves by up to (1 + eᵗ)/2 of them, here with t = 0.5. "
        "Here the noise is about the entry z_m itself.",
    ),
    Claim(
        "smooth-divisor",
        f"{APPENDIX}, Sensitivity of Hyperparameters",
        "β = 1/2 gives Algorithm 5's s = ε√d/(d + 1): at ε = 2 and d = 3 it is {}.",
        equal(math.sqrt(3) / 2, within=1e-6),
        divisor_at_the_default,
    ),
    Claim(
        "smooth-loss",
        f"{SMOOTH}, lemma",
        "DPSSTheilSen is ε-differentially private: at ε = 1 the worst loss is {}.",
        at_most(1),
        lambda: worst_loss(DPSSTheilSen(), 1.0).loss.measured,
        "With pairs of equal x kept, over all neighbours of three records on a grid.",
    ),
    Claim(
        "smooth-loss-beta",
        f"{APPENDIX}, Sensitivity of Hyperparameters",
        "The guarantee of DPSSTheilSen holds for other β: with β = 0.9 at ε = 1 the worst loss is {}.",
        at_most(1),
        lambda: worst_loss(DPSSTheilSen(beta=0.9), 1.0).loss.measured,
        "The paper allows β = 1 as well, where s is 0 and the noise has no scale.",
    ),
    Claim(
        "smooth-dropping",
        f"{SMOOTH}, Algorithm 2 and lemma",
        "DPSSTheilSen is ε-private with pairs of equal x dropped: at ε = 1 the worst loss is {}.",
        at_most(1),
        dropping_loss,
        "Where all x are equal nothing is left to release, which one record changes. The proof needs a fixed number "
        "of estimates; here such pairs are kept.",
    ),
    Claim(
        "smooth-proof",
        f"{APPENDIX}, Student-t lemma",
        "The last line of the proof, median + S/s + N, is ε-private: at ε = 0.05 the loss is {}.",
        at_most(0.05),
        printed_proof_loss,
        "A typo: the lemma itself says median + (S/s) N, which is what runs here.",
    ),
)
