"""The app in a real browser: deep links, permalinks, uploads, every page, no request to any outside host."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from ui.controls import ALGORITHMS, EPSILON

ROOT = Path(__file__).parents[2]
TOLD = ("backend_operation_request", "backend_operation_response", "script_finished")  # messages shown in full
BIKES = "source=uci&uci=bikes&group=month+1%2C+hour+8"
TWO = "algorithms=NoisyIntercept&algorithms=DPExpTheilSen"  # where it does not matter which: those with fast laws
PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py") if path.stem != "start")


def has_real_data() -> bool:
    return "DPSLR_DATA" in os.environ or (ROOT.parent / "shared" / "data").is_dir()


needs_bikes = pytest.mark.skipif(not has_real_data(), reason="the bike-share file is not on this machine")


# What a chart is drawn on, by plotly or by vega.
CHART = '[data-testid="stPlotlyChart"] .main-svg, [data-testid="stVegaLiteChart"] .marks'


def open_page(
    browser, address, path="", size=(1280, 720), color_scheme="light", fresh=False, prepare=lambda page: None
):
    """A settled page, prepared before it is opened.

    Unless it must be a fresh browser's, the files of the page may come from the browser's cache.
    """
    known = [] if fresh else browser.contexts
    page = (known[0] if known else browser.new_context(reduced_motion="reduce")).new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(color_scheme=color_scheme)
    page.set_default_timeout(120_000)  # milliseconds: a busy machine must not fail a test
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
        if isinstance(data, bytes) and (name := kind.FromString(data).WhichOneof("type")) != "delta":
            note(what, f"{name} {kind.FromString(data)}" if name in TOLD else name)

    def connected(socket) -> None:
        note("connected")
        socket.on("framesent", partial(message, BackMsg, "sent"))
        socket.on("framereceived", partial(message, ForwardMsg, "received"))
        socket.on("close", lambda _: note("disconnected"))

    page.on("request", lambda request: (page.requested.append(request.url), note("asked", request.url)))
    page.on("console", lambda said: note("said", said.text))
    page.on("pageerror", lambda error: note("failed", error))
    page.on("download", lambda file: note("downloaded", file.url))
    page.on("websocket", connected)


def settled(page, pause=300):
    """Wait until the script has run and has stayed done for a moment: three pauses, in milliseconds."""
    done = '[data-testid="stApp"][data-test-script-state="notRunning"]'
    page.wait_for_selector('[data-testid="stMain"] h1')
    for _ in range(3):
        page.wait_for_selector(done)
        page.wait_for_timeout(pause)
    return page


def until(page, true: Callable[[], bool], awaited: str, seconds: float = 120, pause: int = 100) -> None:
    """Wait until something is true of a page, looking every `pause` milliseconds; else fail with its name."""
    last = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < last, f"waited {seconds:g} seconds for {awaited} in vain"
        page.wait_for_timeout(pause)


def address_says(page, *parts: str) -> None:
    """Wait until the address has these parts: the browser writes bound settings a moment after the script has run."""
    page.wait_for_url(lambda url: all(part in url for part in parts))


def text(page) -> str:
    return page.inner_text('[data-testid="stMain"]')


def no_errors(page) -> None:
    """A page with its sidebar, without an error, that has asked no other host for anything."""
    assert page.locator('[data-testid="stException"]').count() == 0
    assert "has encountered an error" not in text(page)
    assert page.locator('[class*="st-key-epsilon_box"]').count() == 1
    hosts = {urlparse(url).hostname for url in page.requested if url.startswith(("http", "ws"))}
    assert hosts <= {"127.0.0.1"}


def charts(page) -> list[str]:
    """The accessible names of the charts: the sentences that say what they show."""
    page.locator(CHART).first.wait_for()
    labels = page.locator("[aria-label]").evaluate_all("found => found.map(one => one.ariaLabel)")
    return [label for label in labels if label.endswith(".") and len(label) > 60]


def drawn(page) -> list[str]:
    """The texts in the last of a page's Vega pictures: names of curves, titles, ticks."""
    picture = page.locator('[data-testid="stVegaLiteChart"]').last.locator("svg text")
    picture.first.wait_for()
    return [words.strip() for words in picture.all_text_contents()]


@needs_bikes
def test_the_papers_bike_share_data_show_all_algorithms(chromium, server):
    page = open_page(chromium, server, f"compare?{BIKES}&details=All+curves", size=(1400, 1250))
    no_errors(page)
    assert "n = 60, ε = 2" in text(page)
    names = {words.removesuffix(" (trials)") for words in drawn(page)}
    assert {*ALGORITHMS} <= names


@pytest.mark.parametrize(
    ("typed", "epsilon"), [("0,5", "0.5"), ("1.234,5", "1234.5"), ("$60,000", "60000"), ("1e-3", "0.001")]
)
def test_a_comma_in_epsilon_arrives(chromium, server, typed: str, epsilon: str):
    """The browser's own box of numbers drops it: 0,5 was 5."""
    page = open_page(chromium, server, f"data?n=30&{TWO}")
    box = page.get_by_label("Privacy budget ε: any number")
    box.fill(typed)
    box.press("Enter")
    address_says(page, f"epsilon={epsilon}")
    settled(page)
    assert box.input_value() == epsilon
    box.fill("no number")
    box.blur()
    page.get_by_text("'no number' is no number").wait_for()
    address_says(page, f"epsilon={epsilon}")


def test_a_link_shows_the_same_numbers_in_a_fresh_browser_on_a_fresh_server(chromium, server, fresh_server):
    page = open_page(chromium, server, f"compare?source=sample&sample=tracts&{TWO}")
    slider = page.locator(".st-key-epsilon_slider input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    page.wait_for_url(re.compile("epsilon=3"))
    settled(page)
    # typed and not clicked: the list scrolls under the pointer, and a click on the way is lost
    page.locator(".st-key-group input").fill("T09")
    page.get_by_role("option", name="T09", exact=True).wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("group=T09"))
    settled(page)
    first = charts(page)
    address_says(page, "epsilon=3", "group=T09", "sample=tracts", "algorithms=DPExpTheilSen")
    query = urlparse(page.url).query
    assert charts(open_page(chromium, fresh_server, f"compare?{query}", fresh=True)) == first
    page.get_by_text("Cite and take away").click()
    cited = page.locator('[data-testid="stCode"]').first.inner_text().strip()
    address = urlparse(cited)
    assert f"{address.scheme}://{address.netloc}/" in page.url
    assert charts(open_page(chromium, fresh_server, f"{address.path.lstrip('/')}?{address.query}")) == first


def test_settings_survive_a_walk_through_all_pages(chromium, server):
    page = open_page(
        chromium, server, f"methods?n=100&epsilon=8&{TWO}&algorithms=DPWideTheilSen&DPWideTheilSen.theta=0.05"
    )
    no_errors(page)
    page.locator('[data-testid="stTopNavLink"]', has_text="Compare").click()
    settled(page)
    first = charts(page)
    for name in ("Start", "Data", "Compare"):
        page.locator('[data-testid="stTopNavLink"]', has_text=name).click()
        settled(page)
        no_errors(page)
    address_says(page, "epsilon=8", "n=100", "theta=0.05", "algorithms=DPWideTheilSen")
    assert charts(page) == first


def test_an_upload_shows_all_algorithms_and_a_bad_file_changes_nothing(chromium, server, tmp_path):
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text("hours,score\n" + "\n".join(f"{i % 10},{40 + 5 * (i % 10) + (i * 7) % 11}" for i in range(80)))
    bad.write_bytes(b"\x00" * 5000)
    page = open_page(chromium, server, "data?source=upload")
    page.locator('[data-testid="stFileUploader"] input').set_input_files(good)
    page.get_by_text("Enter the bounds of x and y above").wait_for()
    for column, (lower, upper) in {"hours": ("0", "10"), "score": ("0", "120")}.items():
        for end, value in (("lower", lower), ("upper", upper)):
            page.locator(f".st-key-upload_{end}_{column}_box input").fill(value)
            page.keyboard.press("Enter")
            settled(page)
    page.get_by_text("Public bounds:").first.wait_for()
    settled(page)
    no_errors(page)
    box = page.locator(".st-key-upload_upper_hours_box input")
    assert box.is_visible()  # the form does not fold on the last bound
    page.set_viewport_size({"width": 1280, "height": 720})  # so that the button stands below the fold
    page.get_by_role("button", name="Done", exact=True).click()
    settled(page)
    box.wait_for(state="hidden")
    assert page.locator('[data-testid="stMain"]').evaluate("element => element.scrollTop") == 0
    page.locator('[data-testid="stFileUploader"] input').set_input_files(bad)
    page.get_by_text("Still showing the data loaded before: good.csv").wait_for()
    page.locator('[data-testid="stTopNavLink"]', has_text="Compare").click()
    settled(page)
    no_errors(page)
    assert "good.csv: n = 80" in text(page)
    page.get_by_text("Cite and take away").click()
    cited = page.locator('[data-testid="stCode"]').first.inner_text()
    assert "x_column=hours" in cited and "y_bounds=0%2C+120" in cited
    page.get_by_text("All curves", exact=True).click()
    names = {words.removesuffix(" (trials)") for words in drawn(settled(page))}
    assert {*ALGORITHMS} <= names
    page.locator('[data-testid="stTopNavLink"]', has_text="Data").click()
    settled(page)
    assert page.locator(".st-key-upload_upper_hours_box input").input_value() == "10"
    page.get_by_text("File, groups, columns and bounds: good.csv").click()  # folded since "Done"
    page.locator(".st-key-upload_upper_hours_box input").fill("5")
    page.keyboard.press("Enter")
    page.get_by_text("were moved to the nearer bound").wait_for()


def test_a_story_opens_with_one_click(chromium, server):
    page = open_page(chromium, server)
    no_errors(page)
    page.get_by_role("link", name="Open: A census tract").click()
    page.wait_for_url("**/compare?*")
    settled(page)
    no_errors(page)
    assert "ε = 16" in text(page)


def test_an_area_is_found_in_the_table_and_opens_on_compare(chromium, server):
    page = open_page(chromium, server, "small_areas?source=sample&sample=tracts&epsilon=16&algorithms=DPExpTheilSen",
                     size=(1400, 1800))  # fmt: skip
    no_errors(page)
    shown = text(page)
    assert "Publish with DPExpTheilSen: 33 of 40 areas" in shown and "That is at ε = 16." in shown
    page.locator(".st-key-area_name input").fill("T09")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Open T09 on Compare").click()
    page.wait_for_url("**/compare?*")
    settled(page)
    no_errors(page)
    address_says(page, "group=T09", "epsilon=16")
    assert "T09: n = " in text(page) and "ε = 16" in text(page)


def test_a_sweep_opens_cold_and_can_be_stopped_and_continued(chromium, fresh_server):
    page = chromium.new_context(reduced_motion="reduce").new_page()
    page.requested, problems = [], []
    page.on("request", lambda request: page.requested.append(request.url))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda told: problems.append(told.text) if told.type == "error" else None)
    page.goto(f"{fresh_server}/sweep?vary=epsilon&epsilon_from=1&n=30&datasets=20&algorithms=NoisyStats")
    settled(page)
    work = "datasets=200&sweep_trials=200&algorithms=DPGDPure&DPGDPure.steps=60"  # seconds on any machine
    page.goto(f"{fresh_server}/sweep?vary=epsilon&epsilon_from=1&n=250&{work}&seed=4")
    page.locator(".st-key-sweep_stop button").click()
    page.locator(".st-key-sweep_go button").wait_for()
    settled(page)
    assert "of 200 data sets measured." in text(page) or "of 8 values measured." in text(page)
    page.locator(".st-key-sweep_go button").click()
    for button in ("go", "stop"):  # the rest may be done before a button to stop it is seen
        page.locator(f".st-key-sweep_{button}").wait_for(state="detached", timeout=120_000)  # the work, not the click
    settled(page)
    no_errors(page)
    assert "measured." not in text(page)
    assert any("DPGDPure has it at both ends" in label for label in charts(page))
    assert not [problem for problem in problems if "404" not in problem]  # the probe of the health address below a page


def test_guidance_answers_and_its_details_open(chromium, server):
    page = open_page(chromium, server, f"guidance?n=50&epsilon=10&{TWO}", size=(1400, 1600))
    no_errors(page)
    shown = text(page)
    for part in ("Use DPExpTheilSen: its expected error is", "rule of thumb", "simulated data sets with your settings"):
        assert part in shown

    def opened(name: str) -> str:
        page.locator(".st-key-guidance").get_by_text(name, exact=True).click()
        page.wait_for_url(re.compile("guidance=" + name.split()[0]))
        settled(page)
        no_errors(page)
        return text(page)

    assert "overtake" in opened("When it changes")
    assert "without a value of the data" in opened("Memo")
    opened("Map")
    assert any(label.startswith("Best of ") for label in charts(page))
    opened("Required ε or n")
    page.locator(".st-key-solve_for").get_by_text("n", exact=True).click()
    page.get_by_text("smallest n").or_(page.get_by_text("n = ")).first.wait_for()
    settled(page)
    no_errors(page)
    assert "is enough for an error about OLS" in text(page)


def test_a_click_in_the_picture_of_areas_that_pass_chooses_epsilon(chromium, server):
    page = open_page(chromium, server, "small_areas?source=sample&sample=tracts&algorithms=NoisyStats&epsilon=4")
    chart = page.locator(CHART).first
    chart.wait_for()
    page.get_by_text("At ε = 4").first.wait_for()
    box = chart.bounding_box()
    page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 0.4 * box["height"])
    page.wait_for_function("!location.search.includes('epsilon=4')")
    chosen = float(parse_qs(urlparse(page.url).query)["epsilon"][0])
    assert chosen in EPSILON.stops and chosen > 4
    page.get_by_text(f"At ε = {chosen:g}").first.wait_for()
