"""Docstrings for the reference, before griffe reads their numpydoc sections: lists and examples become Markdown."""

from __future__ import annotations

import re
from typing import Any

import griffe

ARGUMENT = re.compile(r"^[a-z_]\w*(, [a-z_]\w*)*: ")


def as_markdown(text: str) -> str:
    """Turn lines "name: meaning" into items of a list, and doctests above a section "Examples" into code."""
    lines: list[str] = []
    coded = listed = in_section = False
    for line in text.splitlines():
        in_section |= line == "Examples"  # which griffe reads itself
        example = not in_section and (line.startswith(">>> ") or (coded and bool(line.strip())))
        if example != coded:
            lines += ["", "```pycon"] if example else ["```", ""]
            coded = example
        begins = not coded and ARGUMENT.match(line) is not None
        if begins and not listed:
            lines.append("")
        listed = begins or (listed and bool(line.strip()) and not coded)
        name, _, rest = line.partition(": ")
        lines.append(f"- `{name}`: {rest}" if begins else f"  {line}" if listed else line)
    return "\n".join([*lines, *(["```"] if coded else [])])


class Docstrings(griffe.Extension):
    """Applies as_markdown to every docstring of the package."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Called for every module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
