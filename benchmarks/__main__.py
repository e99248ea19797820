"""Print the table: ``python -m benchmarks``, or ``python -m benchmarks peers`` for the other libraries."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("part", nargs="?", choices=["peers"], help="compare with opendp and diffprivlib")
    if parser.parse_args(arguments).part == "peers":
        from . import peers

        peers.main()
    else:
        own_figures()


def own_figures() -> None:
    """The core and the app."""
    from . import app, core  # not above: the app needs Streamlit, which the peers' environment lacks

    print(f"{platform.machine()}, Python {platform.python_version()}; medians, both sides of a ratio in turns\n")
    for part in (core, app):
        for row in part.rows():
            print(row, flush=True)


if __name__ == "__main__":
    main()
