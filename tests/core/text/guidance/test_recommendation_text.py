"""The headline of Guidance says the answer, its noise, and what it is based on."""

from __future__ import annotations

from readable import check_readable

from dpslr_core import recommend
from dpslr_core.guidance.answer import Question, recommendations
from dpslr_core.mechanisms import DPExpTheilSen, NoisyStats, NoisyStatsGaussian
from dpslr_core.sources import LinearModel
from dpslr_core.support.run import Budget
from dpslr_core.text.guidance.recommendation import context, headline
from dpslr_core.text.phrases import format_amount

TWO = (NoisyStats(), DPExpTheilSen())


def recommended(epsilon=4.0, mechanisms=TWO, **changes):
    given = {"n": 100, "var_x": 0.03, "var_e": 0.01, "datasets": 8} | changes
    return recommend(**given, epsilon=epsilon, mechanisms=mechanisms)


def test_the_answer_and_its_noise_come_first():
    here = recommended()
    times = format_amount(here.noise)
    assert headline(here) == f"Use DPExpTheilSen. On data like these its noise is {times} times the sampling error."
    check_readable(headline(here))


def test_a_close_race_is_called_one():
    text = headline(recommended(var_e=0.02, epsilon=60.0, datasets=4))
    assert text.startswith(
        "Too close to call: NoisyStats and DPExpTheilSen. On data like these the noise of NoisyStats"
    )
    check_readable(text)


def test_a_weaker_guarantee_is_a_second_sentence():
    given = {"n": 400, "var_x": 0.06, "epsilon": 8.0, "mechanisms": [NoisyStats(), NoisyStatsGaussian()]}
    strict, allowed = headline(recommended(**given)), headline(recommended(**given, weaker=True))
    assert strict.startswith("Use NoisyStats. ")
    assert strict.endswith("With a weaker guarantee (ρ = 32 zCDP), NoisyStatsGaussian has a smaller error.")
    assert allowed.startswith("Use NoisyStatsGaussian. ")
    assert allowed.endswith("Its guarantee (ρ = 32 zCDP) is weaker than pure ε-differential privacy.")
    check_readable(strict)


def test_nothing_to_recommend_is_said():
    assert headline(recommended(epsilon=0.001, mechanisms=[NoisyStats()])).startswith("No algorithm answers often")


def test_an_interim_answer_says_so_and_a_change_of_mind_is_named():
    question = Question(LinearModel(60, 0.03, 0.02), Budget(40.0), TWO, datasets=4, race_after=2)
    first, *_, last = recommendations(question, question.measured, question.noise)
    assert "Provisional, after 2 simulated data sets: more are being simulated." in context(first, looked=False)
    assert "Provisional" not in context(last, False, str(last.algorithm))
    assert "provisional" not in context(last, False, str(last.algorithm))
    assert context(last, False, "NoisyMean").endswith("The provisional answer was NoisyMean.")


def test_the_ratio_is_named_and_where_the_settings_come_from():
    here = recommended()
    assert "Noise alone on simulated data with your settings, not on one data set as on Compare" in context(here, False)
    assert "with values read off the data" in context(here, looked=True)
    check_readable(context(here, looked=False))
