"""A page that has lost its session goes on with the settings of its address, on every page, and says what is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from test_browser import no_errors, open_page, settled, text

from benchmarks.served import served, start
from benchmarks.visitor import Visitor
from serve.processes import free_ports
from serve.proxy import found

LINK = "compare?epsilon=0.5&n=60&algorithms=NoisyStats&data_seed=7&trials=20"
ODDS = {"0.5": "e^ε = 1.65", "1": "e^ε = 2.72"}


def connections(page) -> int:
    return sum("connected" in each.split() for each in page.happened)


def lose(pages, cut: Callable[[], None]) -> None:
    """Cut the connections, and wait until all pages have come back and have been drawn."""
    before = [connections(page) for page in pages]
    cut()
    for page, times in zip(pages, before, strict=True):
        while connections(page) == times:
            page.wait_for_timeout(100)
        page.wait_for_timeout(500)
        settled(page)


def changed(page) -> None:
    """Another epsilon, in the page that came back."""
    box = page.locator(".st-key-epsilon_box input")
    box.fill("1")
    box.press("Enter")
    page.wait_for_url(re.compile(r"epsilon=1\b"))
    settled(page)


def has_its_settings(page, epsilon: str) -> None:
    """On another page, in the address and in the answer."""
    page.locator('[data-testid="stTopNavLink"]', has_text="Privacy").click()
    page.wait_for_url("**/privacy?*")
    settled(page)
    no_errors(page)
    page.wait_for_url(re.compile(rf"epsilon={epsilon}\b"))
    for part in ("n=60", "algorithms=NoisyStats", "data_seed=7", "trials=20"):
        assert part in page.url
    assert ODDS[epsilon] in text(page)


def untouched_and_touched(untouched, touched, cut: Callable[[], None]) -> None:
    lose([untouched, touched], cut)
    assert LINK.split("?")[1] in untouched.url
    changed(touched)
    has_its_settings(untouched, "0.5")
    has_its_settings(touched, "1")


def test_a_restarted_server(chromium, tmp_path: Path):
    (port,) = free_ports(1)
    servers = [start(port)]
    address = f"http://127.0.0.1:{port}"

    def cut() -> None:
        servers[-1].kill()
        servers[-1].wait(20)
        servers.append(start(port))

    try:
        pages = [open_page(chromium, address, LINK) for _ in range(2)]
        lost = open_page(chromium, address, "data?source=upload&trials=20")
        file = tmp_path / "mine.csv"
        file.write_text("hours,score\n" + "".join(f"{i % 10},{40 + i % 7}\n" for i in range(60)))
        lost.locator('[data-testid="stFileUploader"] input').set_input_files(file)
        lost.get_by_text("What each column was read as").wait_for()
        untouched_and_touched(*pages, cut)
        settled(lost)
        no_errors(lost)
        lost.get_by_text("which is not here: a file ends with its session. Upload it again.").wait_for(timeout=30_000)
    finally:
        servers[-1].kill()
        servers[-1].wait(20)


def test_a_killed_worker_behind_the_proxy(chromium):
    try:
        found()
    except FileNotFoundError:
        pytest.skip("there is no haproxy on this machine (Debian package: haproxy)")
    with served(2) as (process, address):
        pages = [open_page(chromium, address, LINK) for _ in range(2)]
        (mine,) = {each["value"] for each in pages[0].context.cookies(address) if each["name"] == "dpslr_worker"}
        workers = [each for each in psutil.Process(process.pid).children() if "streamlit" in each.cmdline()]
        workers.sort(key=psutil.Process.create_time)
        untouched_and_touched(*pages, workers[int(mine.removeprefix("worker")) - 1].kill)


def test_a_dropped_connection(chromium, server):
    """Of a session that is still there."""
    sockets, pages = [], [open_page(chromium, server, LINK, fresh=True) for _ in range(2)]

    def through(route) -> None:
        sockets.append((route, route.connect_to_server()))

    for page in pages:
        page.route_web_socket(re.compile("/_stcore/stream"), through)
        page.reload()
        settled(page)

    def cut() -> None:
        for route, to_server in sockets[:]:
            route.close()
            to_server.close()

    untouched_and_touched(*pages, cut)


def test_another_page_is_turned_to_before_the_first_has_been_read():
    """As after a restart, where a whole class comes back at once: first while the server still imports, then later."""
    with served() as (_, address):
        for _ in range(2):
            visitor = Visitor(address, *LINK.split("?"))
            visitor.begin()
            visitor.await_start("navigation")
            visitor.page, visitor.query = "privacy", ""
            drawn = visitor.run()
            visitor.close()
            assert [message for _, message in drawn if ODDS["0.5"].encode() in message.SerializeToString()]
            for part in ("epsilon=0.5", "n=60", "algorithms=NoisyStats", "data_seed=7", "trials=20"):
                assert part in visitor.query
