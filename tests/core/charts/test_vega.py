"""Pictures as files: what their bytes are, and that nothing is fetched."""

import re
from io import BytesIO
from xml.etree import ElementTree

import pandas as pd
import pytest
from PIL import Image

from dpslr_core.charts.vega import axis, layer, together, with_data, written, xy


@pytest.fixture(scope="module")
def chart():
    dots = layer("dots", {"type": "point"}, xy(axis("x of <dots>"), axis("σ and ε")))
    rows = pd.DataFrame({"x": [0.5], "y": [0.5]})
    return together({"Dots": with_data({"layer": [dots], "height": 300}, dots=rows)}, 2, 380)


def test_svg_is_well_formed_and_says_what_the_axes_are(chart):
    root = ElementTree.fromstring(written(chart, ".svg"))
    assert root.tag.endswith("svg")
    assert {"Dots", "x of <dots>", "σ and ε"} <= {text.text for text in root.iter() if text.tag.endswith("text")}


def test_png_is_a_picture_twice_as_large(chart):
    picture = Image.open(BytesIO(written(chart, ".png")))
    size = ElementTree.fromstring(written(chart, ".svg"))
    assert picture.format == "PNG" and picture.width == pytest.approx(2 * float(size.get("width")), abs=2)


def test_html_fetches_nothing(chart):
    page = written(chart, ".html").decode()
    assert "vegaEmbed" in page and not re.findall(r"<(?:script|link)[^>]*(?:src|href)=", page)


def test_another_ending_is_refused(chart):
    with pytest.raises(ValueError, match="must end in"):
        written(chart, ".pdf")
