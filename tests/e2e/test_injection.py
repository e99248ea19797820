"""A file or a link whose texts are markup: every page shows them as text, nothing runs and nothing is fetched."""

from __future__ import annotations

import csv
import io
from urllib.parse import quote

import numpy as np
import pytest

from tests.e2e.browser import (
    CHART,
    PAGES,
    UPLOADER,
    drawn,
    more_settings,
    no_errors,
    open_page,
    settled,
    text,
    turn,
    until,
)
from ui.plain import JOINER

INJECTIONS = (
    "<script>window.evil = 1; alert(1)</script>",
    '<img data-evil src="http://evil.invalid/1.png" onerror="window.evil = 1">',
    '<svg data-evil onload="window.evil = 1"><animate onbegin="window.evil = 1" attributeName="x" dur="1s" /></svg>',
    '<iframe data-evil srcdoc="<script>parent.evil = 1; '
    "fetch('http://evil.invalid/3')</script>\"></iframe>",
    '<link data-evil rel="stylesheet" href="http://evil.invalid/5.css">',
    '<video data-evil src="http://evil.invalid/6.mp4" poster="http://evil.invalid/6.png" autoplay></video>',
    '<object data-evil data="http://evil.invalid/8"></object>',
    '<div data-evil style="position:fixed;inset:0;background:red;z-index:99999">covered</div>',
    "<style>body { background: url(http://evil.invalid/10.png) }</style>",
    '<form data-evil action="http://evil.invalid/11"><button autofocus onfocus="window.evil = 1">go</button></form>',
    '<a data-evil href="http://evil.invalid/12">click</a>',
    '<a data-evil href="javascript:window.evil=1">click</a>',
    "![picture](http://evil.invalid/14.png)",
    "[link](http://evil.invalid/15)",
    "http://evil.invalid/18 www.evil.invalid me@evil.invalid",
    "<http://evil.invalid/19>",
    r"$\href{http://evil.invalid/20}{x}$",
    r"$\includegraphics{http://evil.invalid/21.png}$ $$\frac12$$",
    ":red[evil red] :rainbow-background[evil]",
    ":material/home: :streamlit: :smile:",
    "**evil bold** _evil italics_ `evil code` ~~evil~~",
    "&lt;b data-evil&gt; &#60;i data-evil&#62;",
    "evil<br><b>evil</b> [^1] [reference][1] [1]: http://evil.invalid/22",
)
EVERYTHING = " ".join(INJECTIONS)
FILE = "<img data-evil src=x onerror='window.evil=1'> ![p](mailto:x) :red[evil] **evil** $x^2$ &amp; [a](b) evil.csv"
X, Y, GROUP = f"x {EVERYTHING}", f"y {EVERYTHING}", f"group {EVERYTHING}"
# one word, which a page repeats where it wanted a number
WORD = "![m](http://evil.invalid/30.png)<img/data-evil/src=//evil.invalid/31>:red[evil]:material/home:$x$"

MADE = """() => [
    ...document.querySelectorAll("[data-evil], iframe, object, embed, video, audio, base, svg a,"
        + "form:not(.vega-bindings),"
        + "[href*='evil.invalid']:not([href^='compare?']),"
        + "[src*='evil.invalid'], [srcset*='evil.invalid'], [href^='javascript'], a[href^='mailto'],"
        + "[role=img][aria-label='home icon'], img[alt='Streamlit logo']"),
    ...[...document.querySelectorAll(".stMarkdownColoredText, .stMarkdownColoredBackground")]
        .filter(it => /evil/.test(it.textContent)),
    ...[...document.querySelectorAll("b, strong, em, i, del, code")].filter(it => /^evil/.test(it.textContent)),
    ...[...document.querySelectorAll("style, script")].filter(it => /evil/.test(it.textContent)),
    ...(location.pathname.endsWith("methods") ? [] : document.querySelectorAll(".katex, .MathJax, mjx-container")),
].map(element => element.outerHTML.slice(0, 200))"""


def table() -> bytes:
    """A group per injection and one of all of them, whose line fits best; a cell of y and of x in each is no number."""
    rng = np.random.default_rng(3)
    rows = [[GROUP, X, Y, INJECTIONS[1]]]
    for group in (EVERYTHING, *INJECTIONS):
        noise = 0.001 if group == EVERYTHING else 0.1
        for x in np.linspace(0, 1, 12):
            rows.append([group, f"{x:.3f}", f"{0.2 + 0.5 * x + rng.normal(0, noise):.4f}", group])
        rows += [[group, group, "0.5", ""], [group, "0.5", group, ""]]
    rows += [[INJECTIONS[4] + " too few", "0.1", "0.2", "=1+1"]]
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


class Watch:
    """What must not happen in a page, however it comes about."""

    def __init__(self, page) -> None:
        self.page, self.dialogs = page, []
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))

    def check(self, where: str) -> None:
        """No element made, no script run, no dialog, no request to another host."""
        for frame in self.page.frames:
            assert frame.evaluate("window.evil") is None, where
        assert self.page.evaluate(MADE) == [], where
        assert not self.dialogs, (where, self.dialogs)
        no_errors(self.page)


def read(shown: str) -> str:
    """What a reader sees: without marks of no width, with single spaces."""
    return " ".join(shown.replace(JOINER, "").split())


def tip_is_open(page) -> bool:
    """Come to the tip's sign from elsewhere: a tip closes where the page moves beneath the pointer."""
    page.mouse.move(0, 0)
    page.locator('.st-key-unit_square [data-testid="stTooltipIcon"]').hover()
    page.wait_for_timeout(500)
    return page.get_by_text("The algorithms work on [0, 1]").is_visible()


@pytest.fixture
def watched(chromium, server):
    """The Data page after the file; its two columns of numbers are taken for x and y, the groups are chosen."""
    page = open_page(
        chromium,
        server,
        "data?source=upload&algorithms=NoisyIntercept&algorithms=DPExpTheilSen",
        size=(1400, 1200),
    )
    watch = Watch(page)
    file = {"name": FILE, "mimeType": "text/csv", "buffer": table()}
    page.locator(UPLOADER).set_input_files(file)
    groups = page.locator(".st-key-upload_group input")
    groups.wait_for()
    settled(page)
    groups.fill(GROUP)
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("Enter")
    settled(page)
    page.locator(".st-key-upload_fill button").click()
    page.get_by_text("groups left out").wait_for()
    settled(page)
    return watch


def test_a_file_is_text_on_every_page_in_lists_and_in_tooltips(watched):
    page = watched.page
    watched.check("data")
    for name in (X, EVERYTHING, FILE):
        until(
            page, lambda name=name: read(name) in read(text(page)), name
        )  # what is far down may be drawn late
    page.locator(".st-key-group input").fill("evil")
    page.get_by_role("option").nth(5).wait_for()
    watched.check("list of groups")
    page.keyboard.press("Escape")
    more_settings(page)
    until(page, lambda: tip_is_open(page), "the tip of the unit square", pause=1000)
    watched.check("tooltip")
    for name in sorted({*PAGES} - {"start"}):
        turn(page, name.replace("_", " ").capitalize())
        if name == "small_areas":
            page.get_by_role("button", name="Decide on the true file").click()
        if name not in (
            "guidance",
            "methods",
            "release",
        ):  # a question about the upload first, or no chart
            page.locator(CHART).first.wait_for()
        if name == "compare":
            page.get_by_text("All curves", exact=True).click()
            assert any(
                read(Y)[:20] in words for words in drawn(settled(page))
            )  # a long title is cut
        folded = page.locator('[data-testid="stExpander"] details:not([open]) > summary:visible')
        while folded.count():  # one may hold others
            folded.first.click()
        settled(page)
        watched.check(name)
        if name == "data":
            assert any(read(X)[:20] in words for words in drawn(page))


def test_a_link_is_text(chromium, server):
    """Where the page repeats what it cannot read: points and a hyperparameter."""
    said = quote(WORD)
    query = f"x_new={said}&vary=epsilon&DPGDPure.start={said}&algorithms=DPGDPure&n=30&group={said}"
    page = open_page(chromium, server, f"sweep?{query}&trials=20&datasets=20&sweep_trials=20")
    watch = Watch(page)
    body = read(page.inner_text("body"))
    # long texts are cut
    assert (
        body.count(f"'{WORD[:30]}…'") == 2 and f"The link says DPGDPure.start = {WORD[:30]}" in body
    )
    watch.check("sweep")
