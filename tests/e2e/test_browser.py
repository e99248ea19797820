"""The app in a real browser: links, typing, an upload, clicks in pictures, no request to any outside host."""

from __future__ import annotations

from urllib.parse import parse_qs, urlparse

from playwright.sync_api import expect

from tests.e2e.browser import (
    CHART,
    TWO,
    UPLOADER,
    address_says,
    charts,
    drawn,
    no_errors,
    open_page,
    settings,
    settled,
    text,
    turn,
    typed,
    until,
    watch,
)
from ui.settings import ALGORITHMS, EPSILON


def cited(page) -> str:
    """The link under "Cite and take away"."""
    page.get_by_text("Cite and take away").click()
    return page.locator('[data-testid="stCode"]').first.inner_text().strip()


def test_a_link_shows_the_same_numbers_in_a_fresh_browser_on_a_fresh_server(
    chromium, server, fresh_server
):
    page = open_page(chromium, server, f"compare?source=sample&sample=tracts&{TWO}")
    page.locator(".st-key-epsilon_slider input[type=range]").press("ArrowRight")
    address_says(page, "epsilon=3")
    settled(page)
    # typed and not clicked: the list scrolls under the pointer, and a click on the way is lost
    page.locator(".st-key-group input").fill("T09")
    page.get_by_role("option", name="T09", exact=True).wait_for()
    page.keyboard.press("Enter")
    address_says(page, "group=T09")
    settled(page)
    first = charts(page)
    address_says(page, "epsilon=3", "group=T09", "sample=tracts", "algorithms=DPExpTheilSen")
    query = urlparse(page.url).query
    assert charts(open_page(chromium, fresh_server, f"compare?{query}", fresh=True)) == first
    address = urlparse(cited(page))
    assert f"{address.scheme}://{address.netloc}/" in page.url
    assert (
        charts(open_page(chromium, fresh_server, f"{address.path.lstrip('/')}?{address.query}"))
        == first
    )


def test_an_upload_shows_all_algorithms_and_a_bad_file_changes_nothing(chromium, server, tmp_path):
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text(
        "hours,score\n"
        + "\n".join(f"{i % 10},{40 + 5 * (i % 10) + (i * 7) % 11}" for i in range(80))
    )
    bad.write_bytes(b"\x00" * 5000)
    page = open_page(chromium, server, "data?source=upload")
    page.locator(UPLOADER).set_input_files(good)
    page.get_by_text("Enter the bounds of x and y above").wait_for()
    bounds = {"lower_hours": "0", "upper_hours": "10", "lower_score": "0", "upper_score": "120"}
    for name, value in bounds.items():
        typed(page, f".st-key-upload_{name} input", value)
        settled(page)
    page.get_by_text("already uncertain").first.wait_for()
    settled(page)
    no_errors(page)
    box = page.locator(".st-key-upload_upper_hours input")
    assert box.is_visible()  # the form does not fold on the last bound
    page.get_by_role("button", name="Done", exact=True).click()  # below the fold
    settled(page)
    box.wait_for(state="hidden")
    assert page.locator('[data-testid="stMain"]').evaluate("element => element.scrollTop") == 0
    page.locator(UPLOADER).set_input_files(bad)
    page.get_by_text("Still showing the data loaded before: good.csv").wait_for()
    turn(page, "Compare")
    no_errors(page)
    assert "good.csv · 80 records" in text(page)
    page.get_by_text("All curves", exact=True).click()
    names = {words.removesuffix(" (trials)") for words in drawn(settled(page))}
    assert {*ALGORITHMS} <= names


def test_sliders_of_start_move_both_pictures_without_the_server(chromium, server):
    page = open_page(chromium, server)
    names = page.locator(CHART)
    expect(names).to_contain_text("error: 6.1 × the sampling error")
    sent, asked = sum("sent" in each for each in page.happened), len(page.requested)
    page.locator("input[name=epsilon]").press("ArrowRight")
    page.locator("input[name=people]").press("ArrowLeft")
    expect(names).not_to_contain_text("error: 63%")
    expect(names).not_to_contain_text("6.1 ×")
    assert (sum("sent" in each for each in page.happened), len(page.requested)) == (sent, asked)
    no_errors(page)


def test_a_sweep_opens_cold_and_ends_on_all_cores(chromium, fresh_server):
    page = chromium.new_context(reduced_motion="reduce").new_page()
    watch(page)
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    page.goto(
        f"{fresh_server}/sweep?vary=epsilon&epsilon_from=1&n=30&datasets=20&algorithms=NoisyStats"
    )
    settled(page)
    work = "datasets=200&sweep_trials=200&algorithms=DPGDPure&DPGDPure.steps=60"  # seconds on any machine
    page.goto(f"{fresh_server}/sweep?vary=epsilon&epsilon_from=1&n=250&{work}&seed=4")
    settled(page)
    no_errors(page)
    assert "measured." not in text(page)
    assert any("DPGDPure's error is" in label for label in charts(page))
    assert not [
        problem for problem in problems if "404" not in problem
    ]  # the probe of the health address below a page


def test_a_click_in_the_picture_of_areas_that_pass_chooses_epsilon(chromium, server):
    page = open_page(
        chromium,
        server,
        "small_areas?source=sample&sample=tracts&algorithms=NoisyStats&epsilon=4"
        "&area_details=All areas",
        size=(1400, 1800),
    )
    chart = page.locator(CHART).first
    chart.wait_for()
    page.get_by_text("At ε = 4").first.wait_for()

    def clicked() -> bool:
        """A picture that is still being drawn hears no click."""
        if settings(page)["epsilon"] == ["4"]:
            box = chart.bounding_box()
            page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 0.4 * box["height"])
        return settings(page)["epsilon"] != ["4"]

    until(page, clicked, "another ε by a click in the picture", pause=1000)
    chosen = float(parse_qs(urlparse(page.url).query)["epsilon"][0])
    assert chosen in EPSILON.stops and chosen > 4
    page.get_by_text(f"At ε = {chosen:g}").first.wait_for()
    settled(page)
    no_errors(page)


def test_a_click_on_a_row_of_compare_shows_its_releases(chromium, server):
    page = open_page(
        chromium,
        server,
        "compare?algorithms=NoisyStats&algorithms=DPExpTheilSen&algorithms=NoisyIntercept",
    )
    charts = page.locator('[data-testid="stVegaLiteChart"] svg')
    until(
        page,
        lambda: "DPExpTheilSen" in (charts.nth(1).text_content() or ""),
        "the releases of the best",
    )
    assert "NoisyIntercept" not in (charts.nth(1).text_content() or "")
    charts.nth(0).get_by_text(" times").last.click(force=True)
    until(
        page,
        lambda: "NoisyIntercept" in (charts.nth(1).text_content() or ""),
        "the releases of the row",
    )
