"""A page that has lost its session goes on with the settings of its address, on every page, and says what is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.served import start
from benchmarks.visitor import Visitor
from serve.processes import free_ports
from tests.e2e.browser import (
    COMPUTING,
    EPSILON_BOX,
    UPLOADER,
    address_says,
    no_errors,
    open_page,
    settled,
    text,
    turn,
    typed,
    until,
    watch,
)

LINK = "compare?epsilon=0.5&n=60&algorithms=NoisyStats&data_seed=7&trials=20"
PARTS = ("n=60", "algorithms=NoisyStats", "data_seed=7", "trials=20")
ODDS = {
    "0.5": "The promise allows 1.65",
    "1": "The promise allows 2.72",
    "3": "The promise allows 20.1",
}


def connections(page) -> int:
    return sum("connected" in each.split() for each in page.happened)


def runs(page) -> int:
    """How many runs the browser has asked for."""
    return sum("sent rerun_script" in each for each in page.happened)


def cuttable() -> tuple[Callable, Callable]:
    """Two functions: one prepares a page, the other cuts the connections of all prepared pages."""
    sockets = []

    def through(route) -> None:
        sockets.append((route, route.connect_to_server()))

    def drop() -> None:
        open_now, sockets[:] = sockets[:], []  # those that the browser opens meanwhile stay
        for ends in open_now:
            for end in ends:
                end.close()

    return lambda page: page.route_web_socket(re.compile("/_stcore/stream"), through), drop


def lose(pages, cut: Callable[[], None]) -> None:
    """Cut the connections, and wait until all pages have come back and have been drawn."""
    before = [connections(page) for page in pages]
    cut()
    for page, times in zip(pages, before, strict=True):
        until(
            page,
            lambda page=page, times=times: connections(page) > times,
            "a new connection",
            COMPUTING,
        )
        settled(page, pause=1000)


def changed(page, epsilon: str) -> None:
    """Another epsilon, in the page that came back."""
    typed(page, EPSILON_BOX, epsilon)
    page.wait_for_url(re.compile(rf"epsilon={epsilon}\b"))


def has_its_settings(page, epsilon: str) -> None:
    """On another page, in the address and in the answer."""
    turn(page, "Privacy")
    no_errors(page)
    page.wait_for_url(re.compile(rf"epsilon={epsilon}\b"))
    assert all(part in page.url for part in PARTS)
    assert ODDS[epsilon] in text(page)


def untouched_and_touched(untouched, touched, cut: Callable[[], None], epsilon: str) -> None:
    lose([untouched, touched], cut)
    assert all(part in untouched.url for part in ("epsilon=0.5", *PARTS))
    changed(touched, epsilon)
    has_its_settings(untouched, "0.5")
    has_its_settings(touched, epsilon)


@pytest.mark.timeout(900)  # a story of six runs of pages, each with a limit of its own
def test_a_dropped_connection_and_a_restarted_server(chromium, tmp_path: Path):
    """First of a session that is still there."""
    (port,) = free_ports(1)
    servers, address = [start(port)], f"http://127.0.0.1:{port}"
    prepare, drop = cuttable()

    def restart() -> None:
        servers[-1].kill()
        servers[-1].wait(20)
        servers.append(start(port))

    try:
        pages = [open_page(chromium, address, LINK, prepare=prepare) for _ in range(2)]
        untouched_and_touched(*pages, drop, "1")
        for page in pages:
            turn(page, "Compare")
        lost = open_page(chromium, address, "data?source=upload&trials=20")
        file = tmp_path / "mine.csv"
        file.write_text("hours,score\n" + "".join(f"{i % 10},{40 + i % 7}\n" for i in range(60)))
        lost.locator(UPLOADER).set_input_files(file)
        lost.get_by_text("What each column was read as").wait_for()
        untouched_and_touched(*pages, restart, "3")
        settled(lost)
        no_errors(lost)
        lost.get_by_text(
            "A file stays for one session: upload an earlier one again."
        ).first.wait_for()
    finally:
        servers[-1].kill()
        servers[-1].wait(20)


def test_steps_whose_runs_were_cut_stay_on_the_page_and_on_the_next(chromium, server):
    """A browser draws nothing of a run that is cut, or drops the widgets that were not drawn yet."""
    prepare, drop = cuttable()
    page = open_page(chromium, server, LINK, prepare=prepare)
    for epsilon in ("1", "1.2", "1.4", "1.6", "3"):
        before = connections(page)
        typed(page, EPSILON_BOX, epsilon)
        page.wait_for_timeout(100)
        drop()
        until(page, lambda before=before: connections(page) > before, "a new connection")
        page.wait_for_timeout(500)
    has_its_settings(page, "3")
    assert page.locator(EPSILON_BOX).input_value() == "3"


def test_a_run_whose_drawing_never_arrived(chromium, server):
    """Streamlit drops what is not sent yet when another run starts."""
    lost: list[bool] = []

    def through(route) -> None:
        upwards = route.connect_to_server()

        def downwards(message) -> None:
            if lost or ForwardMsg.FromString(message).WhichOneof("type") != "delta":
                route.send(message)

        upwards.on_message(downwards)
        route.on_message(upwards.send)

    page = chromium.new_context().new_page()
    watch(page)
    page.route_web_socket(re.compile("/_stcore/stream"), through)
    page.goto(f"{server}/compare?n=333&var_x=0.02&slope=0.7&algorithms=NoisyStats&seed=4")
    until(
        page,
        lambda: any("FINISHED_SUCCESSFULLY" in each for each in page.happened),
        "a finished run",
    )
    lost.append(True)
    before = runs(page)

    def asked() -> bool:
        """A page that is still starting hears no key."""
        page.keyboard.press("r")
        return runs(page) > before

    until(page, asked, "a run that the browser asks for", pause=300)
    settled(page)
    changed(page, "3")
    address_says(
        page, "n=333", "var_x=0.02", "slope=0.7", "algorithms=NoisyStats&", "seed=4", "epsilon=3"
    )
    assert page.locator(".st-key-n input").input_value() == "333"
    until(
        page,
        lambda: "333" in page.locator(".st-key-n_slider").inner_text(),
        "the slider at the number of its box",
    )


def test_another_page_is_turned_to_before_the_first_has_been_drawn(server):
    """The browser has heard of no setting, so that it has none to send."""
    first = Visitor(server, "methods")
    first.run()  # the server has imported everything
    first.close()
    visitor = Visitor(server, *LINK.split("?"))
    visitor.begin()
    visitor.await_start("navigation")
    visitor.page, visitor.query = "privacy", ""
    drawn = visitor.run()
    visitor.close()
    assert [message for _, message in drawn if ODDS["0.5"].encode() in message.SerializeToString()]
    assert all(part in visitor.query for part in ("epsilon=0.5", *PARTS))
