"""The report as it is downloaded: it opens without a network, and prints a page to hand on and an appendix."""

from __future__ import annotations

import re

import pytest
from docx import Document

from tests.e2e.browser import TWO, headline, made, no_errors, open_page, settled


@pytest.mark.parametrize(
    "query",
    [
        "compare?source=sample&sample=bikes&also_k=10",
        f"small_areas?source=sample&sample=tracts&epsilon=16&area_details=Memo and files&{TWO}",
    ],
)
def test_the_report_opens_offline_and_prints_a_page_and_an_appendix(
    chromium, server, tmp_path, query
):
    page = open_page(chromium, server, query)
    answer = headline(page)
    page.get_by_text("Report to hand on").click()
    html = made(page, "the report (HTML)", tmp_path / "report.html")
    word = made(page, "the report (Word)", tmp_path / "report.docx")
    no_errors(settled(page))
    assert any(paragraph.text.startswith(answer) for paragraph in Document(str(word)).paragraphs)

    window = chromium.new_context(offline=True, viewport={"width": 390, "height": 844}).new_page()
    asked, problems = [], []
    window.on("request", lambda request: asked.append(request.url))
    window.on("console", lambda message: problems.append(message.text))
    window.goto(html.as_uri())
    assert window.locator(".answer").inner_text().startswith(answer)
    assert asked == [html.as_uri()] and not problems
    assert window.evaluate("document.documentElement.scrollWidth") == 390
    assert window.locator("svg:visible").count() == 1
    pdf = window.pdf(prefer_css_page_size=True)
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 4
