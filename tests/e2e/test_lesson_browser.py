"""The lesson as a class sees it: all on the first screen, a click on a person, one link, the presenter view."""

from __future__ import annotations

import re

from test_access import COLOURS, serious
from test_browser import CHART, no_errors, open_page, settled, text

from dpslr_core.lesson.settings import STEPS

DARK = "rgb(23, 22, 20)"


def headline(page) -> str:
    return page.locator('[data-testid="stMain"] h2').first.inner_text()


def click_record(page, number: int) -> None:
    """Click on a record of the first chart of the page, with the mouse: a layer of plotly's lies over the records."""
    record = page.locator(".people_marks path, .scatterlayer .trace:first-child .points path").nth(number - 1)
    record.wait_for()
    box = record.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_every_step_is_complete_on_the_first_screen_and_everybody_can_use_it(chromium, server):
    page = open_page(chromium, server, "lesson", size=(1400, 900))
    for step in range(1, STEPS + 1):
        no_errors(page)
        page.locator(CHART).first.wait_for()
        for shown in (*page.locator(CHART).all(), page.get_by_text("Show the answer")):
            box = shown.bounding_box()
            assert box["y"] + box["height"] <= 900, step
        assert not serious(page, COLOURS if step > 1 else None), step
        assert not page.locator('[data-testid="stSidebar"]').is_visible()
        if step < STEPS:
            page.get_by_role("button", name="Next").click()
            page.wait_for_url(re.compile(f"step={step + 1}"))
            settled(page)


def test_a_click_on_a_person_and_a_slider_make_a_link_that_shows_the_same_numbers(chromium, server):
    page = open_page(chromium, server, "lesson", size=(1400, 900))
    click_record(page, 10)
    page.wait_for_url(re.compile("leaver=10"))
    assert headline(settled(page)).startswith("Without person 10")
    page.get_by_role("button", name="Next").click()
    settled(page)
    click_record(page, 3)
    page.wait_for_url(re.compile("person=3"))
    settled(page)
    slider = page.locator("[class*='st-key-person_y_slider'] input[type=range]")
    slider.focus()
    slider.press("End")
    page.wait_for_url(re.compile("person_y=100"))
    first = headline(settled(page))
    assert first.startswith("Person 3 moves OLS")
    assert headline(open_page(chromium, server, page.url.partition("/lesson")[1].lstrip("/") + "?" +
                              page.url.partition("?")[2])) == first  # fmt: skip


def test_the_presenter_view_has_no_menus_and_the_theme_that_was_chosen(chromium, server):
    page = open_page(chromium, server, "lesson?step=4&class_epsilon=1", size=(1400, 900))
    page.get_by_text("Show to a class").click()
    page.get_by_role("link", name="Presenter view, dark").wait_for()
    shown = [code.strip() for code in page.locator('[data-testid="stCode"]').all_inner_texts()]
    assert f"{server}/lesson?step=4&class_epsilon=1" in shown
    page.get_by_role("link", name="Presenter view, dark").click()
    page.wait_for_url(re.compile("embed=true"))
    settled(page)
    no_errors(page)
    assert "ε = 1:" in text(page) and not page.locator('[data-testid="stTopNav"]').is_visible()
    background = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    assert page.evaluate(background) == DARK
    page.get_by_role("button", name="Next").click()
    page.wait_for_url(re.compile("step=5"))
    assert "embed=true" in page.url and "embed_options=dark_theme" in page.url
    page.get_by_text("Show to a class").click()
    page.get_by_role("link", name="Leave the presenter view").click()
    page.wait_for_url(lambda url: "embed" not in url and "step=5" in url)
    assert settled(page).locator('[data-testid="stTopNav"]').is_visible()


def test_one_record_moved_on_the_data_page(chromium, server):
    page = open_page(chromium, server, "data?moving=true&n=30&algorithms=DPExpTheilSen", size=(1400, 900))
    click_record(page, 7)
    page.wait_for_url(re.compile("record=7"))
    settled(page)
    slider = page.locator("[class*='st-key-record_y_slider'] input[type=range]")
    slider.focus()
    slider.press("Home")
    page.wait_for_url(re.compile("record_y=0"))
    settled(page)
    no_errors(page)
    assert "With record 7 at" in text(page) and "privacy loss of" in text(page)
    assert not serious(page)
