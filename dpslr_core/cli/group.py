"""The command ``dpslr``: its commands are imported when they are called, so that ``dpslr --help`` is quick."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from ..support.version import VERSION
from .ends import CODES, INTERRUPTED, NEEDS_APP, Refused


class Place(NamedTuple):
    """Where a command is, and what it does in a few words."""

    module: str
    name: str
    help: str


COMMANDS = {
    "compare": Place(".commands.compare", "compare", "Compare the algorithms on one data set."),
    "sweep": Place(".commands.sweep", "sweep", "Vary one parameter and measure the error of every algorithm."),
    "by-group": Place(".commands.by_group", "by_group", "Measure every algorithm in every area."),
    "recommend": Place(".commands.recommend", "recommend", "Say which algorithm to use, and why."),
    "required": Place(".commands.required", "required", "Find the smallest ε or n that is enough."),
    "report": Place(".commands.report", "report", "Write a report to hand on, as HTML or for Word."),
    "figure": Place(".figure_command", "figure", "Rebuild figures of the paper."),
    "claims": Place(".claims_command", "claims", "Compute every numeric claim of the paper anew."),
    "audit": Place(".commands.audit", "audit", "Compare what every algorithm promises with what it draws."),
    "datasets": Place(".commands.data", "datasets", "List the data sets that have a name, or write one."),
    "simulate": Place(".commands.data", "simulate", "Make data to try things out on."),
    "winner-map": Place(".commands.stored", "winner_map_command", "Compute the map of the best algorithm."),
    "findings": Place(".commands.stored", "findings_command", "Measure where newer algorithms beat the paper's."),
    "lesson-classes": Place(".commands.stored", "lesson_classes", "Compute the lesson's errors over many classes."),
    "cite": Place(".commands.cite", "cite", "Print how to cite the paper and this tool."),
}


class Commands(click.Group):
    """A group that knows the names of its commands and imports each when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, in their order."""
        return list(dict.fromkeys((*COMMANDS, *super().list_commands(ctx))))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, or None."""
        place = COMMANDS.get(cmd_name)
        if place is None:
            return super().get_command(ctx, cmd_name)
        try:
            command: click.Command = getattr(import_module(place.module, __package__), place.name)
        except ModuleNotFoundError as error:
            raise Refused(f"{error}; {NEEDS_APP}") from error
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with a few words each."""
        with formatter.section("Commands"):
            formatter.write_dl(self._told(ctx))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin so, then the options."""
        told = [(name, words) for name, words in self._told(ctx) if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=words) for name, words in told), *options]

    def _told(self, ctx: click.Context) -> list[tuple[str, str]]:
        added = {name: command.get_short_help_str() for name, command in self.commands.items()}
        words = {name: place.help for name, place in COMMANDS.items()} | added
        return [(name, words[name]) for name in self.list_commands(ctx)]

    def invoke(self, ctx: click.Context) -> Any:
        """The command; Ctrl-C ends it with a word and its own exit code."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(INTERRUPTED)


ENDINGS = "\n".join(f"{code:>5}  {meaning}" for code, meaning in CODES.items())
COMPLETION = 'eval "$(_DPSLR_COMPLETE=bash_source dpslr)"'


@click.group(
    cls=Commands,
    name="dpslr",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=f"\b\nExit codes:\n{ENDINGS}\n\nCompletion in the shell: {COMPLETION}; with zsh or fish in place of bash.",
)
@click.version_option(VERSION, prog_name="dpslr")
def main() -> None:
    """Differentially private simple linear regression: how large is its error, on data like yours?

    FILE is a table with a header: CSV, Stata (.dta) or Parquet. What is printed and written looks at the true data
    and is itself not private: explore with public or synthetic data. Draws from a seed illustrate and may not be
    published as a release.
    """
