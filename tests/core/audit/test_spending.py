"""The rows of all ledgers."""

import pytest

from dpslr_core.audit.spending import ledgers
from dpslr_core.mechanisms import (
    OLS,
    DPExpTheilSen,
    DPExpTheilSenZCDP,
    DPGDzCDP,
    NoisyStats,
    NoisyStatsGaussian,
)
from dpslr_core.privacy import Accounting, Budget, NoiseKind

FEW = (OLS(), NoisyStats(), DPExpTheilSen(), DPGDzCDP())


def test_every_ledger_adds_up_to_what_is_spent():
    rows = ledgers(FEW, Budget(3.0))
    assert list(dict.fromkeys(rows["algorithm"])) == ["NoisyStats", "DPExpTheilSen", "DPGDzCDP"]
    costs = rows.groupby("algorithm", sort=False)["cost"].unique()
    assert costs.map(list).tolist() == [["ε = 1"], ["ε = 1.5"], ["ρ = 4.5 zCDP"]]
    assert rows.groupby("algorithm")["share"].sum().tolist() == pytest.approx([1.0] * 3)
    assert rows["what"].iloc[0] == NoisyStats().ledger(3.0)[0].what


def test_parts_of_a_zcdp_budget_cost_rho():
    """At m points rho / m each, where epsilon / m would be rho / m^2."""
    rows = ledgers((DPExpTheilSenZCDP(), NoisyStatsGaussian()), Budget(4.0, (0.2, 0.4, 0.6, 0.8)))
    assert rows["cost"].tolist() == ["ρ = 2 zCDP"] * 4 + ["ρ = 2.67 zCDP"] * 3
    for mechanism in (DPExpTheilSenZCDP(), NoisyStatsGaussian()):
        (first, *_), cost = (
            mechanism.draws(4.0, 4),
            rows.loc[rows["algorithm"] == mechanism.name, "cost"].iloc[0],
        )
        rho = first.size**2 / (8 if mechanism.noise_kind is NoiseKind.BOUNDED_RANGE else 2)
        assert cost == f"ρ = {rho:.3g} zCDP"


def test_the_rule_of_spending_and_the_records_of_a_person_are_in_it():
    rows = ledgers(FEW, Budget(3.0, accounting=Accounting("pure", records=3)))
    assert "DPGDzCDP" not in set(rows["algorithm"])
    assert rows["cost"].tolist() == ["ε = 0.333"] * 3 + ["ε = 0.5"] * 2
    assert set(rows["guarantee"]) == {"ε = 3 for 3 records"}
