"""The wording of every case of the sentences, on frames made by hand and on small recommendations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from dpslr_core import recommend
from dpslr_core.experiments.crossings import Crossing
from dpslr_core.experiments.ranking import PURE, WEAKER, ranked_shares, ranking
from dpslr_core.guidance.recommendation import Recommendation
from dpslr_core.guidance.required_values import RequiredValue, SwitchPoint
from dpslr_core.mechanisms import (
    MECHANISMS,
    OLS,
    CenteredStats,
    DPExpTheilSen,
    DPGDzCDP,
    DPWideTheilSen,
    MaximumObservedSensitivity,
    NoisyIntercept,
    NoisyStats,
    NoisyStatsGaussian,
)
from dpslr_core.mechanisms.base import Mechanism
from dpslr_core.scenario import Scenario
from dpslr_core.sources.axis import UNIT_X, Axis
from dpslr_core.sources.samples import load_sample
from dpslr_core.sweeps import Sweep, combine
from dpslr_core.text import areas, compare, guidance, intervals, sweep
from dpslr_core.text.data import View
from tests.cases.sweeps import made

Y = Axis("wage", "$", 0, 50)
INF = np.inf
PRIVATE = (OLS(), NoisyStats(), DPExpTheilSen(), DPGDzCDP())


def sentences() -> dict[str, dict[str, Any]]:
    """The sentences by page and case."""
    pages: dict[str, Callable[[], dict[str, Any]]] = {
        "compare": _compare, "sweep": _sweep, "areas": _areas, "intervals": _intervals, "guidance": _guidance,
    }  # fmt: skip
    return {page: make() for page, make in pages.items()}


def view(sample: str = "bikes", **settings: Any) -> View:
    """A page on one group of a sample."""
    grouped = load_sample(sample)
    label = grouped.groups[0]
    return View(Scenario(**settings), grouped, label, grouped.dataset(label), grouped.x, grouped.y)


def ranked(accounting: Any = "paper", **errors: Any) -> pd.DataFrame:
    """A ranking with these C(68), or C(68) with the ends of its interval; standard error .1."""
    sizes = [error if isinstance(error, tuple) else (error,) * 3 for error in errors.values()]
    table = pd.DataFrame(sizes, columns=["c68", "c68_low", "c68_high"])
    table = table.assign(
        mechanism=list(errors), at=0.25, center=0.5, standard_error=0.1, gap=0.0, c95=2 * table["c68"],
        ratio=table["c68"] / 0.1, noise=table["c68"], bias=0.0, how="", failure_rate=0.0,
        exact=table["c68_low"] == table["c68_high"],
    )  # fmt: skip
    return ranking(table, PRIVATE, 0.25, 2.0, accounting)


RANKED = {
    "one leads": ranked(OLS=0.0, NoisyStats=0.2, DPExpTheilSen=0.05),
    "drawn errors overlap": ranked(NoisyStats=(0.2, 0.18, 0.22), DPExpTheilSen=(0.21, 0.19, 0.23)),
    "the same error": ranked(NoisyStats=0.2, DPExpTheilSen=0.2000001),
    "a weaker guarantee leads": ranked(NoisyStats=0.2, DPGDzCDP=(0.1, 0.09, 0.11)),
    "one guarantee for all": ranked("attack", NoisyStats=0.2, DPGDzCDP=(0.1, 0.09, 0.11)),
    "the weaker one alone answers": ranked(NoisyStats=INF, DPGDzCDP=(0.1, 0.09, 0.11)),
    "nobody answers": ranked(NoisyStats=INF),
    "nobody is private": ranked(OLS=0.0),
    "as large as the sampling error": ranked(NoisyStats=0.1),
    "a gap": ranked(DPExpTheilSen=0.09).assign(gap=0.05),
    "a gap above the standard error": ranked(DPExpTheilSen=0.2).assign(gap=0.15),
    "no sampling error": ranked(NoisyStats=0.1).assign(ratio=np.nan),
}


def _compare() -> dict[str, Any]:
    contexts = {
        "two points": view(), "one point": view(at=(0.5,)),
        "by a rule": view(accounting="implied", records_per_person=2),
    }  # fmt: skip
    dots = pd.DataFrame({"estimate": [0.5, 0.55, 0.7, np.nan]})
    return {
        "headline": {case: compare.headline(rows, Y) for case, rows in RANKED.items()},
        "picture": {case: compare.picture_sentence(rows) for case, rows in RANKED.items()},
        "context": {case: compare.compare_context(shown) for case, shown in contexts.items()},
        "dots": compare.dots_sentence(dots, RANKED["one leads"].iloc[0], "NoisyStats", Y),
    }


def swept(*curves: tuple[float, ...], wobble: float = 0.0) -> Sweep:
    """Errors of OLS, NoisyStats and DPExpTheilSen at n = 30, 100 and 1,200, on two data sets a wobble apart."""
    names, batches = ("OLS", "NoisyStats", "DPExpTheilSen"), []
    for value, *means, last in zip((30.0, 100.0, 1200.0), *curves, strict=True):
        ratios = [[*means, last * (1 - wobble)], [*means, last * (1 + wobble)]]
        batches.append(made(ratios, value, "n", names))
    return combine(batches)


ONES = (1.0, 1.01, 1.02)
SWEPT = {
    "another at each end": swept(ONES, (9.0, 3.0, 1.2), (5.0, 2.0, 1.5)),
    "a tie": swept(ONES, (5.1, 3.0, 1.2), (5.0, 2.0, 1.5), wobble=0.2),
    "the same everywhere": swept(ONES, (5.0, 3.0, 2.0), (5.0, 3.0, 2.0)),
    "a tie at one value": swept(ONES, (5.0, 3.0, 2.0), (4.9, 2.0, 1.0), wobble=0.2),
    "nobody answers": swept(ONES, (INF,) * 3, (INF,) * 3),
    "at one value alone": swept(ONES, (INF,) * 3, (INF, 2.0, INF)),
}


def _swept(measured: Sweep, planned: sweep.SweepDescription, here: View) -> list[str]:
    """The answer, and the notes below the picture."""
    facts = sweep.SweepFacts.of(measured, planned, here.x)
    return [sweep.headline(facts), sweep.notes(facts, planned.names)]


def _sweep() -> dict[str, Any]:
    here = view("bikes", at=(0.25, 0.75), epsilon=2.5)
    planned = sweep.SweepDescription("n", (30, 100, 1200), here.scenario, PRIVATE[:3], 20, 50, None)
    changed = (NoisyStats(), DPExpTheilSen(-1.0, 3.0, 4), DPGDzCDP(), MaximumObservedSensitivity())
    plans = {
        "simulated": planned, "loaded": replace(planned, data=here.data, parameter="x_new"),
        "the budget": replace(planned, parameter="epsilon"), "changed": replace(planned, mechanisms=changed),
        "the range": replace(planned, mechanisms=changed, parameter="width"),
    }  # fmt: skip
    ends = {"within": (1.0, 3.0), "at once": (2.0, 2.0), "from below": (-INF, 3.0)}
    both = ["NoisyStats", "DPExpTheilSen"]
    return {
        "sentence": {case: _swept(each, planned, here) for case, each in SWEPT.items()},
        "loaded": _swept(SWEPT["another at each end"], plans["loaded"], here),
        "nobody is private": _swept(SWEPT["a tie"], replace(planned, mechanisms=PRIVATE[:1]), here),
        "pinned": {case: sweep.pinned_sentence(plan, here) for case, plan in plans.items()},
        "crossing": {
            f"{parameter} {case}": sweep.crossing_sentence(
                Crossing(2.0, low, high, parameter, "A", "B")
            )
            for parameter in ("n", "x_new")
            for case, (low, high) in ends.items()
        },
        "lead": [sweep.lead_sentences(each, both, UNIT_X) for each in SWEPT.values()],
    }


def measured(flat: bool = False, **ratios: list[float]) -> pd.DataFrame:
    """Rows of by_group at one point: for each algorithm its ratios, area by area."""
    rows = [
        (f"T{i}", name, ratio, ratio * 0.1, flat and name == "NoisyIntercept")
        for name, of_areas in ratios.items()
        for i, ratio in enumerate(of_areas)
    ]
    table = pd.DataFrame(rows, columns=["group", "mechanism", "ratio", "c68", "flat"])
    return table.assign(at=0.25, failure_rate=0.0, standard_error=0.1)


AREAS = {
    "one leads": measured(DPExpTheilSen=[0.5] * 299 + [2.0], NoisyStats=[2.0] * 299 + [0.5]),
    "a weaker guarantee alone": measured(NoisyStatsGaussian=[0.5, 0.5]),
    "a flat line": measured(flat=True, NoisyIntercept=[0.5, 0.5], NoisyStats=[0.9, 3.0]),
    "flat lines alone": measured(flat=True, NoisyIntercept=[0.5, 0.5]),
}


def _areas() -> dict[str, Any]:
    mechanisms = (
        NoisyStats(),
        DPExpTheilSen(),
        NoisyStatsGaussian(),
        MaximumObservedSensitivity(),
        NoisyIntercept(),
    )
    shares = {case: ranked_shares(frame, mechanisms, 16.0) for case, frame in AREAS.items()}
    here = view("tracts", epsilon=16.0)
    epsilons = pd.DataFrame(
        [
            ("A", "NoisyStats", 2.0),
            ("B", "NoisyStats", 20.0),
            ("C", "NoisyStats", INF),
            ("C", "DPGDPure", np.nan),
        ],
        columns=["group", "mechanism", "passes_from"],
    ).assign(standard_error=0.1, passes_to=INF)
    return {
        "headline": {case: areas.headline(rows) for case, rows in shares.items()},
        "context": areas.context(here, 0.25),
        "notes": areas.notes(shares["a flat line"].assign(failure_rate=0.002)),
        "cost": areas.cost_sentence(here, 1000),
        "passing": areas.passing_sentence(epsilons, 16.0),
    }


def released(**widths: Any) -> pd.DataFrame:
    """Rows of one release: a median width, with a weaker guarantee where it is in a tuple."""
    kinds = {kind().name: kind.flat_interval for kind in MECHANISMS}
    given = [width if isinstance(width, tuple) else (width, PURE) for width in widths.values()]
    table = pd.DataFrame(given, columns=["width", "guarantee_class"])
    high = np.where(np.isinf(table["width"]), INF, 0.4)
    table = table.assign(algorithm=list(widths), low=0.2, high=high, two_ends=1.0, at=0.25)
    return table.assign(guarantee="2-zCDP", flat=[kinds[name] for name in widths])


def _intervals() -> dict[str, Any]:
    releases = {
        "one": released(CenteredStats=0.1, NoisyStats=0.4),
        "a weaker one is narrower": released(
            CenteredStats=0.1, CenteredStatsGaussian=(0.06, WEAKER)
        ),
        "a weaker one is wider": released(CenteredStats=0.1, CenteredStatsGaussian=(0.2, WEAKER)),
        "a flat line": released(CenteredStats=INF, NoisyIntercept=0.1),
        "a weaker one alone": released(
            CenteredStats=INF, NoisyStats=INF, CenteredStatsGaussian=(0.1, WEAKER)
        ),
    }
    return {
        "release": {
            case: intervals.release_sentence(rows, 0.05, UNIT_X, Y)
            for case, rows in releases.items()
        },
        "open": {case: intervals.open_sentence(rows) for case, rows in releases.items()},
        "slope test": [
            intervals.slope_sentence(p, "CenteredStats", 399) for p in (0.0025, 0.04, 0.3)
        ],
    }


@cache
def recommended(mechanisms: tuple[Mechanism, ...], **changes: Any) -> Recommendation:
    """A recommendation on a few data sets."""
    given = {"n": 100, "var_x": 0.03, "var_e": 0.01, "epsilon": 4.0, "datasets": 4, "trials": 50}
    return recommend(**given | changes, mechanisms=mechanisms)


def _guidance() -> dict[str, Any]:
    two, mean = (NoisyStats(), DPExpTheilSen()), (NoisyStats(), DPExpTheilSen(), NoisyIntercept())
    answers = {
        "one leads": recommended(mean),
        "too close": recommended(two, var_e=0.02, epsilon=60.0),
        "nobody answers": recommended((NoisyStats(),), epsilon=0.001),
        "the next fails": recommended(two, epsilon=0.2),
        "a weaker guarantee": recommended((NoisyStats(), NoisyStatsGaussian()), n=400, epsilon=8.0),
        "the mean": recommended(mean, epsilon=0.05),
        "noisy statistics": recommended((CenteredStats(),), epsilon=60.0),
        "noisy statistics, far": recommended((CenteredStats(),), epsilon=1.5),
        "widened, crowded": recommended((DPWideTheilSen(),), epsilon=1.0, var_e=1e-5),
    }
    values = [RequiredValue("A", 2.5, 1e-3, 1e3), RequiredValue("B", None, 1e-3, 1e3)]
    here = answers["one leads"]
    speaks = {
        "headline": guidance.headline, "weaker": guidance.weaker_sentence, "context": guidance.context,
        "details": guidance.details, "reason": guidance.reason,
    }  # fmt: skip
    said: dict[str, Any] = {
        name: {case: f(r) for case, r in answers.items()} for name, f in speaks.items()
    }
    return said | {
        "why another": guidance.why_another(here),
        "switch": [
            guidance.switch_sentence(here, SwitchPoint("n", n, None, None))
            for n in (3200.0, 10.0, 100.0)
        ],
        "required": [
            guidance.required_sentence(values, "ε", 1, 4.0, ["A"]),
            guidance.required_sentence(values[1:], "n", 2, 4.0, ["B"], pending=2),
        ],
    }
