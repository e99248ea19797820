"""Print what is measured: ``python -m benchmarks``, or a longer part: ``python -m benchmarks areas``.

``--save`` writes the tables of a part of TABLES, which pages show, to sample_data.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from importlib import import_module

from dpslr_core.sources.stored import write_tables

USUAL = ("core", "laws", "app")
LONGER = ("large", "areas", "sweeps", "guidance", "load", "turns", "release")
TABLES = ("coverage", "pooling", "winner_map", "findings", "lesson_classes", "start")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("part", nargs="?", choices=(*USUAL, *LONGER, *TABLES))
    parser.add_argument("--save", action="store_true", help="write the tables of this part")
    options, rest = parser.parse_known_args(arguments)
    if options.part == "load":
        from .load import command

        command.main(rest)
        return
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    print(f"{platform.machine()}, Python {platform.python_version()}\n")
    for module_name in (options.part,) if options.part else USUAL:
        module = import_module(f".{module_name}", __package__)
        if module_name not in TABLES:
            for row in module.rows():
                print(row, flush=True)
            continue
        tables = module.made()
        for name, table in tables.items():
            print(f"{name}\n{table.to_string(index=False)}\n")
        if options.save:
            write_tables(tables, module.STORED, **module.ABOUT)


if __name__ == "__main__":
    main()
