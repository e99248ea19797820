"""The options that say what each algorithm may spend, and whose privacy it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ...support.accounting import APPROX, Accounting, OneDelta, SpendingRule, rule_of


def _accounting(_context: click.Context, _option: click.Parameter, written: str | None) -> SpendingRule | None:
    try:
        return None if written is None else rule_of(written)
    except ValueError as problem:
        raise click.BadParameter(str(problem)) from None


_RULE = click.option(
    "--accounting",
    callback=_accounting,
    metavar=f"[{'|'.join(Accounting)}|{APPROX}:DELTA]",
    help="What each algorithm may spend: "
    + "; ".join(f"{rule}: {rule.explanation.rstrip('.')}" for rule in (*Accounting, OneDelta()))
    + f".  [default: {Accounting.PAPER}]",
)
_RECORDS = click.option(
    "--records-per-person",
    type=click.IntRange(1),
    metavar="K",
    help="The guarantee is for a person with up to K records; algorithms add enough noise for all K.  [default: 1]",
)


def spending(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with both options, ``accounting`` and ``records_per_person``; None where they are not given."""
    return _RULE(_RECORDS(command))
