"""How a command ends: its exit code, and one sentence where something is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from ..support.csv_safe import visible

FINDING, WRONG, UNAVAILABLE, INTERRUPTED = 1, 2, 3, 130
LONGEST = 1_000  # characters of a sentence
NEEDS_APP = "pip install 'dpslr[app]' brings all that pictures and reports need"
CODES = {
    0: "done",
    FINDING: "done, and the answer is no: a promise is broken, a target is out of reach",
    WRONG: "wrong use: an option, a file or a column; the sentence names it",
    UNAVAILABLE: "data that must be downloaded cannot be had",
    INTERRUPTED: "interrupted by Ctrl-C or a signal",
}


class Refused(click.ClickException):
    """A sentence for the user, and exit code 2."""

    exit_code = WRONG


class Unavailable(click.ClickException):
    """A sentence for the user, and exit code 3."""

    exit_code = UNAVAILABLE


def _readable(sentence: str) -> str:
    """A sentence without control characters and without the middle of what it repeats of a long input."""
    sentence = visible(sentence)
    return sentence if len(sentence) <= LONGEST else f"{sentence[: LONGEST - 120]} … {sentence[-100:]}"


@contextmanager
def said() -> Iterator[None]:
    """What is wrong with the options, a file or a cluster becomes one sentence."""
    from pydantic import ValidationError

    from ..sources.uci import DataUnavailable

    try:
        yield
    except DataUnavailable as error:
        raise Unavailable(str(error)) from error
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or error.title
        got = "" if first["type"] == "json_invalid" else f", got {first['input']!r}"
        raise Refused(_readable(f"{name}: {first['msg'].removeprefix('Value error, ')}{got}")) from error
    except (ValueError, OSError) as error:
        raise Refused(_readable(str(error))) from error
    except ImportError as error:
        raise Refused(f"{error}; {NEEDS_APP}") from error
