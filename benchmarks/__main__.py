"""Print the table: ``python -m benchmarks``, with ``large`` for large data, with ``peers`` for the other libraries."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("part", nargs="?", choices=["large", "peers"], help="large data; or opendp and diffprivlib")
    part = parser.parse_args(arguments).part
    if part == "peers":
        from . import peers

        peers.main()
    else:
        own_figures(part)


def own_figures(part: str | None) -> None:
    """The core, its laws and the app; or the large data."""
    from . import app, core, large, laws  # not above: the app needs Streamlit, which the peers' environment lacks

    print(f"{platform.machine()}, Python {platform.python_version()}; medians, both sides of a ratio in turns\n")
    for part_rows in (large,) if part == "large" else (core, laws, app):
        for row in part_rows.rows():
            print(row, flush=True)


if __name__ == "__main__":
    main()
