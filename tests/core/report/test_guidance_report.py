"""A report on a recommendation: its numbers are the recommendation's, and it says what was guessed and what was not."""

from __future__ import annotations

from functools import cache

from dpslr_core import recommend
from dpslr_core.guidance import Recommendation
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats, NoisyStatsGaussian
from dpslr_core.report.document import Report, as_html
from dpslr_core.report.guidance import BY_LOOKING, ON_GUESSES, report_on_guidance
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import Axis
from dpslr_core.text import guidance as text
from tests.cases.readable import check_readable
from tests.cases.taken import PageRead

FOUR = (NoisyStats(), DPExpTheilSen(), NoisyStatsGaussian())
AXES = Axis("temperature", "°C", -10, 40), Axis("rides", "", 0, 1000)


@cache
def recommendation() -> Recommendation:
    return recommend(n=50, var_x=0.04, var_e=0.01, epsilon=2.0, mechanisms=FOUR, datasets=8)


def report(looked: bool = False) -> Report:
    return report_on_guidance(
        recommendation(), Scenario(mechanisms=FOUR), looked, "/guidance?n=50", AXES
    )


def test_a_choice_by_looking_is_said_to_be_none_that_one_may_act_on():
    public, looked = report(), report(looked=True)
    assert (public.warning, looked.warning) == (ON_GUESSES, BY_LOOKING)
    assert (
        text.LOOKED in PageRead(as_html(looked)).text
        and "Choose on public guesses" in looked.memo[-1].sentences[0]
    )
    assert public.memo[-1].sentences[0].startswith("Fix bounds, points, algorithm and ε in writing")


def test_sentences_are_plain():
    made = report()
    for section in (*made.memo, *made.about, *made.method):
        for sentence in section.sentences:
            check_readable(sentence)
    check_readable(f"{made.answer} {made.context} {made.picture_sentence}")
