"""A figure of the paper in a browser: its link, its files, and a live picture that follows its slider."""

from __future__ import annotations

from xml.etree import ElementTree

from tests.e2e.browser import CHART, address_says, made, no_errors, open_page


def test_a_figure_is_saved_as_files_and_the_next_stands_in_the_link(chromium, server, tmp_path):
    page = open_page(chromium, server, "paper?figure=smooth-sensitivity")
    page.locator(CHART).first.wait_for()
    svg = ElementTree.parse(made(page, "the picture (SVG)", tmp_path / "figure.svg")).getroot()
    assert "records changed before" in {each.text for each in svg.iter()}
    html = made(page, "the picture (HTML)", tmp_path / "figure.html")
    page.get_by_role("button", name="→").click()
    address_says(page, "figure=beta")
    no_errors(page)

    window = chromium.new_context(offline=True).new_page()
    asked, problems = [], []
    window.on("request", lambda request: asked.append(request.url))
    window.on("pageerror", lambda problem: problems.append(str(problem)))
    window.goto(html.as_uri())
    window.locator(".marks").wait_for()
    assert asked == [html.as_uri()] and not problems


def test_names_in_legends_are_whole_where_two_panels_share_the_page(chromium, server):
    page = open_page(chromium, server, "paper?figure=tracts", size=(1280, 720))
    page.locator(CHART).nth(1).wait_for()
    left = page.evaluate("""() => [...document.querySelectorAll('svg.marks')].flatMap(picture => {
        const edge = picture.getBoundingClientRect().right, names = picture.querySelectorAll('.role-legend-label text');
        return [...names].map(name => edge - name.getBoundingClientRect().right); })""")
    assert len(left) == 18 and min(left) >= 0
