"""``dpslr cite``: how to cite the paper and this tool."""

from __future__ import annotations

import click

from ...report.citation import bibtex, plain_citations


@click.command()
@click.option("--bibtex", "as_bibtex", is_flag=True, help="Print BibTeX.")
def cite(as_bibtex: bool) -> None:
    """Print how to cite the paper and this tool."""
    click.echo(bibtex() if as_bibtex else plain_citations())
