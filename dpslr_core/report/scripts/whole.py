"""What all scripts share: the whole of one, and the lines that load the data of a view."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from ...mechanisms import FILE_VARIABLE
from ...mechanisms.base import Mechanism
from ...scenario import Scenario
from ...sources.choices import UploadedFile
from ...support.version import VERSION
from ...text.view import View
from .literals import is_own, literal, source_call

WARNING = "# What is printed is computed from the true data and is not private."


def whole_script(
    title: str, imports: Sequence[str], scenario: Scenario, mechanisms: Sequence[Mechanism], body: Sequence[str]
) -> str:
    """The whole script; every name that it uses is imported."""
    text = "\n".join(body)
    own = any(is_own(mechanism) for mechanism in mechanisms)
    names = sorted({type(mechanism).__name__ for mechanism in mechanisms if not is_own(mechanism)})
    needed = [*imports, *(["from dpslr_core.mechanisms import " + ", ".join(names)] if names else [])]
    needed += ["from dpslr_core.scenario import mechanism_named"] if own else []
    kind = type(scenario.source).__name__
    needed += [f"from dpslr_core.sources.choices import {kind}"] if f"{kind}(" in text else []
    if "read_table(" in text:
        needed += ["from pathlib import Path", "from dpslr_core.sources.files.csv_table import read_table"]
    needs = [f"Its own algorithms are in the file that ${FILE_VARIABLE} names."] if own else []
    return plain_script(title, needed, body, needs)


def plain_script(title: str, imports: Sequence[str], body: Sequence[str], needs: Sequence[str] = ()) -> str:
    """A script that imports no more than these lines say; needs: lines on what must be there."""
    about = [
        f'"""{title}: the same numbers, to the last bit.',
        "",
        f"Needs dpslr {VERSION}. Made with numpy {np.__version__} and scipy {scipy.__version__}.",
        *needs,
        '"""',
    ]
    return "\n".join([*about, "", *_sorted(imports), "", *body, ""])


def _sorted(imports: Sequence[str]) -> list[str]:
    """The standard library first, then the package, by module; names of one module together."""
    ours = sorted({line for line in imports if "dpslr_core" in line})
    others = sorted({line for line in imports if "dpslr_core" not in line})
    return [*others, *([""] if others else []), *ours]


def data_lines(view: View[Scenario]) -> list[str]:
    """The data set of the view's group."""
    return [grouped_line(view), f"data = grouped.dataset({literal(view.group)})"]


def grouped_line(view: View[Scenario]) -> str:
    """The grouped data of the view; of an uploaded file, which must lie beside the script."""
    source = view.scenario.source
    if not isinstance(source, UploadedFile):
        return f"grouped = {source_call(source)}.load()"
    name = literal(view.grouped.name)
    return (
        f"file = Path({name})  # the uploaded file, which is not in this script\n"
        f"grouped = {source_call(source)}.built(read_table(file.read_bytes(), {name}), {name}).grouped"
    )


def value_axis(view: View[Scenario]) -> str:
    """The axis of y that the view speaks in."""
    return "UNIT_Y" if view.y != view.grouped.y else "grouped.y"
