"""The lesson as a class sees it: one tab stop for the steps, clicks in pictures, a projector, a phone, one link."""

from __future__ import annotations

from collections.abc import Iterator

from dpslr_core.lesson.settings import STEPS
from tests.e2e.browser import (
    address_says,
    headline,
    no_errors,
    open_page,
    settled,
    text,
    typed,
    until,
)
from tests.e2e.test_access import COLOURS, DARK, GROUND, serious

PHONE = (390, 844)
PICTURE = ".st-key-lesson_picture svg.marks"
CONTROL = ".st-key-lesson_side input[type=range], .st-key-lesson_side [role=slider]"
# The plot's own texts, in pixels of the screen.
SIZES = f"""() => {{ const picture = document.querySelector('{PICTURE}'), box = picture.getBoundingClientRect();
    const scale = box.height / parseFloat(picture.getAttribute('height'));
    return [...picture.querySelectorAll('text')].map(each => scale * parseFloat(getComputedStyle(each).fontSize)); }}"""


def click_record(page, number: int, said: str) -> None:
    """Click on a record of the first chart of the page, with the mouse: a layer of plotly's lies over the records.

    Until the address says it: a picture that is still being drawn hears no click.
    """
    record = page.locator(".people_marks path, .scatterlayer .trace:first-child .points path").nth(
        number - 1
    )
    record.wait_for()

    def clicked() -> bool:
        if said not in page.url:
            box = record.bounding_box()
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        return said in page.url

    until(page, clicked, said, pause=3000)


def in_sight(page, height: int, *selectors: str) -> None:
    """Wait until these end above the lower edge of a screen: a picture takes its size after it is drawn."""

    def ends_above(selector: str) -> bool:
        box = page.locator(selector).first.bounding_box()
        return bool(box and box["y"] + box["height"] <= height)

    for selector in selectors:
        until(page, lambda selector=selector: ends_above(selector), f"{selector} above {height}")


def each_step(page) -> Iterator[str]:
    """The steps by "Next", each once its picture is drawn."""
    for step in STEPS:
        page.locator(PICTURE).wait_for()
        yield step
        if step != STEPS[-1]:
            page.get_by_role("button", name="Next").click()
            address_says(page, f"step={STEPS[STEPS.index(step) + 1]}")
            settled(page)


def test_everybody_can_use_every_step_and_picture_and_button_are_on_one_screen_of_a_laptop(
    chromium, server
):
    page = open_page(chromium, server, "lesson", size=(1280, 720))
    for step in each_step(page):
        no_errors(page)
        assert not serious(page, COLOURS if step != STEPS[0] else None), step
        assert not page.locator('[data-testid="stSidebar"]').is_visible()
        in_sight(page, 720, PICTURE, f".st-key-answer_{step} button")


def test_on_a_projector_the_picture_is_large_and_question_and_control_are_in_sight(
    chromium, server
):
    size = (1280, 720)
    page = open_page(chromium, server, "lesson?embed=true", size=size)
    for step in each_step(page):
        until(
            page,
            lambda: page.locator(PICTURE).bounding_box()["height"] >= 0.6 * size[1],
            f"a large picture: {step}",
        )
        in_sight(page, size[1], PICTURE, CONTROL, f".st-key-answer_{step}")
        until(page, lambda: min(page.evaluate(SIZES)) >= 23.9, f"large letters: {step}")


def test_on_a_phone_headline_picture_and_control_are_on_one_screen(chromium, server):
    def as_phone(page):
        page.set_extra_http_headers({"User-Agent": "Mozilla/5.0 (Linux; Android 14) Mobile"})

    page = open_page(chromium, server, "lesson", size=PHONE, fresh=True, prepare=as_phone)
    main, answer = page.locator('[data-testid="stMain"]'), page.locator(".st-key-lesson_answer")
    for step in each_step(page):
        main.evaluate("element => element.scrollTo(0, 0)")
        assert page.locator('[data-testid="stMain"] h2').first.bounding_box()["y"] > 0, step
        in_sight(page, PHONE[1], CONTROL)
        assert not page.locator(
            '.st-key-lesson_picture [data-testid="stElementToolbar"]'
        ).first.is_visible()
        assert f"step {STEPS.index(step) + 1} of 7" in text(page)
        boxes = [button.bounding_box() for button in page.locator(".stMain button:visible").all()]
        help_mark = 20  # pixels: the marks that explain terms are smaller
        assert all(box["height"] >= 44 or box["height"] <= help_mark + 4 for box in boxes if box), (
            step
        )
        for turn in page.locator(".st-key-lesson_turns button").all():
            box = turn.bounding_box()
            assert box["height"] >= 48 and box["x"] + box["width"] <= PHONE[0], step
        assert (
            page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") == PHONE[0]
        ), step
        page.locator(f".st-key-answer_{step} button").click()
        answer.wait_for()
        assert (
            answer.bounding_box()["y"] > page.locator(".st-key-lesson_picture").bounding_box()["y"]
        ), step


def test_the_steps_are_one_tab_stop_entered_at_the_chosen_one_and_no_tool_bar_stands_before_the_slider(
    chromium, server
):
    page = open_page(chromium, server, "lesson?step=people", size=(1400, 900))
    page.locator(PICTURE).wait_for()
    page.locator(".st-key-lesson_steps input[type=radio]:checked").focus()
    stops = []
    for _ in range(8):
        page.keyboard.press("Tab")
        stops.append(
            page.evaluate(
                "document.activeElement.type || document.activeElement.getAttribute('role') || ''"
            )
        )
        if stops[-1] in ("range", "slider"):
            break
    assert "radio" not in stops and stops[-1] in ("range", "slider")
    inside = page.evaluate("document.activeElement.closest('.st-key-lesson_side') !== null")
    assert inside and len(stops) <= 5  # Back, Next, Show to a class, and the help of the headline
    page.locator(".st-key-lesson_steps input[type=radio]:checked").focus()
    page.keyboard.press("ArrowLeft")
    address_says(page, "step=promise")


def test_a_click_on_a_person_or_a_place_makes_a_link_that_shows_the_same_numbers(chromium, server):
    page = open_page(chromium, server, "lesson", size=(1400, 900))
    page.locator(PICTURE).wait_for()
    until(
        page,
        lambda: page.locator(PICTURE).bounding_box()["height"] > 500,
        "a picture of its share of the window",
    )
    before = page.locator(PICTURE).bounding_box()
    click_record(page, 10, "leaver=10")
    assert headline(settled(page)).startswith("Without person 10")
    until(page, lambda: page.locator(PICTURE).bounding_box() == before, "a picture where it was")
    page.get_by_role("button", name="Next").click()
    settled(page)
    click_record(page, 3, "person=3")
    settled(page)
    box = page.locator(".st-key-lesson_picture .places_marks").bounding_box()
    page.mouse.click(box["x"] + 0.975 * box["width"], box["y"] + 0.025 * box["height"])
    address_says(page, "person_x=19.5", "person_y=97.5")
    first = headline(settled(page))
    assert first.startswith("Person 3 moves the prediction")
    assert headline(open_page(chromium, server, page.url.removeprefix(f"{server}/"))) == first


def test_a_guess_that_was_just_typed_counts_and_its_answer_is_in_sight_on_a_projector(
    chromium, server
):
    """The click on the button is what takes the guess from its box; the answer begins below the picture."""
    page = open_page(chromium, server, "lesson?embed=true", size=(1280, 720))
    page.locator(PICTURE).wait_for()
    guess = page.get_by_label("Your guess (points)")
    guess.click()
    guess.type("eight")
    page.locator(".st-key-answer_leaves button").click()
    page.get_by_text("Allowed: numbers from 0 to 100.").wait_for()
    assert not page.locator(".st-key-lesson_answer").count()
    guess.fill("")
    guess.type("8")
    page.locator(".st-key-answer_leaves button").click()
    page.get_by_text("Your guess: 8 points. True: 8.19 points. Well guessed.").wait_for()
    picture, answer = (
        page.locator(part).bounding_box() for part in (PICTURE, ".st-key-lesson_answer")
    )
    assert answer["y"] >= picture["y"] + picture["height"] and answer["y"] + answer["height"] <= 720
    assert answer["width"] > picture["width"]


def test_the_presenter_view_has_no_menus_a_code_of_the_link_and_the_theme_that_was_chosen(
    chromium, server
):
    page = open_page(chromium, server, "lesson?step=promise&class_epsilon=1", size=(1400, 900))
    page.get_by_text("Show to a class").click()
    page.get_by_role("link", name="Presenter view, dark").wait_for()
    page.get_by_text("A class cannot open localhost").wait_for()
    assert not page.get_by_alt_text("QR code of the link above").count()
    typed(page, '[aria-label="Address of this computer in your network"]', "192.0.2.7")
    page.get_by_text("Whoever opens this link sees the same numbers:").wait_for()
    link = f"{server.replace('127.0.0.1', '192.0.2.7')}/lesson?step=promise&class_epsilon=1"
    page.locator('[data-testid="stCode"]', has_text=link).wait_for()
    code = page.get_by_alt_text("QR code of the link above")
    until(page, lambda: code.bounding_box()["width"] >= 250, "a code that a class can read")
    assert code.evaluate("image => image.naturalWidth > 0")
    page.get_by_role("link", name="Presenter view, dark").click()
    address_says(page, "embed=true")
    settled(page)
    no_errors(page)
    page.locator('[data-testid="stTopNav"]').wait_for(state="hidden")
    assert "ε = 1:" in text(page)
    assert page.evaluate(GROUND) == DARK
    page.get_by_role("button", name="Next").click()
    address_says(page, "step=people")
    assert "embed=true" in page.url and "embed_options=dark_theme" in page.url
    page.get_by_text("Show to a class").click()
    page.get_by_role("link", name="Leave the presenter view").click()
    page.wait_for_url(lambda url: "embed" not in url and "step=people" in url)
    assert settled(page).locator('[data-testid="stTopNav"]').is_visible()


def test_one_record_moved_on_the_privacy_page(chromium, server):
    page = open_page(chromium, server, "privacy?n=30&algorithms=DPExpTheilSen", size=(1400, 900))
    click_record(page, 7, "record=7")
    settled(page)
    page.get_by_role("button", name="Move it").click()
    slider = page.locator("[class*='st-key-record_y_slider'] input[type=range]")
    slider.press("Home")
    address_says(page, "record_y=0")
    settled(page)
    no_errors(page)
    assert headline(page).startswith(
        "This move shifts the odds up to"
    ) and "record 7, moved here" in text(page)
    assert not serious(page)
