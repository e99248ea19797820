"""The templates of scripts and reports, by jinja2: their folder, and the rules by which they are written out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # every page imports this module, and few write a script or a report
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"


def environment(**options: Any) -> Environment:
    """Environment of jinja2 for the templates: an unknown name is an error, a statement leaves no blank line."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, **options,
    )  # fmt: skip
