"""Settings are in the address of every page that is turned to, however early; Back and Forward restore them."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

import pytest

from tests.e2e.browser import (
    EPSILON_BOX,
    TWO,
    address_has,
    address_says,
    headline,
    more_settings,
    no_errors,
    open_page,
    settings,
    settled,
    text,
    turn,
    until,
    watch,
)

EVERY = (
    "epsilon=3&n=60&var_x=0.02&var_e=0.02&slope=0.7&intercept=0.1&algorithms=NoisyStats&seed=4&data_seed=7&trials=20"
    "&accounting=implied&records_per_person=2&x_new=0.3%2C+0.6&unit_square=true&NoisyStats.lower=-1"
    "&also_k=3&x_shape=normal&error_shape=heavy+tails"
)
WIDE = {"width": 1800, "height": 900}  # all names of pages are in sight
SIZE = tuple(WIDE.values())


def epsilon_of(page) -> str:
    return page.locator(EPSILON_BOX).input_value()


def without_checks(page) -> list[str]:
    """The words of a page but the icons of steps that are done: a session knows whether it has seen an answer."""
    return [word for word in text(page).split() if word != "check"]


@pytest.mark.parametrize("after", [0, 500])
def test_a_page_turned_to_in_the_first_run_keeps_every_setting(chromium, server, after):
    """after: milliseconds from the menu's being there, where the first run of the link is still going."""
    page = chromium.new_context(reduced_motion="reduce").new_page()
    page.set_viewport_size(WIDE)
    watch(page)
    page.goto(f"{server}/compare?{EVERY}")
    page.locator('[data-testid="stTopNavLink"]', has_text="Data").wait_for()
    page.wait_for_timeout(after)
    turn(page, "Data")
    address_has(page, parse_qs(EVERY))
    again = open_page(chromium, server, page.url.removeprefix(f"{server}/"), size=SIZE)
    # Pictures are drawn a moment later.
    until(again, lambda: without_checks(again) == without_checks(page), "the same page")


def test_back_after_forward_and_a_turned_page_leads_to_the_page_before(chromium, server):
    page = open_page(chromium, server, "compare?n=30&algorithms=NoisyStats&trials=20", size=SIZE)
    page.locator(".st-key-epsilon_slider input[type=range]").press(
        "ArrowLeft"
    )  # a typed number is no step back
    address_has(page, {"epsilon": ["1"]})
    settled(page)
    page.go_back()
    page.wait_for_url(lambda url: "epsilon" not in url)
    assert epsilon_of(settled(page)) == "2"
    page.go_forward()
    address_has(page, {"epsilon": ["1"]})
    settled(page)
    before, entries = settings(page), page.evaluate("history.length")
    turn(page, "Sweep")
    address_has(page, before)
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    page.wait_for_url("**/compare?*")
    settled(page)
    assert settings(page) == before and epsilon_of(page) == "1"
    assert "ε = 1 for" in text(page)


def test_the_address_says_which_algorithms_are_chosen_and_back_and_forward_restore_them(
    chromium, server
):
    page = open_page(chromium, server, "data?algorithms=OLS&algorithms=NoisyStats")

    def chosen() -> list[str]:
        return page.locator('.st-key-algorithms button[aria-pressed="true"]').all_text_contents()

    def check_chosen(names: list[str]) -> None:
        until(page, lambda: chosen() == names, f"the chosen algorithms {names}")

    def clicked(name: str, address: str) -> None:
        button = page.locator(".stSidebar").get_by_text(name, exact=True)
        if not button.is_visible():
            more_settings(page)
        button.click()
        page.wait_for_url(re.compile(address))
        settled(page)

    check_chosen(["OLS", "NoisyStats"])
    clicked("NoisyStatsGaussian", "algorithms=NoisyStatsGaussian$")
    clicked("Usual", "data$")
    until(page, lambda: len(chosen()) > 10, "the usual algorithms")
    everything = chosen()
    page.go_back()
    settled(page)
    check_chosen(["OLS", "NoisyStats", "NoisyStatsGaussian"])
    page.go_forward()
    settled(page)
    check_chosen(everything)
    page.goto(f"{server}/data?algorithms=OLS")
    settled(page)
    clicked("OLS", "algorithms=$")
    assert chosen() == []
    page.reload()
    settled(page)
    page.locator(".st-key-algorithms button").first.wait_for(state="attached")
    assert chosen() == []


def test_settings_that_do_nothing_on_a_page_are_hidden_and_there_again_on_the_next(
    chromium, server
):
    page = open_page(
        chromium, server, f"compare?epsilon=5&n=60&trials=50&seed=3&{TWO}", size=(1400, 900)
    )
    before = headline(page)
    epsilon = page.locator(".st-key-epsilon")
    assert epsilon.is_visible()
    turn(page, "Paper")
    no_errors(page)
    assert not epsilon.is_visible() and not page.locator(".st-key-algorithms").is_visible()
    turn(page, "Findings")
    no_errors(page)
    assert not page.locator('[data-testid="stSidebar"]').is_visible()
    turn(page, "Compare")
    epsilon.wait_for(state="visible")
    address_says(page, "epsilon=5", "n=60", "seed=3")
    assert headline(page) == before
