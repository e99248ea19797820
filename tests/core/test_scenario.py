"""A scenario is one value with several faces: link, JSON, data."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from dpslr_core.mechanisms import (
    MECHANISMS,
    CenteredStats,
    DPExpTheilSen,
    DPGDApprox,
    DPSSTheilSen,
    NoisyStats,
)
from dpslr_core.privacy import ZCDP, Accounting
from dpslr_core.privacy.accounting import RULES
from dpslr_core.scenario import Scenario, field_limits
from dpslr_core.sources.axis import UNIT_X, Axis
from dpslr_core.sources.choices import (
    PublicData,
    SampleData,
    SimulatedState,
    Synthetic,
    UploadedFile,
)
from dpslr_core.sources.samples import SAMPLES, UCI
from tests.cases.tables import check_refused

CELSIUS = Axis("temperature", "°C", -8, 39)


scenarios = st.builds(
    Scenario,
    source=st.one_of(
        st.builds(
            Synthetic, n=st.integers(3, 10_000), var_x=st.floats(0, 1), slope=st.floats(-100, 100)
        ),
        st.sampled_from([SampleData(sample=SAMPLES[0].key), PublicData(uci=UCI[0].key)]),
        st.builds(SimulatedState, tracts=st.integers(2, 9), elasticity=st.floats(-10, 10)),
        st.builds(
            UploadedFile,
            x_column=st.sampled_from(["", "a&b = 100 %", 'größe (m²); "roh"', " x.0 ", "1e5"]),
            x_bounds=st.none() | st.tuples(st.floats(-1e9, 0), st.floats(1e-3, 1e9)),
            y_bounds=st.none() | st.just((0.1, 1 / 3)),
            y_transform=st.none() | st.just("log10"),
            y_numbers=st.sampled_from([None, "point", "comma", "plain"]),
            x_most=st.none() | st.just((1 / 3, 1e3)),
            person_column=st.sampled_from(["", "household (nr)"]),
        ),
    ),
    group=st.sampled_from(["", "month 1, hour 8", "T01"]),
    epsilon=st.floats(1e-6, 1e6),
    at=st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=4, unique=True).map(tuple),
    accounting=st.sampled_from([*map(Accounting, RULES), Accounting("approx", 1e-6 / 3, 3)]),
    trials=st.integers(10, 5000),
    also_k=st.none() | st.integers(1, 20),
    seed=st.integers(0, 2**64),
    mechanisms=st.lists(
        st.one_of(
            st.sampled_from(MECHANISMS).map(lambda algorithm: algorithm()),
            st.builds(DPExpTheilSen, k=st.none() | st.integers(1, 20), lower=st.floats(-50, -1)),
            st.builds(
                DPGDApprox,
                delta=st.floats(1e-12, 0.1),
                start=st.tuples(st.floats(-9, 9), st.just(2 / 3)),
            ),
        ),
        unique_by=lambda mechanism: type(mechanism),
        min_size=1,
        max_size=5,
    ).map(tuple),
)


def opened(scenario, axis=UNIT_X):
    """The scenario of the link, after a browser has carried it."""
    query = parse_qs(urlencode(scenario.to_query(axis), doseq=True), keep_blank_values=True)
    texts = {key: texts if key == "algorithms" else texts[-1] for key, texts in query.items()}
    return Scenario.from_query(texts, axis)


@given(scenarios)
@example(Scenario(at=(-0.0, 0.1 + 0.2, 1e-20, 1e16), mechanisms=(DPSSTheilSen(lower=-1),)))
@example(Scenario(at=(5e-324, 1 / 3), mechanisms=(CenteredStats(b=(10 / 3, 20 / 3, 5, 6, 7)),)))
def test_link_and_json_keep_every_bit(scenario):
    """As text, too: 0.0 and -0.0 are equal, and random streams of them are not."""
    by_json = Scenario.model_validate_json(scenario.model_dump_json())
    for again in (opened(scenario), opened(scenario, CELSIUS), by_json):
        assert again == scenario and repr(again) == repr(scenario)
    assert not Scenario.from_opened(scenario.to_query())[1]


def test_also_k_adds_the_algorithms_that_have_a_k_a_second_time():
    scenario = Scenario(mechanisms=(NoisyStats(), DPExpTheilSen(), DPSSTheilSen(k=3)), also_k=3)
    assert [m.name for m in scenario.compared] == [
        "NoisyStats",
        "DPExpTheilSen",
        "DPExpTheilSen3Match",
        "DPSSTheilSen3Match",
    ]


def test_a_point_that_was_typed_in_units_is_in_the_link_as_it_was_typed():
    income = Axis("income", "$", 0, 187_000)
    typed = ("62500", "61234.5678")
    at = tuple(income.to_unit(list(map(float, typed))).tolist())
    assert Scenario(at=at).to_query(income) == {"x_new": ", ".join(typed)}


axes = st.tuples(
    st.floats(-1e9, 1e9), st.floats(1e-3, 1e9), st.sampled_from(["point", "comma", "plain"])
).map(lambda axis: Axis("x", "", axis[0], axis[0] + axis[1], axis[2]))


@given(st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=8, unique=True).map(tuple), axes)
@example((1e-20, 0.25), CELSIUS)  # lies between two numbers of the axis
@example((0.3,), Axis("id", "", 1e15, 1e15 + 1))
def test_a_link_in_any_units_keeps_every_bit_of_the_points(at, axis):
    query = Scenario(at=at).to_query(axis)
    assert Scenario.from_query(query, axis).at == at
    assert ("unit_square" in query) == any(
        axis.typed(point) is None for point in at if at != (0.25, 0.75)
    )


WRONG = """
    {"epsilon": 0} | epsilon
    {"epsilon": Infinity} | epsilon
    {"accounting": "fair"} | accounting
    {"accounting": "paper, 2 records"} | accounting
    {"accounting": "paper, x records per person"} | records_per_person
    {"at": []} | 1 to 8
    {"at": [0.5, 0.5]} | different
    {"n": 2} | n
    {"source": "sample", "sample": "nothing"} | sample must be one of
    {"mechanisms": ["Nothing"]} | algorithm must be one of
    {"mechanisms": ["ChooseByCenteredStats"]} | choose CenteredStats or DeepestLine by n and ε
    {"mechanisms": [{"algorithm": "NoisyStats", "theta": 1}]} | hyperparameters
    {"surprise": 1} | surprise
    {"sample": "bikes"} | sample
    {"source": {"kind": "synthetic"}, "n": 50} | beside it
    {"source": "upload", "x_bounds": [2, 1]} | lower must be below upper
    {"source": "upload", "y_bounds": [0, Infinity]} | y_bounds
    {"source": "upload", "y_bounds": [0, 1, 2]} | y_bounds
    {"source": "upload", "x_numbers": "roman"} | x_numbers
    {"source": "upload", "x_transform": "log10", "x_bounds": [0, 5]} | bounds of a logarithm must be above 0
    {"source": "upload", "y_transform": "0 0; 5 100"} | a percentile by a public table is no longer offered
"""


def test_what_is_wrong_is_named():
    check_refused(lambda values: Scenario(**values), WRONG)


def test_an_unreadable_hyperparameter_is_named():
    for key, value in (("k", "many"), ("height", "1")):
        with pytest.raises(ValueError, match=key):
            Scenario.from_query({f"DPExpTheilSen.{key}": value})


def test_a_copy_is_checked_and_a_rule_alone_leaves_the_records_of_a_person():
    three = Scenario(records_per_person=3, epsilon=4.0)
    assert three.model_copy(update={"accounting": "implied"}) == Scenario(
        records_per_person=3, accounting="implied", epsilon=4.0
    )
    assert three.model_copy(update={"records_per_person": 1}) == Scenario(epsilon=4.0)
    assert (
        three.model_copy(update={"accounting": Accounting("attack", records=2)}).records_per_person
        == 2
    )
    assert three.model_copy() == three
    for wrong in ({"accounting": ZCDP(0.5)}, {"trials": 1}, {"unknown": 1}, {"at": ()}):
        with pytest.raises(ValueError, match=str(next(iter(wrong)))):
            three.model_copy(update=wrong)


@pytest.mark.parametrize("name", ["n", "var_x", "var_e", "slope", "intercept"])
def test_the_limits_of_a_field_are_those_that_are_checked(name: str):
    least, most = field_limits(Synthetic, name)
    assert [getattr(Synthetic(**{name: value}), name) for value in (least, most)] == [least, most]
    for value in (least - 1, most + 1):
        with pytest.raises(ValidationError, match=name):
            Synthetic(**{name: value})


def test_a_link_names_algorithms_one_by_one_or_with_commas():
    def names(scenario):
        return [type(mechanism).__name__ for mechanism in scenario.mechanisms]

    wanted = ["NoisyStats", "DPExpTheilSen", "OLS"]
    for listed in (wanted, ",".join(wanted), ["NoisyStats, DPExpTheilSen", "OLS"]):
        scenario, refused = Scenario.from_opened({"algorithms": listed})
        assert {*names(scenario)} == {*wanted} and not refused
        assert names(Scenario.from_query({"algorithms": listed})) == wanted
    scenario, refused = Scenario.from_opened({"algorithms": "OLS,NoSuch"})
    assert names(scenario) == ["OLS"] and refused == ["algorithms"]
    assert Scenario.from_opened({"algorithms": ""})[0].mechanisms == ()
