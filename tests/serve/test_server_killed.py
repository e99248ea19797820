"""A server that is killed while it works: the link alone gives the same page again."""

from __future__ import annotations

import os

from benchmarks.served import start
from benchmarks.visitor import Visitor
from serve.processes import free_ports

LINK = "source=sample&sample=tracts&group=T05&epsilon=8&trials=200&seed=3&algorithms=NoisyStats&algorithms=DPGDPure"


def told(visitor: Visitor) -> list[bytes]:
    """Headlines, sentences and tables of a page, as they are sent."""
    kinds = ("heading", "markdown", "metric", "dataframe")
    return [_content(kind, message) for kind, message in visitor.elements if kind in kinds]


def _content(kind: str, message) -> bytes:
    """Without the names that every session has of its own."""
    return message.arrow_data.data if kind == "dataframe" else message.body.encode()


def test_the_link_restores_the_state_on_a_new_server():
    (port,) = free_ports(1)
    address, first = f"http://127.0.0.1:{port}", start(port)
    try:
        before = Visitor(address, "compare", LINK)
        before.run()
        busy = Visitor(address, "sweep", "n_to=100000&values=20")  # works for minutes
        busy.begin()
        os.kill(first.pid, 9)
        assert first.wait(20) == -9
        second = start(port)
        try:
            after = Visitor(address, "compare", LINK)
            after.run()
            assert told(after) == told(before) and len(told(after)) > 10
            after.close()
        finally:
            second.kill()
            second.wait(20)
    finally:
        first.kill()
        first.wait(20)
