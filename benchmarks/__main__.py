"""Print the table: ``python -m benchmarks``, or one of its longer parts: ``python -m benchmarks large``.

``--save`` also writes the table of a part that pages show, one of sample_data.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Sequence
from importlib import import_module

PARTS = (
    "large", "depth", "ties", "areas", "sweeps", "guidance", "beyond", "coverage", "house", "load", "peers",
    "turns", "pooling", "release", "winner_map", "findings", "lesson_classes",
    "start",
)  # fmt: skip
STORED = ("coverage", "pooling", "winner_map", "findings", "lesson_classes", "start")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "part",
        nargs="?",
        choices=PARTS,
        help="large data; deepest line; shared values; areas; sweeps; guidance; newer ones; intervals; "
        "code; a class; others; turns; memory; areas that help each other; releases to publish; "
        "the map; the page Findings; the lesson; the page Start",
    )
    parser.add_argument(
        "--save", action="store_true", help="write the table of sample_data that pages show"
    )
    asked, rest = parser.parse_known_args(arguments)
    part = asked.part
    if asked.save and part not in STORED:
        parser.error(f"--save goes with {', '.join(STORED)}")
    if part == "load":
        from .load import command

        command.main(rest)
    elif rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    elif part == "peers":
        from . import peers

        peers.main()
    else:
        own_figures(part, asked.save)


def own_figures(part: str | None, save: bool = False) -> None:
    """Print the core, its laws and the app, or the part named; save: whether its table is also written."""
    print(
        f"{platform.machine()}, Python {platform.python_version()}; medians, both sides of a "
        "ratio in turns\n"
    )
    for name in (part,) if part else ("core", "laws", "app"):
        module = import_module(
            f".{name}", __package__
        )  # not above: the peers' environment lacks Streamlit
        for row in module.rows(True) if save else module.rows():
            print(row, flush=True)


if __name__ == "__main__":
    try:
        main()
    except ModuleNotFoundError as missing:
        sys.exit(
            f"The package {missing.name} is not installed here: make .venv/.test installs all "
            "that is measured, and .venv/bin/python -m benchmarks runs with it."
        )
