"""The same jobs from a terminal: ``python -m dpslr_core --help``."""

from __future__ import annotations

import click

from .audit_command import audit
from .commands import by_group, compare
from .guidance_commands import findings_command, recommend, winner_map_command
from .simulate_commands import simulate


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
def main() -> None:
    """Differentially private simple linear regression: how large is the noise, on data like yours?

    FILE is a table with a header: CSV, Stata (.dta) or Parquet. What is printed and written looks at the true data
    and is itself not private: explore with public or synthetic data. Draws from a seed illustrate and may not be
    published as a release.
    """


for command in (by_group, compare, simulate, winner_map_command, findings_command, recommend, audit):
    main.add_command(command)

__all__ = [
    "main",
]
