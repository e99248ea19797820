"""No page has a serious fault that keeps somebody from using it, as axe-core finds them."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from test_browser import TWO, open_page, settled

PAGES = sorted(path.stem for path in (Path(__file__).parents[2] / "pages").glob("*.py"))
QUERY = {
    "start": "",
    "small_areas": f"small_areas?source=sample&sample=tracts&{TWO}",
    "sweep": f"sweep?n=30&n_to=60&datasets=20&{TWO}",
    "guidance": f"guidance?n=30&{TWO}",
}


def serious(page) -> list[str]:
    """The serious and critical findings on a page, once nothing on it is faded because it is being drawn anew."""
    page.wait_for_function("!document.querySelector('[data-stale=\"true\"]')", timeout=60_000)
    page.wait_for_timeout(500)
    return [
        f"{finding['id']}: {node['html'][:160]}"
        for finding in Axe().run(page).response["violations"]
        if finding["impact"] in ("serious", "critical")
        for node in finding["nodes"]
    ]


@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_use_it(chromium, server, name):
    page = open_page(chromium, server, QUERY.get(name, f"{name}?{TWO}"), viewport={"width": 1400, "height": 900})
    assert not serious(page), "light"
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(500)
    assert not serious(settled(page)), "dark"
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(500)
    assert not serious(settled(page)), "on a phone"


def test_a_fault_would_be_found(chromium, server):
    page = open_page(chromium, server)
    page.evaluate("document.querySelector('h1').insertAdjacentHTML('afterend', '<img src=\"x.png\">')")
    assert any("image-alt" in finding for finding in serious(page))
