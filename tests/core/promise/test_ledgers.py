"""The rows of all ledgers."""

import pytest

from dpslr_core.mechanisms import OLS, DPExpTheilSen, DPGDzCDP, NoisyStats
from dpslr_core.promise.ledgers import ledgers
from dpslr_core.support.accounting import Accounting, PerPerson
from dpslr_core.support.run import Budget

FEW = (OLS(), NoisyStats(), DPExpTheilSen(), DPGDzCDP())


def test_every_ledger_adds_up_to_what_is_spent():
    rows = ledgers(FEW, Budget(3.0))
    assert list(dict.fromkeys(rows["algorithm"])) == ["NoisyStats", "DPExpTheilSen", "DPGDzCDP"]
    assert rows.groupby("algorithm")["epsilon"].sum().tolist() == pytest.approx([3.0] * 3)
    assert rows.groupby("algorithm")["share"].sum().tolist() == pytest.approx([1.0] * 3)
    assert rows["what"].iloc[0] == NoisyStats().ledger(3.0)[0].what


def test_the_rule_of_spending_and_the_records_of_a_person_are_in_it():
    rows = ledgers(FEW, Budget(3.0, accounting=PerPerson(3, Accounting.PURE)))
    assert "DPGDzCDP" not in set(rows["algorithm"])
    assert rows.groupby("algorithm")["epsilon"].sum().tolist() == pytest.approx([1.0] * 2)
    assert set(rows["guarantee"]) == {"ε = 3 for 3 records"}
