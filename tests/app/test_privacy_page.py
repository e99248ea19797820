"""The Privacy page: its numbers are the core's, and the worst replacement is the move that it shows."""

from __future__ import annotations

from dpslr_core.audit import audit
from dpslr_core.audit.loss import middle_to_corner
from dpslr_core.audit.moved import MovedRecord
from dpslr_core.audit.pair import pair_of
from dpslr_core.mechanisms import DeepestLine, DPExpTheilSen, DPGDPure
from dpslr_core.privacy import Accounting, Budget
from dpslr_core.scenario import Scenario
from dpslr_core.text.privacy import PairFacts, headline, headline_without_law
from tests.cases.opened import app, changed, fine, heading, pressed, words

N = {"n": "30"}
DATA = Scenario(n=30).source.load().dataset()


def headline_of(moved, mechanism, budget, number=0):
    return headline(PairFacts.of(pair_of(moved, mechanism, budget, number), moved))


def test_it_opens_with_a_record_moved_to_a_corner():
    test = app("privacy", **N)
    row, x, y = middle_to_corner(DATA)
    assert heading(test) == headline_of(MovedRecord(DATA, row, x, y), DeepestLine(), Budget(2.0))
    pressed(test, "record_back")
    assert heading(fine(test)) == "No move shifts the odds of any release more than 7.39 times."


def test_a_link_names_algorithm_record_point_and_records_per_person():
    query = {
        "record": "3",
        "record_x": "0",
        "record_y": "1",
        "privacy_of": "DPExpTheilSen",
        "privacy_at": "0.75",
    }
    test = app("privacy", **N, **query, records_per_person="4", epsilon="8")
    budget = Budget(8.0, accounting=Accounting(records=4))
    sentence = headline_of(MovedRecord(DATA, 2, 0.0, 1.0), DPExpTheilSen(), budget, 1)
    assert heading(test) == sentence
    assert "each person ε = 8, each record ε = 2" in words(test)


def test_data_and_methods_say_the_records_of_a_person():
    test = app("data", **N)
    assert "The guarantee is for one record. Set how many" in words(test)
    changed(test, "records_per_person", "5")
    assert "for a person with up to 5 records" in words(fine(test))
    two = {"algorithms": "NoisyIntercept", "epsilon": "4", "records_per_person": "2"}
    card = " ".join(each.value for each in app("methods", card="NoisyIntercept", **two).markdown)
    assert "in all ε = 2 for one record." in card and "ε = 4 for 2 records" in card


def test_an_algorithm_without_an_output_distribution_still_has_a_loss_and_a_ledger():
    test = app("privacy", **N, privacy_of="DPGDPure", record="2", record_x="0", record_y="1")
    loss = audit(DPGDPure(), DATA, DATA.with_record(1, 0.0, 1.0), 2.0)
    assert heading(test) == headline_without_law("DPGDPure", loss)
    assert "choose another algorithm" in test.main.info[0].value
    ledgers = app("privacy", **N, privacy_of="DPGDPure", privacy_view="What the budget pays for")
    assert not ledgers.main.info and "ε = 2 pays for" in words(ledgers)
