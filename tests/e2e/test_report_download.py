"""The report as it is downloaded: it opens without a network and prints on two pages."""

from __future__ import annotations

import re

import pytest
from docx import Document
from test_browser import no_errors, open_page, settled


def download(page, name, path):
    with page.expect_download(timeout=60_000) as started:
        page.get_by_role("button", name=name).click()
    started.value.save_as(path)
    return path


@pytest.mark.parametrize("query", ["source=sample&sample=bikes&also_k=10", "x_new=0,0.1,0.2,0.3,0.5,0.7,0.8,1"])
def test_the_report_of_compare_opens_offline_and_prints_on_two_pages(chromium, server, tmp_path, query):
    page = open_page(chromium, server, f"compare?{query}")
    answer = page.locator('[data-testid="stMain"] h2').first.inner_text()
    page.get_by_text("Report to hand on").click()
    html = download(page, "Report (HTML)", tmp_path / "report.html")
    word = download(page, "Report (Word)", tmp_path / "report.docx")
    no_errors(settled(page))
    assert answer in [paragraph.text for paragraph in Document(str(word)).paragraphs]

    window = chromium.new_context(offline=True, viewport={"width": 390, "height": 844}).new_page()
    asked, problems = [], []
    window.on("request", lambda request: asked.append(request.url))
    window.on("console", lambda message: problems.append(message.text))
    window.goto(html.as_uri())
    assert window.locator(".answer").inner_text() == answer
    assert asked == [html.as_uri()] and not problems
    assert window.evaluate("document.documentElement.scrollWidth") == 390
    assert window.locator("svg:visible").count() == 1
    pdf = window.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 2
