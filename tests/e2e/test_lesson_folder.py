"""The lesson from a folder, without a server and without a network, as a pupil opens it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dpslr_core.lesson import Lesson
from dpslr_core.lesson.settings import STEPS
from dpslr_core.lesson.text import step_text
from dpslr_core.report import static_lesson
from dpslr_core.report.static_lesson import write_folder
from tests.e2e.test_access import serious


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The folder, with fewer stops than a class gets, as those take minutes."""
    patch = pytest.MonkeyPatch()
    fewer = {"EPSILONS": (0.5, 2.0), "HOUR_STOPS": (0, 20), "POINT_STOPS": (0, 100)}
    for name, value in fewer.items():
        patch.setattr(static_lesson, name, value)
    path = tmp_path_factory.mktemp("lesson")
    write_folder(Lesson(), path)
    patch.undo()
    return path


def opened(chromium, folder: Path, size: tuple[int, int]):
    """The page with the network off; it notes what it asks for and what goes wrong."""
    page = chromium.new_context(
        offline=True, viewport={"width": size[0], "height": size[1]}
    ).new_page()
    page.asked, page.wrong = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.goto((folder / "index.html").as_uri())
    page.locator("#picture svg").wait_for()
    return page


def go_to(page, step: str) -> None:
    page.locator("input[name=step]").nth(STEPS.index(step)).check()
    page.evaluate("drawing")  # what the page still draws


def text(page, part: str = "headline") -> str:
    return page.locator(f"#{part}").inner_text()


# Texts of the picture that its edge cuts.
OUTSIDE = """() => { const edge = document.querySelector('#picture svg').getBoundingClientRect();
    return [...document.querySelectorAll('#picture svg text')]
        .map(each => [each.textContent, each.getBoundingClientRect()])
        .filter(([words, box]) => words && (box.right > edge.right + 1 || box.left < edge.left - 1
            || box.top < edge.top - 1)).map(([words]) => words); }"""


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_every_step_opens_offline_its_picture_follows_the_slider_and_everybody_can_use_it(
    chromium, folder, size
):
    """Before the answer and after it; nothing is cut at an edge, and the steps are one tab stop."""
    page = opened(chromium, folder, size)
    for step in STEPS:
        go_to(page, step)
        assert text(page) == step_text(Lesson(step=step)).headline
        before = page.locator("#picture svg").inner_html()
        slider = page.locator("#controls input[type=range]").first
        slider.press("ArrowRight" if step == "leaves" else "ArrowLeft")
        page.evaluate("drawing")
        if step != "noise":  # nothing is released yet
            assert page.locator("#picture svg").inner_html() != before, step
        box, control = page.locator("#picture").bounding_box(), slider.bounding_box()
        assert control["y"] + control["height"] <= size[1] and box["height"] >= 0.4 * size[1]
        for answered in (False, True):
            if answered:
                page.locator("#show").click()
                page.evaluate("drawing")
            assert not serious(page), (step, answered)
            assert not page.evaluate(OUTSIDE), (step, answered)
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.locator("input[name=step]:checked").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") != "step"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert not page.wrong and all(url.startswith(("file:", "data:", "blob:")) for url in page.asked)


def test_guesses_stand_beside_the_answer_and_are_counted_at_the_end(chromium, folder):
    page = opened(chromium, folder, (1280, 720))
    page.locator("#guess").fill("eight")
    page.locator("#show").click()
    assert text(page, "problem") == "eight cannot be used. Allowed: numbers from 0 to 100."
    page.locator("#guess").fill("8,5")
    page.locator("#show").click()
    page.get_by_text("Your guess: 8.5 points. True: 8.19 points. Well guessed.").wait_for()
    assert step_text(Lesson()).answer in text(page, "answer")
    go_to(page, "choice")
    page.locator("#guess").select_option("NoisyStats")
    page.locator("#show").click()
    page.get_by_text("Guessed well: 1 of 2 steps.").wait_for()
    assert not page.wrong


def test_releases_are_made_one_by_one_and_the_game_ends_beside_the_best_rule(chromium, folder):
    page = opened(chromium, folder, (1280, 720))
    go_to(page, "noise")
    for _ in range(3):
        page.get_by_role("button", name="Release once more").click()
    assert text(page) == "3 releases at ε = 2: ε = 10 is left"
    page.evaluate("drawing")
    go_to(page, "promise")
    page.locator("#show").click()
    for _ in range(10):
        page.get_by_role("button", name="Not moved").click()
    end = r"You: \d+ of 10 right\. The best rule: \d+ of these, and \d+% in the long run\."
    assert re.match(end, text(page, "game"))
    assert not page.wrong


def test_a_tap_on_a_person_and_on_a_place_moves_them(chromium, folder):
    page = opened(chromium, folder, (1280, 720))
    page.locator(".people_marks path").nth(9).click()
    page.evaluate("drawing")
    assert text(page).startswith("Without person 10")
    go_to(page, "worst")
    box = page.locator(".places_marks").bounding_box()
    page.mouse.click(box["x"] + 0.03 * box["width"], box["y"] + 0.97 * box["height"])
    page.evaluate("drawing")
    assert text(page) == step_text(Lesson(step="worst", person_x=0.0, person_y=0.0)).headline
    assert not page.wrong
