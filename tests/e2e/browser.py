"""What the browser's tests share: pages that are opened, waits with a limit and a name, and what a page shows."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlparse

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ROOT = Path(__file__).parents[2]
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
TWO = "algorithms=NoisyIntercept&algorithms=DPExpTheilSen"  # where it does not matter which: those with fast laws
SHOWN_IN_FULL = (
    "backend_operation_request",
    "backend_operation_response",
    "script_finished",
)  # messages
STEPS = ("sent rerun_script", "received new_session", "received script_finished")  # of a run
LIMIT, COMPUTING = 60, 120  # seconds of a wait: for the browser, and for what is computed

MENUS = {"Learn": ("Lesson", "Privacy", "Methods"), "Research": ("Paper", "Findings")}
CHART = '[data-testid="stPlotlyChart"] .main-svg, [data-testid="stVegaLiteChart"] .marks'  # by plotly or by vega
EPSILON_BOX = ".st-key-epsilon input"
UPLOADER = '[data-testid="stFileUploader"] input'
# The script is done, nothing is faded because it is being drawn anew, and both for a while without a break.
QUIET = """pause => {
    const app = document.querySelector('[data-testid="stApp"]'), now = performance.now();
    const quiet = document.querySelector('[data-testid="stMain"] h1') && !document.querySelector('[data-stale="true"]')
        && app && app.dataset.testScriptState === 'notRunning';
    window.quietSince = quiet ? (window.quietSince ?? now) : undefined;
    return quiet && now - window.quietSince >= pause; }"""
STILL = """() => document.getAnimations().every(
    each => each.playState !== 'running' || each.effect.getComputedTiming().iterations === Infinity)"""


def open_page(browser, address, path="", size=(1280, 720), fresh=False, prepare=lambda page: None):
    """A settled page, prepared before it is opened.

    Unless it must be a fresh browser's, the files of the page may come from the browser's cache.
    """
    contexts = [] if fresh else browser.contexts
    context = contexts[0] if contexts else browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    watch(page)
    prepare(page)
    page.goto(f"{address}/{path}")
    return settled(page)


def watch(page) -> None:
    """Keep what the page says, asks for, sends and receives: no_errors looks at it, and a failing test shows it."""
    page.requested, page.happened = [], []

    def note(what: str, more: object = "") -> None:
        page.happened.append(f"{time.strftime('%H:%M:%S')} {what} {more}"[:300])

    def message(kind, what: str, data) -> None:
        if (
            isinstance(data, bytes)
            and (name := kind.FromString(data).WhichOneof("type")) != "delta"
        ):
            note(what, f"{name} {kind.FromString(data)}" if name in SHOWN_IN_FULL else name)

    def connected(socket) -> None:
        note("connected")
        socket.on("framesent", partial(message, BackMsg, "sent"))
        socket.on("framereceived", partial(message, ForwardMsg, "received"))
        socket.on("close", lambda _: note("disconnected"))

    page.on(
        "request", lambda request: (page.requested.append(request.url), note("asked", request.url))
    )
    page.on("console", lambda line: note("said", line.text))
    page.on("pageerror", lambda error: note("failed", error))
    page.on("download", lambda file: note("downloaded", file.url))
    page.on("websocket", connected)


def more_settings(page) -> None:
    """Open what is folded in the sidebar."""
    page.locator(".st-key-more_settings summary").first.click()


def settled(page, pause=700):
    """Wait until the script has run and nothing has moved for a while, in milliseconds."""
    last = time.monotonic() + COMPUTING
    while True:
        page.evaluate("window.quietSince = undefined")
        page.wait_for_function(QUIET, arg=pause, timeout=1000 * COMPUTING)
        steps = [
            line for line in getattr(page, "happened", ()) if any(step in line for step in STEPS)
        ]
        if not steps or (STEPS[-1] in steps[-1] and "EARLY" not in steps[-1]):
            return page
        assert time.monotonic() < last, (
            f"waited {COMPUTING} seconds for the end of a run in vain: {steps[-1]}"
        )


def until(
    page, true: Callable[[], bool], awaited: str, seconds: float = LIMIT, pause: int = 100
) -> None:
    """Wait until something is true of a page, looking every `pause` milliseconds; else fail with its name."""
    last = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < last, f"waited {seconds:g} seconds for {awaited} in vain"
        page.wait_for_timeout(pause)


def address_says(page, *parts: str) -> None:
    """Wait until the address has these parts: the browser writes bound settings a moment after the script has run."""
    until(
        page, lambda: all(part in page.url for part in parts), f"an address with {', '.join(parts)}"
    )


def settings(page) -> dict[str, list[str]]:
    """What the address says."""
    return parse_qs(urlparse(page.url).query)


def address_has(page, wanted: dict[str, list[str]]) -> None:
    """Wait until the address has these settings, among others."""
    try:
        until(page, lambda: wanted.items() <= settings(page).items(), "settings in the address")
    except AssertionError:
        assert settings(page) == wanted  # says what is missing


def turn(page, name: str) -> None:
    """Turn to another page by the menu, of which some pages are folded away."""
    link = page.locator(
        '[data-testid="stTopNavLink"], [data-testid="stTopNavDropdownLink"]', has_text=name
    )

    def in_sight() -> bool:
        """A menu closes where the page is drawn anew: it is opened again."""
        for menu, names in MENUS.items():
            if name in names and not link.is_visible():
                page.locator('[data-testid="stTopNavSection"]', has_text=menu).click()
        return bool(link.is_visible())

    until(page, in_sight, f"the link to {name}", pause=1000)
    link.click()
    page.wait_for_url(f"**/{name.lower().replace(' ', '_')}*")
    settled(page)


def typed(page, selector: str, text: str) -> None:
    """Type a text into a box, and Enter."""
    box = page.locator(selector)
    box.fill(text)
    box.press("Enter")


def text(page) -> str:
    return page.inner_text('[data-testid="stMain"]')


def headline(page) -> str:
    return page.locator('[data-testid="stMain"] h2').first.inner_text()


def no_errors(page) -> None:
    """A page with its sidebar, without an error, that has asked no other host for anything."""
    assert page.locator('[data-testid="stException"]').count() == 0
    assert "has encountered an error" not in text(page)
    assert page.locator(".st-key-epsilon").count() == 1
    hosts = {urlparse(url).hostname for url in page.requested if url.startswith(("http", "ws"))}
    assert hosts <= {"127.0.0.1"}


def charts(page) -> list[str]:
    """The accessible names of the charts: the sentences that say what they show."""
    page.locator(CHART).first.wait_for()
    labels = page.locator("[aria-label]:not(button)").evaluate_all(
        "all => all.map(each => each.ariaLabel)"
    )
    return [label for label in labels if label.endswith(".") and len(label) > 60]


def drawn(page) -> list[str]:
    """The texts in the last of a page's Vega pictures: names of curves, titles, ticks."""
    picture = page.locator('[data-testid="stVegaLiteChart"]').last.locator("svg text")
    picture.first.wait_for()
    return [words.strip() for words in picture.all_text_contents()]


def made(page, name, path):
    """A file that one click makes and another one saves."""
    page.get_by_role("button", name=f"Make {name}").click()
    with page.expect_download() as started:
        page.get_by_role("button", name=f"Save {name}").click()
    started.value.save_as(path)
    return path
