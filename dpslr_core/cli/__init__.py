"""The command ``dpslr``, also ``python -m dpslr_core``: its commands, its exit codes, and the sentences of errors.

A command is imported when it is called, so that ``dpslr --help`` is quick.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import current_thread, main_thread
from traceback import print_exc
from typing import Any

import click

from ..support import ENDING, VERSION
from ..support.readable import visible

FINDING, WRONG, UNAVAILABLE, BUG, INTERRUPTED = 1, 2, 3, 70, 130
CODES = {
    0: "done",
    FINDING: "done, and the answer is no: a certificate is refused, a target is out of reach",
    WRONG: "wrong use: an option, a file or a column; the sentence names it",
    UNAVAILABLE: "data that must be downloaded cannot be had",
    BUG: "an error of dpslr itself; --debug shows its traceback",
    INTERRUPTED: "interrupted by Ctrl-C or a signal",
}
LONGEST = 1_000  # characters of an error's sentence
NEEDS_APP = "pip install 'dpslr[app]' brings all that pictures and reports need"


class Refused(click.ClickException):
    """Error of use, as a sentence for the user, with exit code 2."""

    exit_code = WRONG


class Unavailable(Refused):
    """Error about data that cannot be had, as a sentence, with exit code 3."""

    exit_code = UNAVAILABLE


class Failed(Refused):
    """Error of dpslr itself, as a sentence, with exit code 70."""

    exit_code = BUG


def refusal(error: Exception) -> Refused:
    """Make the sentence that ends a command.

    Parameters
    ----------
    error : Exception
        ValueError, OSError and ImportError say what the user can change; any other exception is a bug.

    Returns
    -------
    Refused
        The sentence, at most LONGEST characters, with its exit code.
    """
    from pydantic import ValidationError

    from ..sources.samples import DataUnavailable

    sentence, kind = str(error), Refused
    if isinstance(error, DataUnavailable):
        kind = Unavailable
    elif isinstance(error, ImportError):
        sentence = sentence if "pip install" in sentence else f"{error}; {NEEDS_APP}"
    elif isinstance(error, ValidationError):
        first = error.errors()[0]
        sentence = first["msg"].removeprefix("Value error, ")
        if name := ".".join(str(step) for step in first["loc"]):
            sentence = f"{name}: {sentence}, got {first['input']!r}"
    elif not isinstance(error, ValueError | OSError):
        sentence, kind = (
            f"dpslr itself failed, {type(error).__name__}: {error}; dpslr --debug shows where",
            Failed,
        )
    sentence = visible(sentence)
    long = len(sentence) > LONGEST  # such a sentence repeats a long input: leave its middle out
    return kind(f"{sentence[: LONGEST - 120]} … {sentence[-100:]}" if long else sentence)


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Let ``kill`` and a closed terminal interrupt as Ctrl-C does; signals that are ignored stay ignored (nohup)."""
    before = {}
    if current_thread() is main_thread():  # Python lets no other thread set handlers
        for number in ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Lazy(click.Command):
    """Command of which the list of commands needs name and short help alone; a call imports it."""

    def __init__(self, name: str, module: str, short_help: str) -> None:
        super().__init__(name, short_help=short_help)
        self.module = module

    def load(self) -> click.Command:
        """Import the command, a function of its module."""
        command: click.Command = getattr(
            import_module(self.module, __package__), str(self.name).replace("-", "_")
        )
        return command

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Make the context of the imported command, in which click calls it."""
        return self.load().make_context(*arguments, **options)


class Commands(click.Group):
    """Group of the commands, listed under the headings of COMMANDS; errors end with a sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in their order."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, heading by heading."""
        for heading, commands in COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(str(command.name), str(command.short_help)) for command in commands]
                )

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a signal or an error ends it with a sentence and an exit code."""
        try:
            with interrupted_by_signals():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(INTERRUPTED)
        except (
            click.ClickException,
            click.exceptions.Exit,
            click.Abort,
            BrokenPipeError,
        ):  # these have their own sentence
            raise
        except Exception as error:
            if ctx.params["debug"]:
                print_exc()
            raise refusal(error) from error


COMMANDS = {
    "Explore": (
        Lazy("compare", ".measure", "Compare the algorithms on one data set."),
        Lazy("sweep", ".measure", "Vary one parameter and measure the error of every algorithm."),
        Lazy("by-group", ".measure", "Measure every algorithm in every area."),
        Lazy("report", ".measure", "Write a report to hand on, as HTML or for Word."),
        Lazy("datasets", ".data", "List the data sets that have a name, or write one."),
        Lazy("simulate", ".data", "Make data to try things out on."),
    ),
    "Decide": (
        Lazy("recommend", ".guidance", "Say which algorithm to use, and why."),
        Lazy("decide", ".guidance", "Say which algorithm to publish in all areas."),
        Lazy("required", ".guidance", "Find the smallest ε or n that is enough."),
    ),
    "Release": (
        Lazy("plan", ".release", "Plan a release: public settings alone."),
        Lazy("release", ".release", "Release once what a plan says, with a certificate."),
        Lazy("rehearse", ".release", "Rehearse a plan on simulated records; nothing is spent."),
        Lazy("spent", ".release", "Show what was spent on data, or raise its budget."),
        Lazy("verify", ".release", "Verify the certificate of a release."),
    ),
    "Paper": (
        Lazy("figure", ".reproduce", "Rebuild figures of the paper."),
        Lazy("claims", ".reproduce", "Compute every numeric claim of the paper anew."),
        Lazy("cite", ".reproduce", "Print how to cite the paper and this tool."),
    ),
}
ENDINGS = "\n".join(f"{code:>5}  {meaning}" for code, meaning in CODES.items())
COMPLETION = 'eval "$(_DPSLR_COMPLETE=bash_source dpslr)"'


@click.group(
    cls=Commands,
    commands=[command for commands in COMMANDS.values() for command in commands],
    name="dpslr",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=f"\b\nExit codes:\n{ENDINGS}\n\nCompletion in the shell: {COMPLETION}; with zsh or fish in place of bash.",
)
@click.option(
    "--debug", is_flag=True, help="Show the traceback of an error; before the name of the command."
)
@click.version_option(VERSION, prog_name="dpslr")
def main(debug: bool) -> None:
    """Differentially private simple linear regression: how large is its error, on data like yours?

    FILE is a table with a header: CSV, Excel (.xlsx), Stata (.dta) or Parquet. What is printed and written looks at
    the true data and is itself not private: explore with public or synthetic data. Draws from a seed illustrate and
    may not be published as a release: `dpslr release` makes one that may.
    """
