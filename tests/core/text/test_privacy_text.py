"""The sentences of the Privacy page say the numbers of the core."""

import math
import re

import numpy as np
import pytest
from scipy import stats

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit.loss import audit
from dpslr_core.audit.moved import MovedRecord
from dpslr_core.audit.pair import pair_of
from dpslr_core.privacy import Budget
from dpslr_core.support.readable import at_least, at_most
from dpslr_core.text import privacy as text

RNG = np.random.default_rng(8)
MOVED = MovedRecord(Dataset(RNG.random(20), RNG.random(20)), 4, 0.0, 1.0)
BUDGET = Budget(2.0)
FACTS = {
    m.name: text.PairFacts.of(pair_of(MOVED, m, BUDGET), MOVED)
    for m in (
        dp.DPExpTheilSen(),
        dp.CenteredStats(),
        dp.CenteredStatsGaussian(),
        dp.MaximumObservedSensitivity(),
    )
}


def test_the_context_has_the_beliefs_after_one_prediction_and_after_both_from_even_odds():
    facts = FACTS["DPExpTheilSen"]
    _, sure, after_both = re.findall(r"([\d.]+)%", text.context(facts))
    for share, loss in ((sure, facts.pair.largest.loss), (after_both, facts.together)):
        assert 0 <= float(share) - 100 / (1 + math.exp(-loss)) < 1
    still = text.PairFacts.of(facts.pair, MovedRecord(MOVED.before, 4, *MOVED.old))
    assert not text.context(still) and text.headline(still).startswith("No move shifts")
    weaker = text.context(FACTS["CenteredStatsGaussian"])
    assert weaker.endswith("The promise may fail with a probability of 1 × 10⁻⁶.")


def test_the_picture_counts_releases_without_an_answer_by_draws():
    """One of 20 records close together is moved."""
    crowded = Dataset(0.5 + 0.05 * MOVED.before.x, MOVED.before.y)
    moved = MovedRecord(crowded, 4, 0.0, 1.0)
    pair = pair_of(moved, dp.NoisyStats(), BUDGET)
    sentence = text.picture_sentence(text.PairFacts.of(pair, moved))
    shares = re.search(
        r" (\d+)% of releases give no answer before the move, (\d+)% after\.", sentence
    )
    for law, share in zip((pair.change.before, pair.change.after), shares.groups(), strict=True):
        failed = np.isnan(law.sample(100_000, np.random.default_rng(1)))
        assert float(share) == pytest.approx(100 * failed.mean(), abs=1)


def test_the_picture_tells_one_number_and_all_points_apart():
    facts = FACTS["CenteredStats"]
    sentence = text.picture_sentence(facts)
    alone, allowed, together = map(float, re.findall(r"([\d.]+)(?: times)?\.(?= |$)", sentence)[:3])
    drawn = float(np.exp(facts.pair.curve["loss"].abs().max()))
    assert drawn * 0.99 <= alone < together <= allowed == pytest.approx(math.exp(2), rel=1e-3)
    loss = audit(dp.CenteredStats(), MOVED.before, MOVED.after, 2.0)
    assert together == pytest.approx(math.exp(loss.measured), rel=1e-2)
    assert "of releases fall back" in sentence


def test_without_a_promise_the_releases_beyond_epsilon_are_counted_by_draws():
    pair = pair_of(MOVED, dp.MaximumObservedSensitivity(), Budget(0.2))
    before, after = pair.change.before, pair.change.after
    drawn = after.sample(100_000, np.random.default_rng(1))
    outside = np.abs(after.logpdf(drawn) - before.logpdf(drawn)) > 0.2
    sentence = text.picture_sentence(text.PairFacts.of(pair, MOVED))
    shown = float(re.search(r"breaks ε = 0.2 in ([\d.]+)% of releases", sentence)[1])
    assert shown == pytest.approx(100 * outside.mean(), rel=0.1)
    assert "promises nothing" in sentence


def test_beliefs_are_the_odds_times_the_factors():
    sentence = text.belief_sentence(FACTS["DPExpTheilSen"], 0.1)
    odds = math.exp(2) / 9
    assert f"between 1.4% and {math.ceil(100 * odds / (1 + odds))}%" in sentence
    sentence = text.belief_sentence(FACTS["CenteredStats"], 0.1)
    least, largest = (float(share) / 100 for share in re.findall(r"([\d.]+)%", sentence)[3:])
    odds = np.exp(FACTS["CenteredStats"].pair.curve["loss"])  # of the outcomes in the picture
    drawn = 0.1 * odds / (0.9 + 0.1 * odds)
    assert drawn.min() * 0.95 < least <= drawn.min() and drawn.max() <= largest < drawn.max() * 1.1


def test_a_belief_is_never_rounded_to_certainty():
    shares = {0.0: "0%", 0.1: "10%", 0.001: "0.1%", 0.4523: "45%", 0.9987: "99.9%", 1.0: "100%"}
    for share, written in {**shares, 1 - 1e-15: "nearly 100%"}.items():
        assert text.probability(share) == written
    for missing in np.geomspace(1e-11, 9e-3, 100).tolist():
        above, below = (text.probability(1 - missing, round_) for round_ in (at_most, at_least))
        assert float(below[:-1]) - 1e-9 <= 100 * (1 - missing) <= float(above[:-1]) + 1e-9


def test_the_best_test_is_that_of_the_two_densities():
    """Overlap of the densities, and the power at level 5% of the test by their ratio, on a fine grid."""
    pair = FACTS["DPExpTheilSen"].pair
    at = np.linspace(-0.5, 1.5, 400_001)[:-1] + 2.5e-6
    before, after = (
        np.exp(law.logpdf(at)) * 5e-6 for law in (pair.change.before, pair.change.after)
    )
    order = np.argsort(before / after)
    missed = 1 - after[order][before[order].cumsum() <= 0.05].sum()
    right, misses = re.search(
        r"right in (\d+)%.* misses (\d+)%\.", text.attack_sentence(pair)
    ).groups()
    assert float(right) == pytest.approx(100 - 50 * np.minimum(before, after).sum(), abs=0.6)
    assert float(misses) == pytest.approx(100 * missed, abs=0.6)


def delta(mu, epsilon):
    """Of two normal laws mu deviations apart."""
    return stats.norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * stats.norm.cdf(
        -mu / 2 - epsilon / mu
    )


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 8.0])
def test_no_bound_is_rounded_to_less_than_it_is(epsilon):
    """Each factor, share and amount that a sentence says is at least that of the definitions."""
    times = float(text.factor(epsilon).replace(",", ""))
    assert math.exp(epsilon) <= times <= math.exp(epsilon) * 1.01
    assert float(text.factor(epsilon, complete=False).replace(",", "")) <= math.exp(epsilon)
    *_, zcdp, approximate, gaussian = text.kinds(epsilon)
    assert float(zcdp[2].split("implies ρ = ")[1][:-1]) >= epsilon * math.tanh(epsilon / 2)
    mu = -2 * stats.norm.ppf(1 / (1 + math.exp(epsilon)))
    assert float(gaussian[1].split("= ")[1]) >= mu - 1e-12
    implied = float(re.search(r"gives ε = ([\d.]+)", gaussian[2])[1])
    assert delta(mu, implied) <= text.DELTA * (1 + 1e-6)
    assert f"{times:,g} times" in approximate[2] or epsilon > 6


@pytest.mark.parametrize("epsilon", [2.0])
def test_the_rule_attack_says_what_is_equal_and_what_is_not(epsilon):
    """The best guess by two lists of chances; both powers at one false alarm in a thousand, by their curves."""
    sentence = text.best_guess_sentence(epsilon)
    right, pure, gaussian = (
        float(number) / 100 for number in re.findall(r"([\d.]+)%(?:,| of changes)? under", sentence)
    )
    odds = math.exp(epsilon)
    mu = -2 * stats.norm.ppf(1 / (1 + odds))
    x = np.linspace(-12, 12 + mu, 400_001)
    overlap = np.minimum(stats.norm.pdf(x), stats.norm.pdf(x - mu)).sum() * (x[1] - x[0])
    assert right - 0.01 < 1 - overlap / 2 <= right and right - 0.01 < odds / (1 + odds) <= right
    assert 0.95 * pure < 0.001 * odds <= pure
    assert 0.95 * gaussian < stats.norm.sf(stats.norm.isf(0.001) - mu) <= gaussian
