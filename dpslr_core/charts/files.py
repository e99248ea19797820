"""A picture as a file: SVG and PNG are drawn without a browser, HTML opens without a network."""

from __future__ import annotations

import json
from typing import Any

DRAWN = (".svg", ".png", ".html")


def written(chart: Any, suffix: str) -> bytes:
    """The bytes of a file that ends so; ValueError where suffix is none of DRAWN.

    chart: of altair's, or a Vega-Lite specification whose "datasets" are frames.
    """
    import vl_convert  # only what is saved needs it

    specification = with_rows(chart) if isinstance(chart, dict) else chart.to_dict()
    match suffix:
        case ".svg":
            return vl_convert.vegalite_to_svg(specification).encode()
        case ".png":
            return bytes(vl_convert.vegalite_to_png(specification, scale=2))
        case ".html":
            return vl_convert.vegalite_to_html(specification, bundle=True).encode()
    raise ValueError(f"a figure must end in {', '.join(DRAWN)}, got {suffix!r}")


def with_rows(specification: dict[str, Any]) -> dict[str, Any]:
    """The specification with the rows of its frames, as JSON has them: a missing number is null."""
    frames = specification["datasets"].items()
    rows = {name: json.loads(frame.to_json(orient="records", double_precision=15)) for name, frame in frames}
    return specification | {"datasets": rows}
