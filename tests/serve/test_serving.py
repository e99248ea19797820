"""Two server processes behind haproxy: headers, one worker for each browser, and no process left behind."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
import requests
from click.testing import CliRunner
from playwright.sync_api import sync_playwright

from benchmarks.visitor import Visitor
from serve import health, processes, proxy
from serve.__main__ import main
from serve.processes import Kept, free_ports

ROOT = Path(__file__).parents[2]
HAPROXY = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[psutil.Process, str]]:
    """The process of ``python -m serve --workers 2`` and its address."""
    if not HAPROXY:
        reason = "there is no haproxy on this machine (Debian package: haproxy)"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "serve", "--workers", "2", "--address", "127.0.0.1", "--port", str(port)]
    process = psutil.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    wait_for(lambda: healthy(address, "worker1") or healthy(address, "worker2"), 180)
    both = healthy(address, "worker1") and healthy(address, "worker2")
    assert both, "visitors are let in before both workers listen: they would all stay with the first one"
    try:
        yield process, address
    finally:
        if process.is_running():
            process.terminate()
            process.wait(60)


def healthy(address: str, worker: str) -> bool:
    """Whether this very worker answers."""
    try:
        answer = requests.get(f"{address}/_stcore/health", cookies={"dpslr_worker": worker}, timeout=5)
    except requests.RequestException:
        return False
    return answer.text == "ok" and "dpslr_worker" not in answer.cookies  # another one would name itself


def wait_for(true, seconds: float) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.2)


def foreign(address: str) -> int:
    """The status of the answer to a foreign page that wants a session."""
    headers = {
        "Origin": "http://elsewhere.example", "Connection": "Upgrade", "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    }  # fmt: skip
    return requests.get(f"{address}/_stcore/stream", headers=headers, timeout=30).status_code


def test_without_haproxy_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(proxy.shutil, "which", lambda *_, **__: None)
    ran = CliRunner().invoke(main, ["--workers", "2"])
    assert ran.exit_code == 1 and ran.output.strip() == f"Error: {proxy.MISSING}"


def test_the_configuration_names_the_workers_the_headers_and_the_certificate():
    plain, secure = (proxy.configuration("0.0.0.0", 80, [9001, 9002], file) for file in (None, Path("/x.pem")))
    assert not re.search(r"\$[a-z]", plain)
    assert "bind 0.0.0.0:80\n" in plain and "bind 0.0.0.0:80 ssl crt /x.pem" in secure
    assert "server worker2 127.0.0.1:9002 cookie worker2" in plain and " secure " in secure
    for header in ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Strict-Transport-Security"):
        assert header in plain
    assert "'unsafe-eval'" not in plain and re.search(r"script-src 'self' 'sha256-", plain)


def test_a_host_that_is_no_name_is_refused_in_a_sentence():
    for host in ("dpslr.example.org:443", "https://dpslr.example.org", "a b", 'x" if TRUE', ""):
        ran = CliRunner().invoke(main, ["--host", host])
        assert ran.exit_code == 1 and "a host must be a name such as dpslr.example.org" in ran.output
    assert {"localhost", socket.gethostname().lower(), "a.example"} <= set(proxy.host_names(["A.example."]))


def test_a_process_starts_after_those_that_it_waits_for_and_at_the_latest_after_a_minute(monkeypatch):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        waiting = Kept("waiting", [sys.executable, "-c", "pass"], after=other.getsockname()[1:2])
        waiting.look()
        assert waiting.process is None
        monkeypatch.setattr(processes, "_LATEST", -1.0)
        waiting.look()
        assert waiting.process is not None
        waiting.stop()
        monkeypatch.undo()
        other.listen()
        next_one = Kept("next", [sys.executable, "-c", "pass"], after=other.getsockname()[1:2])
        next_one.look()
        assert next_one.process is not None
        next_one.stop()


def test_a_taken_port_is_refused_in_a_sentence(served):
    port = served[1].rpartition(":")[2]
    ran = CliRunner().invoke(main, ["--address", "127.0.0.1", "--port", port])
    assert ran.exit_code == 1 and "cannot listen on" in ran.output


def test_a_name_that_nobody_gave_to_the_server_is_refused_whatever_is_asked_for(served):
    """DNS rebinding: a foreign page's own name leads here, so that Host and Origin agree."""
    address = served[1]
    port = address.rpartition(":")[2]
    for name in (f"elsewhere.example:{port}", "elsewhere.example", "localhost.example", "127.0.0.1.example", "x]", ""):
        for path in ("/", "/_stcore/health", "/_stcore/stream", "/media/x", "/_stcore/upload_file/a/b"):
            headers = {"Host": name, "Origin": f"http://{name}"}
            answer = requests.get(address + path, headers=headers, timeout=30)
            assert (answer.status_code, answer.text) == (421, proxy.REFUSED), (name, path)
    own = ("localhost", f"LOCALHOST:{port}", f"127.0.0.1:{port}", "192.168.1.5", f"[::1]:{port}", socket.gethostname())
    for name in own:
        assert requests.get(f"{address}/_stcore/health", headers={"Host": name}, timeout=30).text == "ok", name


def test_the_health_check_asks_the_app_and_not_the_proxy(served, tmp_path):
    asked = [sys.executable, "-m", "serve.health", served[1].rpartition(":")[2]]
    assert subprocess.run(asked, cwd=ROOT).returncode == 0
    unused, port = free_ports(2)
    assert not health.answers(port, secure=False)
    file = tmp_path / "haproxy.cfg"
    file.write_text(proxy.configuration("127.0.0.1", port, [unused]), encoding="utf-8")
    with subprocess.Popen([proxy.found(), "-q", "-db", "-f", str(file)]) as alone:
        try:
            wait_for(lambda: processes._listens(port), 60)
            assert not health.answers(port, secure=False)
        finally:
            alone.terminate()


def test_every_answer_has_the_security_headers(served):
    for path in ("/", "/_stcore/health", "/compare", "/static/nothing.js"):
        headers = requests.get(served[1] + path, timeout=30).headers
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
        assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
        assert "Server" not in headers


def test_browsers_are_spread_and_each_stays_with_its_worker(served):
    """Also with an upload, which only the worker of the session takes, and only with its token."""
    visitors = [Visitor(served[1], "start") for _ in range(2)]

    def upload(whose: int, sent_by: int, token: bool) -> int:
        path = f"/_stcore/upload_file/{visitors[whose].session}/some-file"
        return visitors[sent_by].send_file(path, "data.csv", b"x,y\n0,1\n", token)

    for visitor in visitors:
        visitor.run()
    answers = [upload(*each) for each in ((0, 0, True), (1, 1, True), (0, 1, True), (0, 0, False))]
    for visitor in visitors:
        visitor.close()
    assert answers == [204, 204, 400, 403]
    assert {visitor.cookies["dpslr_worker"] for visitor in visitors} == {"worker1", "worker2"}


@pytest.mark.skipif(not shutil.which("chromium"), reason="there is no chromium on this machine")
def test_no_page_needs_what_the_policy_forbids(served):
    """Charts of both libraries, formulas and the upload are drawn, and the browser reports nothing it has refused."""
    with ThreadPoolExecutor(1) as apart:  # another test's playwright may have an event loop in this thread
        assert apart.submit(refused_on_pages, served[1]).result() == []


def refused_on_pages(address: str) -> list[str]:
    refused: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        window = browser.new_page()
        window.set_default_timeout(180_000)
        window.on("console", lambda said: refused.append(said.text) if "Content Security Policy" in said.text else None)
        for page, drawn in (
            ("compare?trials=20", '[data-testid="stVegaLiteChart"] svg, [data-testid="stVegaLiteChart"] canvas'),
            ("privacy?trials=20", ".js-plotly-plot .main-svg"),
            ("methods", ".katex"),
            ("data?source=upload", '[data-testid="stFileUploader"]'),
        ):
            window.goto(f"{address}/{page}")
            window.locator(drawn).first.wait_for()
        browser.close()
    return refused


def test_what_a_worker_counts_is_not_shown_and_a_download_is_not_stored_on_the_way(served):
    _, address = served
    for path in ("/_stcore/metrics", "/_stcore/%6Detrics", "/_stcore/metrics?families=x", "/_STCORE/metrics"):
        assert requests.get(address + path, timeout=30).status_code == 404
    visitor = Visitor(address, "compare", "trials=20&algorithms=NoisyStats")
    visitor.run()
    answer = visitor.http.get(address + visitor.download("take_compare.csv"), timeout=30)
    visitor.close()
    assert answer.status_code == 200 and answer.headers["Cache-Control"] == "no-store"


def test_new_visitors_are_answered_while_a_worker_is_dead(served):
    process, address = served
    wait_for(lambda: healthy(address, "worker1") and healthy(address, "worker2"), 120)
    visitors = [requests.Session() for _ in range(8)]
    for visitor in visitors:  # the connections to both workers stay open
        assert visitor.get(address, timeout=30).ok
    workers = [each for each in process.children() if "streamlit" in " ".join(each.cmdline())]
    workers[0].kill()
    answers = [requests.get(address, timeout=30).status_code for _ in range(60)]
    assert set(answers) == {200}
    wait_for(lambda: healthy(address, "worker1") and healthy(address, "worker2"), 120)


def test_a_worker_that_dies_is_replaced_and_its_browsers_are_answered_meanwhile(served):
    process, address = served
    workers = [each for each in process.children() if "streamlit" in " ".join(each.cmdline())]
    workers[0].kill()
    wait_for(lambda: requests.get(address, cookies={"dpslr_worker": "worker1"}, timeout=30).ok, 30)
    wait_for(lambda: healthy(address, "worker1"), 120)
    assert len([each for each in process.children() if each.is_running()]) == 3


def test_a_signal_ends_all_processes(served):
    process, _ = served
    children = process.children(recursive=True)
    assert len(children) >= 3
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert not psutil.wait_procs(children, timeout=30)[1]


def test_a_process_that_dies_at_once_is_started_again_later_each_time(capfd):
    kept = Kept("it", [sys.executable, "-c", "raise SystemExit(3)"])
    kept.start()
    assert kept.process is not None
    kept.process.wait()
    kept.look()
    assert kept.process.wait() == 3 and "it ended with 3; starting it again" not in capfd.readouterr().err
    wait_for(lambda: (kept.look(), kept._pause > 0.5)[1], 30)
    assert "it ended with 3; starting it again" in capfd.readouterr().err
    kept.stop()
