"""Where each parameter goes, what is refused, and the panels of the paper."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cases import PLAIN
from sweep_cases import SMALL, curve, varied

from dpslr_core import sweep
from dpslr_core.experiments.ranges import PAPER_SWEEPS
from dpslr_core.experiments.sweep import PARAMETERS, plan_sweep
from dpslr_core.mechanisms import (
    OLS,
    CenteredStats,
    DPExpTheilSen,
    DPGDApprox,
    DPSSTheilSen,
    DPWideTheilSen,
    NoisyStats,
    TheilSen,
)
from dpslr_core.privacy import Budget
from dpslr_core.scenario import Scenario
from dpslr_core.sources.linear import LinearModel

CHANGED = {
    "n": [10, 20],
    "var_x": [0.01, 0.05],
    "var_e": [0.001, 0.01],
    "epsilon": [1.0, 10.0],
    "x_new": [0.0, 0.8, 0.3],  # 0.8 is the other point too
    "slope": [-0.2, 0.0, 0.5],
    "theta": [0.01, 0.2],
    "beta": [0.1, 0.8],
    "df": [1.0, 5.0],
    "k": [1, 4, 50],
    "width": [1.0, 8.0],
    "steps": [2, 10],
    "clip": [0.1, 1.0],
    "lower": [-5.0, 0.0],
    "upper": [1.0, 5.0],
    "delta": [1e-9, 1e-3],
}
AFFECTED = {
    "theta": ["DPWideTheilSen"],
    "beta": ["DPSSTheilSen"],
    "df": ["DPSSTheilSen"],
    "k": ["TheilSen", "DPWideTheilSen", "DPSSTheilSen"],
    "width": ["DPWideTheilSen", "DPSSTheilSen"],
    "lower": ["DPWideTheilSen", "DPSSTheilSen"],
    "upper": ["DPWideTheilSen", "DPSSTheilSen"],
    "steps": ["DPGDApprox"],
    "clip": ["DPGDApprox"],
    "delta": ["DPGDApprox"],
}
ONE_OF_EACH = (OLS(), TheilSen(), NoisyStats(), DPWideTheilSen(), DPSSTheilSen(), DPGDApprox(steps=4))


def test_every_parameter_has_a_case():
    assert set(CHANGED) == set(PARAMETERS)


@pytest.mark.parametrize("parameter", PARAMETERS)
def test_each_parameter_goes_where_it_belongs(parameter):
    """A value in the sweep gives the numbers of a base, or of mechanisms, that have the value already."""
    values = CHANGED[parameter]
    frame = sweep(parameter, values, SMALL, ONE_OF_EACH, datasets=2, trials=10)
    affected = AFFECTED.get(parameter, [m.name for m in ONE_OF_EACH])
    moved = {m.name for m in ONE_OF_EACH if curve(frame, m).nunique() > 1}
    assert moved == set(affected) - ({"OLS", "TheilSen"} if parameter == "epsilon" else set())
    base, mechanisms, value = SMALL, list(ONE_OF_EACH), values[-1]
    if parameter == "x_new":
        base = base.model_copy(update={"at": (value, 0.8)})
    elif parameter == "width":
        bounds = {"lower": 0.5 - value / 2, "upper": 0.5 + value / 2}
        mechanisms = [replace(m, **bounds) if m.name in affected else m for m in mechanisms]
    elif parameter in AFFECTED:
        mechanisms = [replace(m, **{parameter: value}) if m.name in affected else m for m in mechanisms]
    else:
        base = varied(base, parameter, value)
    fixed = sweep("epsilon", [base.epsilon], base, mechanisms, datasets=2, trials=10)
    np.testing.assert_array_equal(frame[frame["value"] == value]["mean"], fixed["mean"])


def test_values_come_out_in_order_and_whole_ones_may_be_floats():
    frame = sweep("n", np.array([20.0, 10.0]), SMALL, [OLS()], datasets=2)
    assert frame["value"].tolist() == [10, 20] and pd.api.types.is_integer_dtype(frame["value"])


WRONG = [
    ({"parameter": "alpha"}, r"^parameter must be one of \['n', "),
    ({"parameter": "theta", "mechanisms": [OLS()]}, r"^parameter 'theta' must be a hyperparameter of one"),
    ({"values": []}, r"^values must be one or more finite"),
    ({"values": [1.0, np.nan]}, r"^values must be one or more finite"),
    ({"values": ["a"]}, r"^values must hold numbers only"),
    ({"values": [1.0, 1.0]}, r"^values must be different"),
    ({"values": [-1.0]}, r"epsilon"),
    ({"parameter": "n", "values": [10.5]}, r"^values must be whole numbers for n, got 10.5"),
    ({"parameter": "n", "values": [2]}, r"^n must be a whole number, 3 or more, got 2"),
    ({"parameter": "var_x", "values": [0.0]}, r"^var_x must be a finite number above 0"),
    ({"parameter": "var_e", "values": [0.0]}, r"^var_e must be a finite number above 0"),
    ({"parameter": "width", "values": [0.0]}, r"^width must be a finite number above 0"),
    ({"parameter": "lower", "values": [2.0]}, r"^lower must be below upper"),
    ({"parameter": "k", "values": [0]}, r"^k must be a whole number, 1 or more"),
    ({"base": {"n": 5}}, r"^base must be a Scenario"),
    ({"base": Scenario(source="upload")}, r"^data must be the loaded data set where base.source is 'upload'"),
    ({"parameter": "n", "data": PLAIN}, r"^parameter can be 'n' for simulated data only"),
    ({"mechanisms": []}, r"^mechanisms must hold one or more"),
    ({"mechanisms": [OLS(), OLS()]}, r"^mechanisms must have different names"),
    ({"datasets": 0}, r"^datasets must be a whole number, 1 or more"),
    ({"trials": 0}, r"^trials must be a whole number, 1 or more"),
    ({"seed": -1}, r"^seed must be a whole number, 0 or more"),
    ({"workers": 0}, r"^workers must be a number of processes"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG, ids=[str(i) for i in range(len(WRONG))])
def test_a_wrong_argument_is_named(wrong, message):
    right = {"parameter": "epsilon", "values": [1.0], "base": SMALL, "mechanisms": [OLS(), DPExpTheilSen()]}
    with pytest.raises(ValueError, match=message):
        sweep(**right | {"datasets": 2, "trials": 5} | wrong)


# ---------------------------------------------------------------- the paper


def test_the_papers_panels_are_all_there():
    assert [panel.key for panel in PAPER_SWEEPS] == [
        *("n", "var-x", "epsilon"),
        *(f"{product}-{what}" for product in (40, 216, 800) for what in ("var-e", "x-new")),
    ]
    ends = {panel.key: (min(panel.values), max(panel.values)) for panel in PAPER_SWEEPS}
    assert (ends["n"], ends["var-x"], ends["epsilon"]) == ((30, 10_000), (0.003, 0.03), (0.01, 10.0))
    for panel in PAPER_SWEEPS:
        if panel.key[0].isdigit():
            assert panel.base.epsilon * panel.base.source.n * panel.base.source.var_x == pytest.approx(
                int(panel.key.split("-")[0])
            )
        ranged = [m for m in panel.base.mechanisms if hasattr(m, "lower") and hasattr(m, "k")]
        assert {(m.lower, m.upper, m.k) for m in ranged} == {(-2.0, 2.0, 10)} and panel.datasets == 500
    logs = np.log([PAPER_SWEEPS[i].values for i in range(3)])
    np.testing.assert_allclose(np.diff(logs), np.tile(np.diff(logs).mean(axis=1, keepdims=True), 9), rtol=0.05)


@pytest.mark.parametrize("panel", PAPER_SWEEPS, ids=lambda panel: panel.key)
def test_each_panel_runs(panel):
    frame = sweep(panel.parameter, panel.values[:2], panel.base, panel.base.mechanisms, datasets=1, trials=4)
    assert len(frame) == 2 * len(panel.base.mechanisms)
    assert curve(frame, "DPExpTheilSen10Match").gt(0).all()


def test_a_switch_of_the_same_name_is_not_varied():
    """clip is a number for gradient descent, and on or off for CenteredStats."""
    model, budget, switch = LinearModel(12, 0.05, 0.01), Budget(1.0, (0.25,)), CenteredStats(clip=True)
    plan = plan_sweep("clip", [0.1, 0.5], model, budget, [switch, DPGDApprox()])
    assert [setting.mechanisms for setting in plan.settings] == [(switch, DPGDApprox(clip=c)) for c in (0.1, 0.5)]
    with pytest.raises(ValueError, match="parameter 'clip' must be a hyperparameter"):
        plan_sweep("clip", [0.1, 0.5], model, budget, [switch])
