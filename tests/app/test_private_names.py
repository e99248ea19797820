"""Nothing of the app rests on names of Streamlit that it does not promise to keep."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = [
    ROOT / "app.py",
    *(path for folder in ("ui", "pages", "serve") for path in (ROOT / folder).glob("*.py")),
]
INSIDE = ("streamlit.delta_generator", "streamlit.runtime", "streamlit.proto", "streamlit.net_util")


def private_names(source: str) -> list[str]:
    """Modules from the inside of Streamlit that a source imports, and private attributes that it uses of st."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{each.name}" for each in node.names]
        elif isinstance(node, ast.Import):
            found += [each.name for each in node.names]
        elif (
            isinstance(node, ast.Attribute)
            and node.attr.startswith("_")
            and "st." in ast.unparse(node)
        ):
            found.append(INSIDE[0])
    return [name for name in found if name.startswith(INSIDE)]


def test_no_file_uses_private_names_of_streamlit():
    found = {
        path.stem: names
        for path in FILES
        if (names := private_names(path.read_text(encoding="utf-8")))
    }
    assert not found


def test_a_private_name_would_be_found():
    sources = [
        "from streamlit.runtime import Runtime",
        "from streamlit import net_util",
        "import streamlit.runtime",
    ]
    assert all(map(private_names, [*sources, "st.session_state._state", "st._main"]))
