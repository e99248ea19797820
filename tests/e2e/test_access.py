"""No page keeps somebody from using it: no serious fault that axe-core finds, no scrolling sideways on a phone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from test_browser import TWO, no_errors, open_page, settled

PAGES = sorted(path.stem for path in (Path(__file__).parents[2] / "pages").glob("*.py"))
QUERY = {
    "start": "",
    "small_areas": f"small_areas?source=sample&sample=tracts&{TWO}",
    "sweep": f"sweep?n=30&n_to=60&datasets=20&{TWO}",
    "guidance": f"guidance?n=30&{TWO}",
}


MAIN_WIDTHS = "(main => [main.scrollWidth, main.clientWidth])(document.querySelector('[data-testid=stMain]'))"
PHONE = {
    "viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2,
    "reduced_motion": "reduce",
    "user_agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/17.0 Mobile/15E148 Safari/604.1",
}  # fmt: skip
# The names beside the curves that can be read: inside the screen, and no two on top of each other.
NAMES_OF_CURVES = """() => [...document.querySelectorAll('[data-testid=stVegaLiteChart] .mark-text.role-mark text')]
    .filter(text => getComputedStyle(text).opacity > 0.5 && text.getAttribute('font-size') === '12px')
    .map(text => [text.textContent, text.getBoundingClientRect()])
    .filter(([, box]) => box.left >= 0 && box.right <= innerWidth)
    .map(([name, box]) => [name, box.top, box.bottom])"""
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}


def serious(page, options: dict | None = None) -> list[str]:
    """The serious and critical findings on a page, once nothing on it is faded because it is being drawn anew."""
    page.wait_for_function("!document.querySelector('[data-stale=\"true\"]')")
    page.wait_for_timeout(500)
    found = Axe().run(page, options={"resultTypes": ["violations"], **(options or {})})
    return [
        f"{finding['id']}: {node['html'][:160]}"
        for finding in found.response["violations"]
        if finding["impact"] in ("serious", "critical")
        for node in finding["nodes"]
    ]


@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_use_it(chromium, server, name):
    """Wide and narrow, light and dark: the dark page is the same but for its colours."""
    page = open_page(chromium, server, QUERY.get(name, f"{name}?{TWO}"), size=(1400, 900))
    no_errors(page)
    assert not serious(page), "light"
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(500)
    assert not serious(settled(page), COLOURS), "dark"
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(500)
    assert not serious(settled(page)), "on a phone"
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        no_errors(settled(page))
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, scheme
        assert page.evaluate(MAIN_WIDTHS) == [390, 390], scheme


@pytest.mark.parametrize("text", ["", "&larger_text=true"])
def test_on_a_phone_compare_is_as_wide_as_the_screen_and_its_curves_have_names(chromium, server, text):
    page = chromium.new_context(**PHONE).new_page()
    page.set_default_timeout(240_000)
    page.goto(f"{server}/compare?n=30&algorithms=NoisyStats&algorithms=NoisyIntercept{text}")
    page.locator('[data-testid="stVegaLiteChart"] svg').first.wait_for()
    settled(page)
    assert page.evaluate(MAIN_WIDTHS) == [390, 390]
    if not text:
        names = page.evaluate(NAMES_OF_CURVES)
        assert {name for name, _, _ in names} == {"NoisyStats", "NoisyIntercept", "standard error"}
        heights = sorted((top, bottom) for _, top, bottom in names)
        assert all(above[1] <= below[0] + 1 for above, below in pairwise(heights))


def test_on_a_phone_nothing_that_scrolls_in_an_open_part_is_out_of_reach_of_the_keyboard(chromium, server):
    """Commands and scripts to take away: those that a line is too short for are wrapped."""
    page = open_page(chromium, server, f"compare?{TWO}", size=(390, 844))
    page.get_by_text("Cite and take away", exact=True).click()
    page.get_by_text("dpslr compare --scenario").wait_for()
    assert not serious(settled(page), {"runOnly": ["scrollable-region-focusable"]})


def test_a_fault_would_be_found(chromium, server):
    page = open_page(chromium, server)
    page.evaluate("document.querySelector('h1').insertAdjacentHTML('afterend', '<img src=\"x.png\">')")
    assert any("image-alt" in finding for finding in serious(page))
