"""The pictures of the README, taken anew where DPSLR_PICTURES names a folder: three pages as they are now."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from test_browser import CHART, needs_bikes, open_page

BIKES = "compare?source=uci&uci=bikes&group=month+1%2C+hour+8&epsilon=4"
PICTURES = {
    "compare": (BIKES, "light"),
    "small_areas": ("small_areas?source=state&epsilon=16", "light"),
    "guidance": ("guidance", "dark"),
}


@needs_bikes
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_the_first_fold(chromium, server, tmp_path, name):
    query, scheme = PICTURES[name]
    page = open_page(chromium, server, query, size=(1400, 900), color_scheme=scheme)
    chart = page.locator(CHART).first
    chart.wait_for()
    assert chart.bounding_box()["y"] < 600
    picture = Path(os.environ.get("DPSLR_PICTURES", tmp_path)) / f"{name}.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size > 40_000
