"""No page keeps somebody from using it: no serious fault that axe-core finds, no scrolling sideways on a phone."""

from __future__ import annotations

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
