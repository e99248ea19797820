"""A freshly started server and Debian's chromium. Without chromium the tests are skipped, on CI they fail."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.served import served

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


@contextmanager
def started() -> Iterator[str]:
    """A new server; its pages answer without asking, however slow the machine is."""
    environment = {"DPSLR_SECONDS_AT_ONCE": "100"}
    if REAL_DATA.is_dir():
        environment["DPSLR_DATA"] = str(REAL_DATA)
    with served(**(environment | dict(os.environ))) as (_, address):
        yield address


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """One for all tests that bring a session of their own and no more."""
    with started() as address:
        yield address


@pytest.fixture
def fresh_server() -> Iterator[str]:
    """A server that has served nobody yet."""
    with started() as address:
        yield address
