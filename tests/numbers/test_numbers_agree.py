"""One table: each page, the files taken away from it, its script, its command and its report give the core's numbers.

A row is a page with a link. Beside it stands the core's own call, in the units of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpslr_core import by_group, compare, recommend, sweep
from dpslr_core.audit import audit
from dpslr_core.audit.moved import MovedRecord
from dpslr_core.audit.pair import pair_of
from dpslr_core.dataset import Dataset
from dpslr_core.experiments.areas import split_groups
from dpslr_core.guidance.area_epsilons import best_with_epsilons, passing_epsilons
from dpslr_core.lesson import Lesson, step_table
from dpslr_core.mechanisms import (
    OLS,
    DPGDPure,
    NoisyIntercept,
    NoisyStats,
    NoisyStatsGaussian,
    TheilSen,
)
from dpslr_core.paper.figures import figure_named
from dpslr_core.privacy.accounting import guarantee
from dpslr_core.scenario import Scenario
from tests.cases.taken import PageRead, Taken, again, number, taken

FEW = (NoisyStats(), NoisyIntercept(), DPGDPure())
BIKES = Scenario(
    source="sample",
    sample="bikes",
    group="month 1, hour 3",
    epsilon=2.5,
    mechanisms=FEW,
    trials=20,
    seed=3,
    accounting="attack",
)
TRACTS = Scenario(source="sample", sample="tracts", epsilon=4.0, mechanisms=FEW, trials=20, seed=2)
HOMES = Scenario(
    source="sample", sample="linear", epsilon=8.0, mechanisms=FEW[:2], trials=20, seed=4
)
MODEL = Scenario(n=30, epsilon=4.0, mechanisms=FEW[:2], seed=5)


@dataclass(frozen=True)
class Row:
    """A page with a link, and the numbers that all it gives must have.

    Attributes
    ----------
    page, link : of the page
    core : the core's own call
    columns : what the page gives: page, file, script, command, report
    key : columns of the core that tell its rows apart; without any, rows are compared in their order
    shown : the core's columns by the titles on the page and in its file; {} where the titles are the core's names
    written : the core's columns by the titles of the report's table, from its first column on
    name : of the files
    printed : of the table in what the command prints
    at : the point that is looked at, in the units of x, where the command prints all
    """

    page: str
    link: Mapping[str, str | list[str]]
    core: Callable[[], pd.DataFrame]
    columns: tuple[str, ...] = ("page", "file", "script")
    key: tuple[str, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    printed: str = "rows"
    at: float | None = None


def link(scenario: Scenario, **more: str) -> dict[str, str | list[str]]:
    return scenario.to_query() | more


# The core's own calls.


def group(scenario: Scenario) -> Dataset:
    grouped = scenario.source.load()
    return grouped.dataset(scenario.group or grouped.groups[0])


def errors(scenario: Scenario, at: float, scale: float) -> pd.DataFrame:
    """Errors of the algorithms at one point, whose scale is that of y."""
    algorithms, settings = (
        scenario.compared,
        (scenario.epsilon, scenario.at, scenario.trials, scenario.seed),
    )
    summary = compare(
        group(scenario), algorithms, *settings, accounting=scenario.accounting
    ).summary
    table = summary[summary["at"] == at].rename(columns={"mechanism": "algorithm"})
    table["ratio"] = table["c68"] / table["standard_error"]
    table[["c68", "c95", "noise", "gap", "bias"]] *= scale
    return table.assign(guarantee=[str(guarantee(m, scenario.budget)) for m in algorithms])


def areas(scenario: Scenario, at: float) -> pd.DataFrame:
    """The best algorithm of each area, and the smallest epsilon at which the area passes."""
    grouped, algorithms = scenario.source.load(), FEW[:2]
    settings = scenario.epsilon, scenario.at, scenario.trials, scenario.seed
    measured = by_group(grouped.frame, algorithms, *settings, accounting=scenario.accounting)
    points = (at, *(point for point in scenario.at if point != at))
    datasets = split_groups(grouped.frame).datasets
    epsilons = passing_epsilons(datasets, algorithms, replace(scenario.budget, at=points))
    here = measured[measured["at"] == at]
    table = best_with_epsilons(here, epsilons, scenario.epsilon)
    table["c68"] *= grouped.y.scale
    return table


def swept(parameter: str, values: list[float], scenario: Scenario) -> pd.DataFrame:
    data = None if scenario.source.kind == "synthetic" else group(scenario)
    settings = {"datasets": 20, "trials": 20, "seed": scenario.seed}
    baselines = (OLS(), TheilSen()) if data is None else (TheilSen(),)
    return sweep(
        parameter, values, scenario, (*baselines, *scenario.compared), data=data, **settings
    )


def evidence(scenario: Scenario, **guesses: Any) -> pd.DataFrame:
    """Expected errors of the algorithms on data like these guesses."""
    settings = {"epsilon": scenario.epsilon, "at": scenario.at, "mechanisms": scenario.compared}
    sizes = {"datasets": max(10, min(20, 5_000 // guesses["n"]))}
    run = {"trials": min(scenario.trials, 50), "seed": scenario.seed, "decide": False} | sizes
    return recommend(**guesses, **settings, **run).evidence


def predictions(scenario: Scenario) -> pd.DataFrame:
    """Predictions without privacy."""
    y, data = scenario.source.load().y, group(scenario)
    return pd.DataFrame(
        {
            "OLS": y.from_unit(data.predict(scenario.at)),
            "standard error": y.scale * data.standard_error(scenario.at),
            "Theil–Sen": y.from_unit(data.theil_sen(scenario.at)),
        }
    )


def losses(scenario: Scenario, name: str, moved: MovedRecord) -> pd.DataFrame:
    """Privacy loss of the move of a record at the second point, or of all points where the law is not known."""
    mechanism = next(m for m in scenario.mechanisms if m.name == name)
    pair = pair_of(moved, mechanism, scenario.budget, 1)
    if pair is None:
        records = scenario.records_per_person
        return pd.DataFrame(
            [audit(mechanism, moved.before, moved.after, scenario.epsilon / records)]
        )
    return pair.table(scenario.source.load().y)


def lesson(step: str) -> pd.DataFrame:
    return step_table(Lesson(step=step, **CLASS))


def figure(name: str, parameters: dict[str, float], seed: int) -> pd.DataFrame:
    chosen = figure_named(name)
    return chosen.compute(chosen.settings(parameters, seed=seed))


# The table.


def of_y(y: str, titles: dict[str, str]) -> dict[str, str]:
    return {title.format(y): name for title, name in titles.items()}


ALL = ("page", "file", "script", "command", "report")
OF_SWEEP = {"key": ("value", "mechanism"), "columns": ALL[:4]}
RANKING = {
    "algorithm": "algorithm", "error / standard error (68%)": "ratio", "C(68)": "c68",
    "C(95)": "c95", "noise alone": "noise", "gap": "gap",
    "no answer": "failure_rate", "median − OLS": "bias",
    "guarantee": "guarantee",
}  # fmt: skip
IN_REPORT = {
    "algorithm": "algorithm", "C(68), rides per hour": "c68", "C(95), rides per hour": "c95",
    "error / standard error (68%)": "ratio", "gap, rides per hour": "gap",
    "guarantee": "guarantee",
}  # fmt: skip
AREAS = {
    "area": "group", "n": "n", "best algorithm": "mechanism", "in standard errors": "ratio",
    "C(68) in {}": "c68", "smallest ε that passes": "passes_from", "with": "passes_with",
}  # fmt: skip
AREAS_IN_REPORT = {"area": "group", "n": "n", "C(68), {}": "c68", "in standard errors": "ratio"}
ROUNDED = {
    "report": 6e-3,
    "command": 1e-15,
}  # a report has three digits; pandas 2 reads 16 digits of 17
TIMES = "times the error without privacy"
EVIDENCE = {
    "algorithm": "mechanism",
    TIMES: "times",
    "error": "error",
    "behind the best": "behind",
}
EVIDENCE_IN_REPORT = {
    "algorithm": "mechanism",
    TIMES: "times",
    "expected error, in standard errors": "error",
}
TRACT = MovedRecord(group(TRACTS), 2, 1.0, 0.0)
LOST = TRACTS.model_copy(
    update={
        "mechanisms": (NoisyStats(), DPGDPure()),
        "records_per_person": 2,
    }
)
RECORD = {"record": "3", "record_x": "1", "record_y": "0", "privacy_at": "0.75"}
GUESSES = {"n": 75, "var_x": 0.03, "var_e": 0.01}
DESCENT = MODEL.model_copy(update={"mechanisms": (NoisyIntercept(), DPGDPure(steps=4))})
WEAKER = Scenario(n=75, epsilon=8.0, mechanisms=(NoisyStats(), NoisyStatsGaussian()), seed=5)
MEMO = {"area_details": "Memo and files"}
CLASS = {
    "released": 4,
    "leaver": 3,
    "person": 9,
    "person_y": 10,
    "class_epsilon": 1,
    "students": 50,
    "scatter": 5,
}

ROWS = {
    "compare": Row(
        "compare", link(BIKES, look_at="27.25"), lambda: errors(BIKES, 0.75, 1000), ALL, ("algorithm",), RANKING,
        IN_REPORT, printed="summary", at=27.25,
    ),
    "areas": Row(
        "small_areas", link(BIKES, question="at 27.25", **MEMO), lambda: areas(BIKES, 0.75), ALL[1:], ("group",),
        of_y("rides per hour", AREAS),
        of_y("rides per hour", AREAS_IN_REPORT), printed="areas",
    ),
    "sweep of n": Row(
        "sweep", link(DESCENT, datasets="20", sweep_trials="20", n_from="30", n_to="60", values="2"),
        lambda: swept("n", [30, 60], DESCENT), **OF_SWEEP,
    ),
    "sweep of a data set": Row(
        "sweep", link(TRACTS, vary="epsilon", epsilon_from="0.3", epsilon_to="1", values="2"),
        lambda: swept("epsilon", [0.3, 1], TRACTS), **OF_SWEEP,
    ),
    "guidance": Row(
        "guidance", link(WEAKER, guidance="All algorithms"),
        lambda: evidence(WEAKER, **GUESSES), ALL, ("mechanism",), EVIDENCE,
        EVIDENCE_IN_REPORT, printed="evidence",
    ),
    "data": Row("data", link(HOMES), lambda: predictions(HOMES)),
    **{
        f"loss of {name}": Row(
            "privacy", link(LOST, privacy_of=name, **RECORD), partial(losses, LOST, name, TRACT), ALL[1:3],
        )
        for name in ("NoisyStats", "DPGDPure")
    },
    **{
        f"lesson, {step}": Row(
            "lesson", {"step": step, **{name: str(value) for name, value in CLASS.items()}},
            partial(lesson, step), name=f"lesson_{step}",
        )
        for step in ("worst", "people")
    },
    "a figure": Row(
        "paper", {"figure": "smooth-sensitivity"}, lambda: figure("smooth-sensitivity", {}, 0), ALL[1:4],
        name="smooth-sensitivity",
    ),
}  # fmt: skip
IN_VIEW = {**ROWS["areas"].link, "area_details": "All areas"}
ROWS["all areas"] = replace(ROWS["areas"], link=IN_VIEW, columns=ALL[:1])


@cache
def opened(name: str) -> Taken:
    return taken(ROWS[name].page, **ROWS[name].link)


@cache
def core(name: str) -> pd.DataFrame:
    return ROWS[name].core()


def given(name: str, column: str) -> pd.DataFrame:
    """The table of a page, or of what is taken away from it, under the core's names."""
    row, page = ROWS[name], opened(name)
    shown = list(row.shown or core(name).columns)
    match column:
        case "page":
            return next(t.value for t in page.test.dataframe if {*shown} <= {*t.value}).rename(
                columns=row.shown
            )
        case "file":
            return page.table(row.name or row.page).rename(columns=row.shown)
        case "script":
            return page.by_script()["table"]
        case "command":
            table = page.by_command(row.printed).rename(
                columns={"mechanism": row.key[0]} if row.at else {}
            )
            return table if row.at is None else table[table["at"] == row.at]
        case _:
            read = PageRead(page.files["report.html"]().decode())
            return read.table(list(row.written)[:3]).rename(columns=row.written)


@pytest.mark.parametrize(
    ("name", "column"), [(name, column) for name, row in ROWS.items() for column in row.columns]
)
def test_the_numbers_are_the_cores(name: str, column: str):
    row, expected, table = ROWS[name], core(name), given(name, column)
    titles = row.written if column == "report" else row.shown
    if row.key:
        expected, table = (frame.set_index(list(row.key)) for frame in (expected, table))
        assert sorted(table.index) == sorted(expected.index)
        table = table.loc[expected.index]
    assert len(table) == len(expected) > 0
    for label in titles.values() or expected.columns:
        if label in row.key or (column == "command" and label not in table):
            continue
        numeric = pd.api.types.is_numeric_dtype(expected[label])
        cells = table[label].map(number) if column == "report" and numeric else table[label]
        if numeric:
            compared = [np.asarray(values, float) for values in (cells, expected[label])]
            compared = [np.where(np.isinf(values), np.nan, values) for values in compared]
            np.testing.assert_allclose(*compared, rtol=ROUNDED.get(column, 0), err_msg=label)
        else:
            assert (
                cells.fillna("").astype(str).tolist()
                == expected[label].fillna("").astype(str).tolist()
            ), label


# What stands beside the numbers.

SETTINGS = {
    "compare": {"point": "temperature = 27.25 °C", "seed": "3"},
    "sweep of n": {"varied": "n"},
    "sweep of a data set": {"varied": "epsilon"},
    "loss of NoisyStats": {
        "algorithm": "NoisyStats", "point": "parent income rank = 0.75",
    },
    "lesson, worst": {"step": "worst", "class_epsilon": "1.0"},
    "a figure": {"figure": "smooth-sensitivity", "seed": "0"},
}  # fmt: skip


@pytest.mark.parametrize("name", SETTINGS)
def test_a_table_names_its_settings_and_its_link_opens_it_again(name: str):
    page, file = ROWS[name].page, ROWS[name].name or ROWS[name].page
    table = opened(name).table(file)
    assert SETTINGS[name].items() <= table.attrs.items()
    assert ("digest" in table.attrs) == (
        page != "paper" and page != "lesson" and name != "sweep of n"
    )
    reopened = again(page, table)
    pd.testing.assert_frame_equal(reopened.table(file), table, check_exact=True)
    shown = [[element.value for element in page.test.markdown] for page in (reopened, opened(name))]
    assert shown[0] == shown[1]
