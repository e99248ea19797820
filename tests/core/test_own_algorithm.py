"""The algorithm of docs/add_an_algorithm.md, in a file of its own, is everywhere an algorithm like the others."""

from __future__ import annotations

import os
import pickle
import shlex
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dpslr_core import Dataset, by_group, compare, simulate_tracts
from dpslr_core.guidance import private_mechanisms
from dpslr_core.laws import Laplace
from dpslr_core.mechanisms import FILE_VARIABLE, MECHANISMS, OLS, algorithms
from dpslr_core.mechanisms.from_file import mechanisms_of_file
from dpslr_core.scenario import Scenario, mechanism_named
from tests.cases import own_algorithm
from tests.cases.inputs import simulated
from tests.cases.scenario_files import printed_json

DATA = simulated(40, 0.04, 0.01, seed=3)
AT = (0.25, 0.75)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The algorithm of the document, loaded from the environment."""
    monkeypatch.setenv(FILE_VARIABLE, str(own_algorithm.written(tmp_path)))
    return mechanism_named("CappedMean")()


def law(data: Dataset, epsilon: float, cap: float = 0.8) -> Laplace:
    return Laplace(float(np.minimum(data.y, cap).mean()), cap / (epsilon * data.n))


def test_it_stands_with_its_family_and_the_others_stay_in_place(own):
    names = [algorithm.__name__ for algorithm in algorithms()]
    assert names[names.index("NoisyIntercept") + 1] == "CappedMean"
    assert [algorithm for algorithm in algorithms() if algorithm is not type(own)] == list(
        MECHANISMS
    )


def test_compare_measures_it_off_its_law_and_its_draws_follow_it(own):
    result = compare(DATA, [OLS(), own], 2.0, AT)
    row = result.summary[result.summary["mechanism"] == "CappedMean"].iloc[0]
    assert row["exact"]
    assert row["c68"] == pytest.approx(law(DATA, 2.0).error_bound(68, float(DATA.predict(AT)[0])))
    drawn = own.release(DATA, 2.0, AT, 4000, rng=np.random.default_rng(1))[:, 1]
    assert stats.kstest(drawn, law(DATA, 2.0).cdf).pvalue > 1e-3
    assert stats.kstest(drawn, law(DATA, 3.0).cdf).pvalue < 1e-3


def test_areas_are_measured_in_other_processes_that_know_nothing_of_the_file(own, monkeypatch):
    monkeypatch.delenv(FILE_VARIABLE)
    areas = simulate_tracts(tracts=4, rng=np.random.default_rng(2))
    here, there = (by_group(areas, [own], 16.0, workers=workers) for workers in (1, 2))
    pd.testing.assert_frame_equal(here, there, check_exact=True)


def test_links_and_files_name_it_and_it_may_be_recommended(own):
    assert own in private_mechanisms(algorithms(), -0.5, 1.5, 0.01)
    scenario = Scenario(mechanisms=(OLS(), replace(own, cap=0.5)))
    query = scenario.to_query()
    assert query["algorithms"] == ["OLS", "CappedMean"] and query["CappedMean.cap"] == "0.5"
    assert (
        Scenario.from_query(query)
        == scenario
        == Scenario.model_validate_json(scenario.model_dump_json())
    )
    assert type(own) not in {type(mechanism) for mechanism in Scenario().mechanisms}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the algorithm and a table, in which commands run without the environment variable."""
    own_algorithm.written(tmp_path)
    pd.DataFrame({"hours": DATA.x, "score": DATA.y, "area": "one"}).to_csv(
        tmp_path / "data.csv", index=False
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(FILE_VARIABLE, raising=False)
    return tmp_path


def test_the_command_of_the_document(folder):
    tool, *words = shlex.split(own_algorithm.shell()[0])
    assert tool == "dpslr"
    first, _ = printed_json(*words, "--algorithm", "CappedMean", "--set", "CappedMean.cap=0.6")[
        "summary"
    ]
    expected = law(DATA, 2.0, 0.6).error_bound(68, float(DATA.predict(AT)[0]))
    assert first["mechanism"] == "CappedMean" and first["c68"] == pytest.approx(expected)
    assert FILE_VARIABLE not in os.environ  # the command leaves nothing behind


CODE = own_algorithm.code()
WRONG = {
    "cannot be used: SyntaxError": CODE.replace("def guarantee", "dof guarantee"),
    "cannot be used: ZeroDivisionError": CODE + "1 / 0\n",
    "cannot be used: SystemExit": CODE + "raise SystemExit(1)\n",
    "defines no mechanism": "x = 1\n",
    "CappedMean must define _draw$": CODE.replace("def _draw", "def draw"),
    "CappedMean must be a dataclass": CODE.replace("@dataclass(frozen=True)\n", ""),
    r"CappedMean.cap must be declared by hyperparameter\(": CODE.replace("0.8, help=", "help="),
    "CappedMean.extra must be declared": CODE.replace(
        "    family =", "    extra: float = 1.0\n    family ="
    ),
    "guarantee of dpslr_core.privacy, got 2.0": CODE.replace("PureDP(epsilon)", "epsilon"),
    "must add up to epsilon, got 4 for epsilon = 2": CODE.replace(
        'y", epsilon)', 'y", 2 * epsilon)'
    ),
    "CappedMean.budget_split is EQUAL_SHARES": CODE.replace("ONE_RELEASE", "EQUAL_SHARES"),
    "CappedMean.budget_split is NO_BUDGET": CODE.replace("ONE_RELEASE", "NO_BUDGET"),
    "CappedMean.draws.epsilon. lose ε = 4, more than the guarantee, ε = 2,": CODE.replace(
        "NoiseKind, PureDP, Spend", "*"
    )
    + "\n    def draws(self, epsilon, points=2):\n"
    + "        return (Draw(NoiseKind.LAPLACE, 2 * epsilon),)\n",
    "already algorithms called .'OLS'": CODE.replace("CappedMean", "OLS"),
}


@pytest.mark.parametrize("reason", WRONG)
def test_a_file_that_cannot_be_used_is_refused_with_its_name_and_the_reason(
    folder, monkeypatch, reason
):
    (folder / "wrong.py").write_text(WRONG[reason], encoding="utf-8")
    monkeypatch.setenv(FILE_VARIABLE, "wrong.py")
    for _ in range(2):  # nothing half made is kept
        with pytest.raises(ValueError, match=rf"^mechanisms of wrong\.py .*{reason}"):
            algorithms()


def test_annotations_may_be_text_and_helpers_private(tmp_path):
    text = (
        "from __future__ import annotations\n" + CODE + "\n\nclass _Helper(CappedMean):\n    pass\n"
    )
    file = tmp_path / "other.py"
    file.write_text(text.replace("CappedMean", "OtherMean"), encoding="utf-8")
    (algorithm,) = mechanisms_of_file(str(file))
    assert algorithm(cap=1).cap == 1.0 and isinstance(algorithm(cap=1).cap, float)
    assert pickle.loads(pickle.dumps(algorithm(cap=0.5))) == algorithm(cap=0.5)
