"""A freshly started server and Debian's chromium. Without chromium the tests are skipped, on CI they fail.

A failing test shows what the servers said, and what its pages said, asked for, sent and received; Playwright's trace of
each of its windows is kept in test-results/: `playwright show-trace FILE`.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error, sync_playwright

from benchmarks.served import served
from tests.e2e.browser import LIMIT, ROOT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
REAL_DATA = ROOT.parent / "shared" / "data"
TRACES = ROOT / "test-results"
MOST_SHOWN = 20_000  # letters of a log


@pytest.fixture(scope="session")
def chromium() -> Iterator:
    """The browser; its windows keep a trace, and wait for anything at most LIMIT seconds."""
    if not CHROMIUM:
        reason = "there is no chromium on this machine (Debian package: chromium)"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        new_context = browser.new_context

        def traced(**settings: Any):
            context = new_context(**settings)
            context.set_default_timeout(1000 * LIMIT)
            context.tracing.start(snapshots=True)
            return context

        browser.new_context = traced
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def closed_windows(chromium) -> Iterator[None]:
    """No window of an earlier test goes on drawing, holds a session of the server, or leaves settings behind."""
    yield
    for number, context in enumerate(chromium.contexts):
        visited = [page for page in context.pages if page.url.startswith("http")]
        for page in visited:
            with suppress(Error):  # a page that crashed has nothing to clear
                page.evaluate("localStorage.clear()")
        for page in context.pages:
            page.close()
        if (
            number or not visited
        ):  # the first keeps the files of the page and what was compiled of them
            context.close()
        else:
            with suppress(Error):  # the trace of a test that failed is stopped already
                context.tracing.stop()
            context.tracing.start(snapshots=True)


@contextmanager
def started(folder: Path) -> Iterator[str]:
    """A new server; its pages answer without asking, however slow the machine is. folder: what it says goes there."""
    environment: dict[str, str] = {}
    if REAL_DATA.is_dir():
        environment["DPSLR_DATA"] = str(REAL_DATA)
    with served(log=folder / "server.log", **(environment | dict(os.environ))) as (_, address):
        yield address


@pytest.fixture(scope="session")
def server_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what the server of all tests says."""
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="session")
def server(server_log: Path) -> Iterator[str]:
    """One for all tests that bring a session of their own and no more."""
    with started(server_log) as address:
        yield address


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[str]:
    """A server that has served nobody yet."""
    with started(tmp_path) as address:
        yield address


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, Any]:
    """With a failing test stands what happened: the windows are still open when it is called."""
    report = yield
    if call.when == "call" and report.failed:
        values = getattr(item, "funcargs", {})
        for name in ("server_log", "tmp_path"):
            log = values.get(name, Path()) / "server.log"
            if log.is_file():
                lines = log.read_text(encoding="utf-8", errors="replace")
                report.sections.append((f"server ({name})", lines[-MOST_SHOWN:]))
        for number, context in enumerate(
            values["chromium"].contexts if "chromium" in values else ()
        ):
            for page in context.pages:
                happened = "\n".join(getattr(page, "happened", ()))
                report.sections.append((f"browser at {page.url}", happened[-MOST_SHOWN:]))
            file = TRACES / f"{re.sub(r'[^-a-z0-9]+', '_', item.name)[:80]}-{number}.zip"
            with suppress(Error):
                context.tracing.stop(path=file)
                report.sections.append(("trace", str(file)))
    return report
