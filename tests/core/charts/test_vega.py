"""Pictures as files: what their bytes are, and that nothing is fetched."""

import re
from io import BytesIO
from xml.etree import ElementTree

import pandas as pd
import pytest
from PIL import Image

from dpslr_core.charts.vega import axis, layer, with_data, written, xy
from dpslr_core.paper.pictures import together


def test_files_are_what_they_are_called_and_fetch_nothing():
    dots = layer("dots", {"type": "point"}, xy(axis("x of <dots>"), axis("σ and ε")))
    rows = pd.DataFrame({"x": [0.5], "y": [0.5]})
    chart = together({"Dots": with_data({"layer": [dots], "height": 300}, dots=rows)}, 2, 380)
    root = ElementTree.fromstring(written(chart, ".svg"))
    assert root.tag.endswith("svg")
    assert {"Dots", "x of <dots>", "σ and ε"} <= {
        text.text for text in root.iter() if text.tag.endswith("text")
    }
    picture = Image.open(BytesIO(written(chart, ".png")))
    assert picture.format == "PNG" and picture.width == pytest.approx(
        2 * float(root.get("width")), abs=2
    )
    page = written(chart, ".html").decode()
    assert "vegaEmbed" in page and not re.findall(r"<(?:script|link)[^>]*(?:src|href)=", page)
    with pytest.raises(ValueError, match="must end in"):
        written(chart, ".pdf")
