"""Steps that follow one another faster than a browser hears of them: it sends the address and widgets of before."""

from __future__ import annotations

from benchmarks.visitor import Visitor

FEW = "algorithms=NoisyStats&trials=20"


def data_line(visitor: Visitor) -> str:
    """The line about the data: their size and epsilon."""
    [line] = [
        message.body
        for message in visitor.of_kind("markdown")
        if message.body.startswith("Synthetic data")
    ]
    return str(line)


def test_a_step_stays_when_another_control_is_moved_before_its_page_is_there(address: str):
    """The second step is sent with the address and the slider of before the first."""
    visitor = Visitor(address, "compare", f"n=300&{FEW}")
    visitor.run()
    visitor.run(n_slider=["300"])  # from now on it is sent with every step
    visitor.begin(n="431")
    visitor.await_start("navigation")
    visitor.run(epsilon="7")
    assert "431 records · ε = 7 " in data_line(visitor)
    visitor.run(n_slider=["300"])  # the slider of 431: a step of its own
    visitor.close()
    assert "300 records · ε = 7 " in data_line(visitor)
