"""Steps that follow one another faster than a browser hears of them: it sends the address and widgets of before."""

from __future__ import annotations

import time
from contextlib import suppress

import requests
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.served import served
from benchmarks.visitor import Visitor
from ui.sessions import LOOKS, REPLACED

FEW = "algorithms=NoisyStats&trials=20"


def data_line(visitor: Visitor) -> str:
    """The line about the data: their size and epsilon."""
    [line] = [message.body for message in visitor.of_kind("markdown") if message.body.startswith("Synthetic data: ")]
    return str(line)


def test_a_step_stays_when_another_control_is_moved_before_its_page_is_there(address: str):
    """The second step is sent with the address and the slider of before the first."""
    visitor = Visitor(address, "compare", f"n=300&{FEW}")
    visitor.run()
    visitor.run(n_slider=["300"])  # from now on it is sent with every step
    visitor.begin(n_box="431")
    visitor.await_start("navigation")
    visitor.run(epsilon_box="7")
    assert "n = 431, ε = 7 " in data_line(visitor)
    visitor.run(n_slider=["300"])  # the slider of 431: a step of its own
    visitor.close()
    assert "n = 300, ε = 7 " in data_line(visitor)


def test_the_last_of_quick_steps_of_one_control_counts(address: str):
    visitor = Visitor(address, "compare", f"n=300&{FEW}")
    visitor.run()
    for number in (431, 432, 433):
        visitor.begin(n_box=str(number))
        visitor.await_start("navigation")
    visitor.run()
    visitor.close()
    assert "n = 433, " in data_line(visitor)


def has_finished(visitor: Visitor) -> bool:
    """Whether the run has ended by now, by all that the server has sent."""
    with suppress(TimeoutError):
        while True:
            answer = ForwardMsg.FromString(visitor.socket.recv(timeout=0, decode=False))
            if answer.WhichOneof("type") == "script_finished":
                return True
    return False


def test_buttons_of_the_page_that_is_shown_work_however_long_the_next_one_takes():
    """The first of two steps is stopped for the second, which takes longer than replaced buttons are kept."""
    with served(DPSLR_SECONDS_AT_ONCE="1000") as (_, address):  # or the page would ask first, and be complete
        visitor = Visitor(address, "compare", "n=1000&algorithms=DPExpTheilSen&algorithms=DPWideTheilSen")
        visitor.run()
        for size in (900_000, 1_000_000):
            visitor.begin(n_box=str(size))
            visitor.await_start("navigation")
        time.sleep(REPLACED + 2 * LOOKS)
        assert not has_finished(visitor), "nothing is tested: the page was complete before the click"
        answer = requests.get(address + visitor.download("take_compare.csv"), timeout=60)
        visitor.close()
    assert answer.status_code == 200 and len(answer.content) > 100
