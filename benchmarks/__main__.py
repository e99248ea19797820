"""Print the table: ``python -m benchmarks``."""

from __future__ import annotations

import platform

from . import app, core


def main() -> None:
    print(f"{platform.machine()}, Python {platform.python_version()}; medians, both sides of a ratio in turns\n")
    for part in (core, app):
        for row in part.rows():
            print(row, flush=True)


if __name__ == "__main__":
    main()
