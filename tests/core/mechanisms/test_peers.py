"""The comparison with other libraries: what it says without them, and their budgets where they are installed."""

import sys

import pytest

from benchmarks import __main__, peers


def test_says_what_to_install_where_a_peer_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(SystemExit, match=r"pip install -r benchmarks/requirements-peers\.txt"):
        __main__.main(["peers"])


@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_opendp_spends_epsilon_where_one_record_is_replaced(epsilon):
    pytest.importorskip("opendp")
    peers.allow_opendp()
    for zcdp, budget in ((False, epsilon), (True, epsilon**2 / 2)):
        peer = peers.OpenDP(zcdp)
        assert peer.model(peer.scale(epsilon)).measurement.map(2) == pytest.approx(budget)


def test_diffprivlib_spends_half_as_much_again_as_it_books():
    pytest.importorskip("diffprivlib")
    assert peers.Diffprivlib().spent == pytest.approx(1.5)
