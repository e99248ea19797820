"""The sentences of plans, certificates and the page Release: readable, and their numbers are those of the plan."""

from __future__ import annotations

import re
from fractions import Fraction
from math import exp

import pytest

from dpslr_core.mechanisms import CenteredStats, CenteredStatsGaussian, NoisyIntercept
from dpslr_core.privacy import zcdp_rho
from dpslr_core.release import text
from dpslr_core.release.plans import LOOKED, ExpectedErrors
from dpslr_core.release.programs import REFUSED
from dpslr_core.sources.axis import UNIT_X
from dpslr_core.sources.choices import Synthetic
from tests.cases.plans import planned, pure
from tests.cases.readable import check_readable

PLANS = [
    planned(mechanism, records=records, **more)
    for mechanism in (CenteredStats(), CenteredStatsGaussian(), NoisyIntercept())
    for records, more in (
        (1, {}),
        (3, {"areas": {"a": 5, "b": 6000}}),
        (1, {"bounds_from": LOOKED}),
    )
]
WITH_RULES = planned(areas={"a": 5, "b": 60}, smallest=10, unusable_as=(4, 70))
WITH_RULES = WITH_RULES.with_expected(ExpectedErrors(source=Synthetic(), by_n={60: (0.1, None)}))


def test_sentences_can_be_read():
    promise, named = PLANS[0].promise, vars(text).items()
    sentences = [value for name, value in named if name.isupper() and isinstance(value, str)]
    for plan in PLANS:
        sentences += [each for some in text.certificate_says(plan).values() for each in some]
        sentences.append(text.numbers_sentence(plan))
        sentences.append(text.spent_sentence(plan.promise, plan.promise, Fraction(2)))
    sentences += [
        text.pooling_sentence(3108),
        text.headline("CenteredStats", promise, 0.1, UNIT_X, table=True),
        text.context(6000, "like your guesses", UNIT_X, 0.25),
        *text.rules(WITH_RULES),
        text.n_sentence(6943, "as said", False, "St. George's"),
        *text.not_released(list(REFUSED)),
        text.refusal_sentence(140, False),
        text.refusal_sentence(1, True),
        text.why_sentence("DeepestLine", "DPGDPure", "Compare"),
        text.pools_sentence("CenteredStats", "DeepestLine", 1.2),
        text.persons_refusal(2, 1),
    ]
    assert len(text.rules(WITH_RULES)) == 3 and not text.rules(PLANS[0])
    for sentence in sentences:
        check_readable(sentence)


@pytest.mark.parametrize("epsilon", [0.05, 0.2, 0.5, 0.7, 2.0])
def test_how_many_times_as_likely_is_the_exponential_of_epsilon(epsilon):
    said = text.guarantee_sentence(planned(epsilon=epsilon))
    times = float(re.search(r"more than ([\d.]+) times", said)[1])
    assert exp(epsilon) <= times <= exp(epsilon) * 1.01
    assert said.endswith(f"ε = {epsilon:g}.")


def test_rho_is_told_in_an_epsilon_that_allows_it():
    said = text.guarantee_sentence(planned(CenteredStatsGaussian()))
    assert "ρ = 2." in said
    epsilon = float(re.search(r"ε = ([\d.]+), δ = one in a million", said)[1])
    assert 2 <= zcdp_rho(epsilon, 1e-6) <= 2.02


def test_amounts_beyond_what_is_shown_are_rounded_up():
    made = planned()
    more = made.model_copy(update={"promise": pure("2.00000049")})
    assert "ε = 2.00001." in text.guarantee_sentence(more) and str(more.promise) == "ε = 2.00001"
    enormous = made.model_copy(update={"promise": pure("1000")})
    assert "more than e^1,000 times" in text.guarantee_sentence(enormous)


def test_whom_the_promise_protects_is_said_everywhere():
    of_three = text.certificate_says(planned(records=3))["Guarantee"]
    assert all("up to 3 records of one person" in sentence for sentence in of_three[:2])
    assert "Each record stays in its area" in text.neighbours_sentence(
        planned(areas={"a": 5, "b": 6})
    )
