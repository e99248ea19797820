"""No page keeps somebody from using it: no serious fault that axe-core finds, no scrolling sideways on a phone."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.e2e.browser import CHART, PAGES, STILL, TWO, no_errors, open_page, settled, until

QUERY = {
    "start": "",
    "small_areas": f"small_areas?source=sample&sample=tracts&{TWO}",
    "sweep": f"sweep?n=30&n_to=60&datasets=20&{TWO}",
    "guidance": f"guidance?n=30&{TWO}",
}
PICTURES = {  # of the documentation, taken anew where DPSLR_PICTURES names a folder: link and colours
    "compare": ("compare?source=uci&uci=bikes&group=month+1%2C+hour+8&epsilon=4", "light"),
    "small_areas": ("small_areas?source=state&epsilon=16", "light"),
    "guidance": ("guidance", "dark"),
}
PHONE_WIDTH = 390
PHONE = {
    "viewport": {"width": PHONE_WIDTH, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2,
    "reduced_motion": "reduce",
    "user_agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.0 Mobile/15E148 Safari/604.1",
}  # fmt: skip
FITS_A_PHONE = f"""() => {{ const main = document.querySelector('[data-testid=stMain]');
    return [main.scrollWidth, main.clientWidth].every(width => width === {PHONE_WIDTH})
        && document.documentElement.scrollWidth <= {PHONE_WIDTH}; }}"""
# The names beside the curves that can be read: inside the screen, and no two on top of each other.
NAMES_OF_CURVES = """() => [...document.querySelectorAll('[data-testid=stVegaLiteChart] .mark-text.role-mark text')]
    .filter(text => getComputedStyle(text).opacity > 0.5 && text.getAttribute('font-weight') === 'bold')
    .map(text => [text.textContent, text.getBoundingClientRect()])
    .filter(([, box]) => box.left >= 0 && box.right <= innerWidth)
    .map(([name, box]) => [name, box.top, box.bottom])"""
DARK = "rgb(23, 22, 20)"  # the page's ground
GROUND = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
LOOKS = 6  # at what an earlier look complained of
MENUS = {
    "rules": {"list": {"enabled": False}, "listitem": {"enabled": False}}
}  # Streamlit's menus of pages on a phone
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}


def serious(page, options: dict | None = None) -> list[str]:
    """The serious and critical findings on a page that do not pass: what fades has too little contrast for a while."""
    findings = findings_of(page, options)
    for _ in range(LOOKS):
        if findings:
            page.wait_for_timeout(500)
            findings = findings_of(page, options)
    return findings


def findings_of(page, options: dict | None) -> list[str]:
    page.wait_for_function(STILL)
    report = Axe().run(page, options={"resultTypes": ["violations"], **(options or {})})
    return [
        f"{finding['id']}: {node['html'][:160]}"
        for finding in report.response["violations"]
        if finding["impact"] in ("serious", "critical")
        for node in finding["nodes"]
    ]


def in_colours(page, scheme: str):
    """The page in light or dark."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(f"({GROUND} === '{DARK}') === {str(scheme == 'dark').lower()}")
    return settled(page)


def opened(chromium, server, name: str):
    return open_page(chromium, server, QUERY.get(name, f"{name}?{TWO}"), size=(1400, 900))


@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_use_a_page(chromium, server, name):
    page = opened(chromium, server, name)
    no_errors(page)
    assert not serious(page)
    if name in PICTURES:
        assert page.locator(CHART).first.bounding_box()["y"] < 600, "the first fold shows a chart"


@pytest.mark.night
@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_use_a_page_in_the_dark_and_on_a_phone(chromium, server, name):
    """The dark page is the same but for its colours."""
    page = in_colours(opened(chromium, server, name), "dark")
    assert not serious(page, COLOURS), "dark"
    page.set_viewport_size({"width": PHONE_WIDTH, "height": 844})
    page.wait_for_function(FITS_A_PHONE)
    assert not serious(settled(page), MENUS), "on a phone"
    no_errors(in_colours(page, "light"))
    page.wait_for_function(FITS_A_PHONE)


def test_on_a_phone_compare_is_as_wide_as_the_screen_and_its_curves_have_names(chromium, server):
    page = chromium.new_context(**PHONE).new_page()
    page.goto(f"{server}/compare?n=30&algorithms=NoisyStats&algorithms=NoisyIntercept")
    page.locator('[data-testid="stVegaLiteChart"] svg').first.wait_for()
    settled(page).wait_for_function(FITS_A_PHONE)
    page.get_by_text("Output distributions").scroll_into_view_if_needed()
    until(page, lambda: page.evaluate(NAMES_OF_CURVES), "names of curves")
    names = page.evaluate(NAMES_OF_CURVES)
    assert {name for name, _, _ in names} == {"NoisyStats", "NoisyIntercept", "sampling error"}
    heights = sorted((top, bottom) for _, top, bottom in names)
    assert all(above[1] <= below[0] + 1 for above, below in pairwise(heights))


def test_on_a_phone_nothing_that_scrolls_in_an_open_part_is_out_of_reach_of_the_keyboard(
    chromium, server
):
    """Commands and scripts to take away: those that a line is too short for are wrapped."""
    page = open_page(chromium, server, f"compare?{TWO}", size=(PHONE_WIDTH, 844))
    page.get_by_text("Cite and take away", exact=True).click()
    page.get_by_text("dpslr compare --scenario").wait_for()
    assert not serious(settled(page), {"runOnly": ["scrollable-region-focusable"]})


def test_a_fault_would_be_found(chromium, server):
    page = open_page(chromium, server)
    page.evaluate(
        "document.querySelector('h1').insertAdjacentHTML('afterend', '<img src=\"x.png\">')"
    )
    assert any("image-alt" in finding for finding in serious(page))


@pytest.mark.night
@pytest.mark.parametrize("name", PICTURES)
def test_pictures_of_the_documentation_show_a_chart(chromium, server, name):
    link, scheme = PICTURES[name]
    page = in_colours(open_page(chromium, server, link, size=(1400, 900)), scheme)
    if "uci" in link and page.get_by_text("cannot be reached").count():
        pytest.skip("the bike-share file is not on this machine")
    page.locator(CHART).first.wait_for()
    if folder := os.environ.get("DPSLR_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png")
