"""The sentences of the Privacy page say the numbers of the core."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import dpslr_core.mechanisms as dp
from dpslr_core import Dataset
from dpslr_core.audit.loss import audit
from dpslr_core.audit.moved import MovedRecord
from dpslr_core.audit.pair import pair_of
from dpslr_core.privacy import Budget
from dpslr_core.privacy.accounting import RULES
from dpslr_core.scenario import Scenario
from dpslr_core.support.readable import at_least, at_most
from dpslr_core.text import privacy as text
from dpslr_core.text.data import View

ROOT = Path(__file__).parents[3]
SCENARIO = Scenario(n=20, records_per_person=2)
GROUPED = SCENARIO.source.load()
VIEW = View(SCENARIO, GROUPED, "", GROUPED.dataset(), GROUPED.x, GROUPED.y)
RNG = np.random.default_rng(8)
MOVED = MovedRecord(Dataset(RNG.random(20), RNG.random(20)), 4, 0.0, 1.0)
BUDGET = Budget(2.0)
PAIRS = {
    m.name: pair_of(MOVED, m, BUDGET)
    for m in (
        dp.DPExpTheilSen(),
        dp.CenteredStats(),
        dp.NoisyStats(),
        dp.CenteredStatsGaussian(),
        dp.MaximumObservedSensitivity(),
    )
}


def test_a_factor_is_a_number_or_a_power():
    assert (text.factor(2.0), text.factor(0.0), text.factor(math.inf)) == ("7.39", "1", "∞")
    assert text.factor(1e-6) == "1.000002"
    assert text.factor(16.0) == "8,890,000" and text.factor(1000.0) == "e^1,000"


def test_the_context_says_how_sure_somebody_may_be_after_one_prediction_and_after_both():
    """Odds one to one, times e to the power of the loss, as shares that are rounded up."""
    pair = PAIRS["DPExpTheilSen"]
    told = text.context(pair, MOVED)
    shares = [float(share) / 100 for share in re.findall(r"([\d.]+)%", told)]
    for share, loss in zip(shares, (pair.largest.loss, pair.change.loss.measured), strict=True):
        sure = math.exp(loss) / (1 + math.exp(loss))
        assert sure <= share < sure + 0.01
    assert told.startswith(
        "Somebody who gives even odds that record 5 was moved"
    ) and told.endswith("after both points.")
    alone = text.context(pair_of(MOVED, dp.DPExpTheilSen(), Budget(2.0, (0.25,))), MOVED)
    assert alone.endswith("sure after this prediction.")
    assert not text.context(pair, MovedRecord(MOVED.before, 4, *MOVED.old))
    weaker = text.context(PAIRS["CenteredStatsGaussian"], MOVED)
    assert weaker.endswith("The promise may fail with a probability of 1 × 10⁻⁶.")


def test_the_picture_says_failure_and_fallback():
    """The shares without an answer before and after the move of one of 20 records close together, by draws."""
    crowded = Dataset(0.5 + 0.05 * MOVED.before.x, MOVED.before.y)
    pair = pair_of(MovedRecord(crowded, 4, 0.0, 1.0), dp.NoisyStats(), BUDGET)
    shares = re.search(
        r" No answer in (\d+)% of releases before, (\d+)% after\.", text.picture_sentence(pair)
    ).groups()
    for law, share in zip((pair.change.before, pair.change.after), shares, strict=True):
        failed = np.isnan(law.sample(100_000, np.random.default_rng(1)))
        assert float(share) == pytest.approx(100 * failed.mean(), abs=1)
    assert " A fallback in" in text.picture_sentence(PAIRS["CenteredStats"])
    promised = text.picture_sentence(PAIRS["MaximumObservedSensitivity"])
    assert (
        "leaves the band that ε = 2 would allow. It has no bound. It is outside in fewer than"
        in promised
    )
    often = text.picture_sentence(pair_of(MOVED, dp.MaximumObservedSensitivity(), Budget(0.2)))
    assert re.search(r"It is outside in [\d.]+% of releases after", often)


def test_the_picture_tells_one_number_and_all_points_apart():
    pair = PAIRS["CenteredStats"]
    told = text.picture_sentence(pair)
    alone, together, allowed = (
        float(number)
        for number in re.search(
            r"This number alone: the odds change by at most ([\d.]+) times, but for a probability of [\d.]+ × 10⁻⁶\. "
            r"Both points together: ([\d.]+)\. Allowed: ([\d.]+)\.",
            told,
        ).groups()
    )
    drawn = float(np.exp(pair.curve["loss"].abs().max()))
    assert drawn * 0.99 <= alone < together <= allowed == pytest.approx(math.exp(2), rel=1e-3)
    loss = audit(dp.CenteredStats(), MOVED.before, MOVED.after, 2.0)
    assert together == pytest.approx(math.exp(loss.measured), rel=1e-2)


def test_beliefs():
    told = text.belief_sentence(PAIRS["DPExpTheilSen"], 0.1, moved=True)
    odds = math.exp(2) / 9
    assert f"between 1.4% and {math.ceil(100 * odds / (1 + odds))}%" in told
    here = re.search(
        r"Here: between ([\d.]+)% and ([\d.]+)%",
        text.belief_sentence(PAIRS["CenteredStats"], 0.1, moved=True),
    )
    least, largest = (float(share) / 100 for share in here.groups())
    odds_here = np.exp(PAIRS["CenteredStats"].curve["loss"])  # of the outcomes in the picture
    drawn = 0.1 * odds_here / (0.9 + 0.1 * odds_here)
    assert drawn.min() * 0.95 < least <= drawn.min() and drawn.max() <= largest < drawn.max() * 1.1
    assert "may be certain" in text.belief_sentence(
        PAIRS["MaximumObservedSensitivity"], 0.1, moved=True
    )
    assert "up to a probability" in text.belief_sentence(
        PAIRS["CenteredStatsGaussian"], 0.1, moved=True
    )


def test_a_belief_is_never_rounded_to_certainty():
    shares = {0.0: "0%", 0.1: "10%", 0.001: "0.1%", 0.4523: "45%", 0.9987: "99.9%", 1.0: "100%"}
    for share, written in {**shares, 1 - 1e-15: "nearly 100%"}.items():
        assert text.probability(share) == written
    for missing in np.geomspace(1e-13, 9e-3, 200).tolist():
        above, below = (text.probability(1 - missing, written) for written in (at_most, at_least))
        if above == "nearly 100%":
            assert below == above and missing < 1.1e-12
            continue
        assert (
            float(below[:-1]) <= 100 * (1 - missing) + 1e-9
            and float(above[:-1]) >= 100 * (1 - missing) - 1e-9
        )


def test_the_best_test_is_that_of_the_two_densities():
    """Overlap of the densities, and the power at level 5% of the test by their ratio, on a fine grid."""
    pair = PAIRS["DPExpTheilSen"]
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


def test_how_often_a_loss_is_outside_the_band_by_draws():
    pair = pair_of(MOVED, dp.MaximumObservedSensitivity(), Budget(0.2))
    before, after = pair.change.before, pair.change.after
    drawn = after.sample(100_000, np.random.default_rng(1))
    outside = np.abs(after.logpdf(drawn) - before.logpdf(drawn)) > 0.2
    shown = float(re.search(r"outside in ([\d.]+)% of releases", text.picture_sentence(pair))[1])
    assert shown == pytest.approx(100 * outside.mean(), rel=0.1)


def delta(mu, epsilon):
    """Of two normal laws mu deviations apart."""
    return stats.norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * stats.norm.cdf(
        -mu / 2 - epsilon / mu
    )


def test_beliefs_and_kinds_at_an_epsilon_by_their_definitions():
    assert text.large_epsilon_sentence(2.0).endswith(
        f"may become {math.ceil(100 / (1 + 9 * math.exp(-2)))}%."
    )
    of_a_million = math.ceil(10_000 / (1 + 999_999 * math.exp(-9))) / 100
    assert f"in a million may become {of_a_million:g}%." in text.large_epsilon_sentence(9.0)
    *_, approximate, _ = text.kinds(2.0)
    assert delta(float(approximate[2].split()[-1][:-1]), 2.0) == pytest.approx(1e-6, rel=0.1)


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


def test_the_approximate_promise_does_not_say_that_its_factor_holds_but_with_probability_delta():
    """For Gaussian noise that just keeps (1, 1e-6), the factor e is exceeded with 20 times that probability."""
    *_, approximate, _ = text.kinds(1.0)
    mu = float(approximate[2].split()[-1][:-1])
    exceeded = stats.norm.sf(
        1 / mu - mu / 2
    )  # the loss is normal with mean mu² / 2 and deviation mu
    assert exceeded > 10 * text.DELTA
    assert (
        "larger probability" in approximate[2] and "except with probability" not in approximate[2]
    )


@pytest.mark.parametrize("epsilon", [2.0, 0.5])
def test_the_rule_attack_says_what_is_equal_and_what_is_not(epsilon):
    """The best guess by two lists of chances; both powers at one false alarm in a thousand, by their curves."""
    told = text.best_guess_sentence(epsilon)
    right, pure, gaussian = (
        float(number) / 100 for number in re.findall(r"([\d.]+)%(?:,| of changes)? under", told)
    )
    odds = math.exp(epsilon)
    mu = -2 * stats.norm.ppf(1 / (1 + odds))
    x = np.linspace(-12, 12 + mu, 400_001)
    overlap = np.minimum(stats.norm.pdf(x), stats.norm.pdf(x - mu)).sum() * (x[1] - x[0])
    assert right - 0.01 < 1 - overlap / 2 <= right and right - 0.01 < odds / (1 + odds) <= right
    assert 0.95 * pure < 0.001 * odds <= pure
    assert 0.95 * gaussian < stats.norm.sf(stats.norm.isf(0.001) - mu) <= gaussian


@pytest.mark.parametrize("place", [RULES["attack"].explanation, *("README.md", "docs/GLOSSARY.md")])
def test_everywhere_the_rule_attack_has_both_powers(place):
    explained = (ROOT / place).read_text(encoding="utf-8") if place.endswith(".md") else place
    mu = -2 * stats.norm.ppf(1 / (1 + math.exp(2)))
    powers = 0.001 * math.exp(2), stats.norm.sf(stats.norm.isf(0.001) - mu)
    assert (
        "even odds" in explained
        and "hard to attack" not in explained
        and "no better a test" not in explained
    )
    assert all(f"{100 * power:.2g}%" in explained for power in powers) and "0.1%" in explained
