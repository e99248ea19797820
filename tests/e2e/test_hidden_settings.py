"""Settings that do nothing on a page are hidden there, and keep their values."""

from __future__ import annotations

from test_browser import TWO, address_says, no_errors, open_page, settled


def turn_to(page, name: str):
    page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
    page.wait_for_url(f"**/{name.lower()}*")
    return settled(page)


def test_hidden_settings_of_a_link_are_there_again_on_the_next_page(chromium, server):
    page = open_page(chromium, server, f"compare?epsilon=5&n=60&trials=50&seed=3&{TWO}", size=(1400, 900))
    before = page.locator('[data-testid="stMain"] h2').first.inner_text()
    epsilon, seed = page.locator(".st-key-epsilon_box"), page.locator(".st-key-seed")
    assert epsilon.is_visible()
    turn_to(page, "Paper")
    no_errors(page)
    assert not epsilon.is_visible() and not page.locator(".st-key-algorithms").is_visible()
    page.locator(".st-key-trials_and_seed summary").click()
    seed.wait_for(state="visible")
    assert not page.locator(".st-key-trials").is_visible()
    turn_to(page, "Findings")
    no_errors(page)
    assert not page.locator('[data-testid="stSidebar"]').is_visible()
    turn_to(page, "Compare")
    epsilon.wait_for(state="visible")
    address_says(page, "epsilon=5", "n=60", "seed=3")
    assert page.locator('[data-testid="stMain"] h2').first.inner_text() == before
