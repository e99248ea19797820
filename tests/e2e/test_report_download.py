"""The report as it is downloaded: it opens without a network, and prints a page to hand on and an appendix."""

from __future__ import annotations

import re

import pytest
from docx import Document

from tests.e2e.browser import UPLOADER, headline, made, no_errors, open_page, settled, turn


@pytest.fixture
def twenty_areas(tmp_path):
    """A file with twenty areas."""
    rows = [
        f"{area:02d},{i / 30},{0.3 + i / 90 + (i * area) % 7 / 40}"
        for area in range(20)
        for i in range(30)
    ]
    file = tmp_path / "twenty.csv"
    file.write_text("\n".join(["area,x,y", *rows]))
    return file


@pytest.mark.parametrize(
    "query",
    [
        "compare?source=sample&sample=bikes&also_k=10",
        "small_areas?source=upload&group_column=area&x_column=x&y_column=y&x_bounds=0,1&y_bounds=0,1&epsilon=16",
    ],
)
def test_the_report_opens_offline_and_prints_a_page_and_an_appendix(
    chromium, server, tmp_path, twenty_areas, query
):
    if "upload" in query:
        page = open_page(chromium, server, query.replace("small_areas", "data"))
        page.locator(UPLOADER).set_input_files(twenty_areas)
        page.get_by_text("twenty.csv").first.wait_for()
        settled(page)
        turn(page, "Small areas")
        page.get_by_text("Decide on the true file").click()
        settled(page)
        page.get_by_text("Memo and files", exact=True).click()
        settled(page)
    else:
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
