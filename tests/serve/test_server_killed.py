"""A server that is killed while it works: its processes end with it, and the link alone gives the same page again."""

from __future__ import annotations

from benchmarks.served import start
from benchmarks.visitor import Visitor
from serve.processes import free_ports

LINK = "source=sample&sample=tracts&group=T05&epsilon=8&trials=200&seed=3&algorithms=NoisyStats&algorithms=DPGDPure"


def content(visitor: Visitor) -> list[bytes]:
    """Headlines, sentences and tables of a page, as they are sent, without the names that every session has."""
    shown = [message.arrow_data.data for message in visitor.of_kind("dataframe")]
    for kind in ("heading", "markdown", "metric"):
        shown += [message.body.encode() for message in visitor.of_kind(kind)]
    return shown


def test_the_link_restores_the_state_on_a_new_server():
    (port,) = free_ports(1)
    address, first = f"http://127.0.0.1:{port}", start(port)
    try:
        before = Visitor(address, "compare", LINK)
        before.run()
        busy = Visitor(address, "sweep", "n_to=100000&values=20")  # works for minutes
        busy.begin()
    finally:
        first.kill()
        first.wait(20)
    second = start(port)
    try:
        after = Visitor(address, "compare", LINK)
        after.run()
        assert content(after) == content(before) and len(content(after)) > 10
        after.close()
    finally:
        second.kill()
        second.wait(20)
