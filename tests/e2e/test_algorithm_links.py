"""The lists of algorithms and the address: none, some and all of them, Back and Forward."""

from __future__ import annotations

import re

from test_browser import open_page, settled


def test_the_address_says_the_choice_and_back_and_forward_restore_it(chromium, server):
    page = open_page(chromium, server, "data?algorithms=OLS&algorithms=NoisyStats")

    def chosen() -> list[str]:
        return page.locator('[class*="st-key-algorithms_"] button[aria-pressed="true"]').all_inner_texts()

    def clicked(name: str, address: str) -> None:
        page.locator(".stSidebar").get_by_text(name, exact=True).click()
        page.wait_for_url(re.compile(address))
        settled(page)

    assert chosen() == ["OLS", "NoisyStats"]
    clicked("NoisyStatsGaussian", "algorithms=NoisyStatsGaussian$")
    clicked("Usual", "data$")
    everything = chosen()
    assert len(everything) > 10
    page.go_back()
    settled(page)
    assert chosen() == ["OLS", "NoisyStats", "NoisyStatsGaussian"]
    page.go_forward()
    settled(page)
    assert chosen() == everything
    page.goto(f"{server}/data?algorithms=OLS")
    settled(page)
    clicked("OLS", "algorithms=$")
    assert chosen() == []
    page.reload()
    settled(page)
    assert chosen() == []
