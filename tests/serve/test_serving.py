"""Two server processes behind haproxy: headers, one worker for each browser, and no process left behind."""

from __future__ import annotations

import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
import requests
from click.testing import CliRunner
from playwright.sync_api import sync_playwright

from benchmarks.visitor import Visitor
from serve import processes, proxy
from serve.__main__ import main
from serve.processes import free_ports
from tests.serve.servers import (
    STARTS,
    both_healthy,
    need_haproxy,
    running,
    wait_for,
    workers_of,
)

SECONDS = 30  # for an answer


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[psutil.Process, str]]:
    """The process of ``python -m serve --workers 2`` and its address."""
    need_haproxy()
    (port,) = free_ports(1)
    options = ["--workers", "2", "--address", "127.0.0.1", "--port", str(port)]
    with running([sys.executable, "-m", "serve", *options]) as process:
        wait_for(lambda: processes._listens(port), "the proxy", STARTS)
        ports = [int(worker.cmdline()[-1]) for worker in workers_of(process)]
        assert len(ports) == 2 and all(map(processes._listens, ports)), (
            "visitors are let in before both workers listen: they would all stay with the first one"
        )
        address = f"http://127.0.0.1:{port}"
        both_healthy(address)
        yield process, address


def test_a_taken_port_is_refused_in_a_sentence(served):
    port = served[1].rpartition(":")[2]
    ran = CliRunner().invoke(main, ["--address", "127.0.0.1", "--port", port])
    assert ran.exit_code == 1 and "cannot listen on" in ran.output


def test_a_name_that_nobody_gave_to_the_server_is_refused_whatever_is_asked_for(served):
    """DNS rebinding: a foreign page's own name leads here, so that Host and Origin agree."""
    address = served[1]
    port = address.rpartition(":")[2]
    for name in (
        f"elsewhere.example:{port}",
        "localhost.example",
        "x]",
        "",
    ):
        for path in (
            "/",
            "/_stcore/health",
            "/_stcore/stream",
            "/_stcore/upload_file/a/b",
        ):
            headers = {"Host": name, "Origin": f"http://{name}"}
            answer = requests.get(address + path, headers=headers, timeout=SECONDS)
            assert (answer.status_code, answer.text) == (421, proxy.REFUSED), (name, path)
    own = (
        "localhost",
        f"LOCALHOST:{port}",
        f"127.0.0.1:{port}",
        "192.168.1.5",
        f"[::1]:{port}",
        socket.gethostname(),
    )
    for name in own:
        answer = requests.get(f"{address}/_stcore/health", headers={"Host": name}, timeout=SECONDS)
        assert answer.text == "ok", name


def test_answers_have_the_security_headers_and_what_a_worker_counts_is_not_shown(served):
    address = served[1]
    for path in ("/", "/_stcore/health", "/compare", "/static/nothing.js"):
        headers = requests.get(address + path, timeout=SECONDS).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Security-Policy"] == proxy.policy()
        assert "Server" not in headers
    for path in (
        "/_stcore/metrics",
        "/_stcore/%6Detrics",
        "/_stcore/metrics?families=x",
        "/_STCORE/metrics",
    ):
        assert requests.get(address + path, timeout=SECONDS).status_code == 404


def test_browsers_are_spread_and_each_stays_with_its_worker(served):
    """Also with an upload, which only the worker of the session takes, and only with its token."""
    visitors = [Visitor(served[1], "compare", "trials=20&algorithms=NoisyStats") for _ in range(2)]

    def upload(owner: int, sent_by: int, token: bool) -> int:
        path = f"/_stcore/upload_file/{visitors[owner].session}/some-file"
        return visitors[sent_by].send_file(path, "data.csv", b"x,y\n0,1\n", token)

    for visitor in visitors:
        visitor.run()
    assert [upload(0, 0, True), upload(1, 1, True), upload(0, 1, True), upload(0, 0, False)] == [
        204,
        204,
        400,
        403,
    ]
    first = visitors[0]
    answer = first.http.get(served[1] + first.download("csv_ranking"), timeout=SECONDS)
    assert answer.status_code == 200 and answer.headers["Cache-Control"] == "no-store"
    for visitor in visitors:
        visitor.close()
    assert {visitor.cookies["dpslr_worker"] for visitor in visitors} == {"worker1", "worker2"}


@pytest.mark.skipif(not shutil.which("chromium"), reason="there is no chromium on this machine")
def test_no_page_needs_what_the_policy_forbids(served):
    """Charts of both libraries, formulas and the upload are drawn, and the browser reports nothing it has refused."""
    with ThreadPoolExecutor(
        1
    ) as apart:  # another test's playwright may have an event loop in this thread
        assert apart.submit(refused_on_pages, served[1]).result() == []


def refused_on_pages(address: str) -> list[str]:
    refused: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        window = browser.new_page()
        window.set_default_timeout(120_000)  # a page is computed, too
        window.on(
            "console",
            lambda line: (
                refused.append(line.text) if "Content Security Policy" in line.text else None
            ),
        )
        for page, drawn in (
            (
                "compare?trials=20&algorithms=NoisyStats",
                '[data-testid="stVegaLiteChart"] svg, [data-testid="stVegaLiteChart"] canvas',
            ),
            ("privacy?trials=20", ".js-plotly-plot .main-svg"),
            ("methods?card=NoisyStats", ".katex"),
            ("data?source=upload", '[data-testid="stFileUploader"]'),
        ):
            window.goto(f"{address}/{page}")
            window.locator(drawn).first.wait_for()
        browser.close()
    return refused


@pytest.fixture
def whole(served) -> tuple[psutil.Process, str]:
    """The server with both workers, whatever an earlier test has killed."""
    both_healthy(served[1])
    return served


def test_new_visitors_are_answered_while_a_worker_is_dead_and_it_is_replaced(whole):
    process, address = whole
    visitors = [requests.Session() for _ in range(8)]
    for visitor in visitors:  # the connections to both workers stay open
        assert visitor.get(address, timeout=SECONDS).ok
    workers_of(process)[0].kill()
    answers = [requests.get(address, timeout=SECONDS).status_code for _ in range(60)]
    assert set(answers) == {200}
    cookies = {"dpslr_worker": "worker1"}
    wait_for(
        lambda: requests.get(address, cookies=cookies, timeout=SECONDS).ok,
        "an answer to the dead worker's browser",
    )
    both_healthy(address)
    assert len([child for child in process.children() if child.is_running()]) == 3


def test_a_signal_ends_all_processes(whole):
    process, _ = whole
    children = process.children(recursive=True)
    assert len(children) >= 3
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert not psutil.wait_procs(children, timeout=60)[1]
