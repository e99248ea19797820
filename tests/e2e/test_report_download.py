"""The report as it is downloaded: it opens without a network and prints on two pages."""

from __future__ import annotations

import re

import pytest
from docx import Document
from test_browser import no_errors, open_page, settled


def download(page, name, path):
    """A file that one click on a button brings, in half a minute at the latest."""
    with page.expect_download(timeout=30_000) as started:
        page.get_by_role("button", name=name).click(timeout=30_000)
    started.value.save_as(path)
    return path


@pytest.fixture
def twenty_areas(tmp_path):
    """A file with twenty areas."""
    rows = [f"{area:02d},{i / 30},{0.3 + i / 90 + (i * area) % 7 / 40}" for area in range(20) for i in range(30)]
    file = tmp_path / "twenty.csv"
    file.write_text("\n".join(["area,x,y", *rows]))
    return file


@pytest.mark.parametrize(
    "query",
    [
        "compare?source=sample&sample=bikes&also_k=10",
        "compare?x_new=0,0.1,0.2,0.3,0.5,0.7,0.8,1",
        "small_areas?source=upload&group_column=area&x_column=x&y_column=y&x_bounds=0,1&y_bounds=0,1&epsilon=16",
    ],
)
def test_the_report_of_a_page_opens_offline_and_prints_on_two_pages(chromium, server, tmp_path, twenty_areas, query):
    if "upload" in query:
        page = open_page(chromium, server, query.replace("small_areas", "data"))
        page.locator('[data-testid="stFileUploader"] input').set_input_files(twenty_areas)
        page.get_by_text("twenty.csv").first.wait_for()
        settled(page)
        page.locator('[data-testid="stTopNavLink"]', has_text="Small areas").click()
        settled(page)
    else:
        page = open_page(chromium, server, query)
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
