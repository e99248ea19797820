"""A freshly started server and Debian's chromium. Without chromium the tests are skipped, on CI they fail."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
REAL_DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def chromium() -> Iterator:
    if not CHROMIUM:
        reason = "there is no chromium on this machine (Debian package: chromium)"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def closed_windows(chromium) -> Iterator[None]:
    """No window of an earlier test goes on drawing, holds a session of the server, or leaves settings behind."""
    yield
    for number, context in enumerate(chromium.contexts):
        for page in context.pages:
            if page.url.startswith("http"):
                page.evaluate("localStorage.clear()")
            page.close()
        if number:  # the first keeps the files of the page and what was compiled of them
            context.close()


def start_server() -> tuple[subprocess.Popen[bytes], str]:
    """A new server process on a free port, and its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {"DPSLR_SECONDS_AT_ONCE": "100", **os.environ}  # pages answer, however slow the machine is
    if "DPSLR_DATA" not in environment and REAL_DATA.is_dir():
        environment["DPSLR_DATA"] = str(REAL_DATA)
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    process = subprocess.Popen(
        [*command, "--server.address", "127.0.0.1"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    for _ in range(900):
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1) as answer:
                if answer.read() == b"ok":
                    return process, address
        except OSError:
            time.sleep(0.2)
    process.kill()
    raise RuntimeError("the server did not answer within 3 minutes")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """One for all tests that bring a session of their own and no more."""
    process, address = start_server()
    yield address
    process.terminate()
    process.wait(10)


@pytest.fixture
def fresh_server() -> Iterator[str]:
    """A server that has served nobody yet."""
    process, address = start_server()
    yield address
    process.terminate()
    process.wait(10)
