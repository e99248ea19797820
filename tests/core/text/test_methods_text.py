"""What the Methods page says: the budget of an algorithm, and the map beside the paper's rule of thumb."""

from __future__ import annotations

from dpslr_core.guidance.maps import load
from dpslr_core.mechanisms import MECHANISMS, DPGDzCDP
from dpslr_core.mechanisms.pairwise import PrivateTheilSen
from dpslr_core.privacy import ZCDP
from dpslr_core.text.methods import FLOATING_POINT, against_the_paper, budget_sentence
from dpslr_core.text.phrases import format_amount, spent_on
from tests.cases.readable import check_readable


def test_the_ledger_is_read_out():
    for algorithm in MECHANISMS:
        text, guarantee = budget_sentence(algorithm(), 1500.0), algorithm().guarantee(1500.0)
        for spend in algorithm().ledger(1500.0):
            cost = f"ε = {format_amount(spend.share)}"
            if isinstance(guarantee, ZCDP):
                cost = f"ρ = {format_amount(spend.share / 1500 * 1500**2 / 2)} zCDP"
            assert f"{spent_on(spend)} **{cost}" in text
        total = guarantee if guarantee.private else "ε = 1,500"
        assert f"in all {total}." in text or not algorithm().ledger(1500.0)


def test_the_records_of_a_person_are_said_with_what_each_of_them_costs():
    assert budget_sentence(DPGDzCDP(), 0.5, 4).endswith("in all ρ = 0.125 zCDP for one record.")


def test_the_map_is_told_beside_the_papers_rule():
    stored = load()
    won = stored.winners(in_paper=True)
    large = (won["epsilon_nvar"] > 400) & (won["var_e"] >= 0.01)
    text = against_the_paper(stored)
    for name, cells in (("NoisyStats", large), ("DPExpTheilSen", ~large)):
        near = stored.behind(name, in_paper=True)["behind"][cells] <= 0.03
        assert f" in {near.sum()} of {cells.sum()}" in text
    check_readable(text)


def test_the_cards_say_of_those_algorithms_alone_that_their_digits_tell_nothing_that_release_cells():
    """The sentence above all cards names the exception; each card of the paper's family says it of itself."""
    family = [cls for cls in MECHANISMS if issubclass(cls, PrivateTheilSen)]
    assert {cls.name for cls in (m() for m in family) if not cls.in_cells} == {"DPSSTheilSen"}
    assert "the private Theil-Sen algorithms, DPSSTheilSen aside, release a cell" in FLOATING_POINT
    for cls in (cls for cls in family if cls.in_paper):
        assert any("depend on nothing else" in note for note in cls.corrections) == cls.in_cells
        assert ("last digits can tell" in " ".join(cls.__doc__.split())) != cls.in_cells
    assert "time that a release takes" in FLOATING_POINT
