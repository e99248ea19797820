"""Nothing of the app rests on names of Streamlit that it does not promise to keep."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = [
    ROOT / "app.py",
    *chain(*((ROOT / folder).glob("*.py") for folder in ("ui", "pages", "serve"))),
]
PRIVATE = re.compile(
    r"streamlit(\.| import .*)\b(delta_generator|runtime|proto|net_util)\b|\bst\.([\w.]+\.)?_"
)


def test_no_file_uses_private_names_of_streamlit():
    assert [path for path in FILES if PRIVATE.search(path.read_text(encoding="utf-8"))] == []


def test_a_private_name_would_be_found():
    for source in (
        "from streamlit.runtime import Runtime",
        "from streamlit import net_util",
        "import streamlit.runtime",
        "st.session_state._state",
        "st._main",
    ):
        assert PRIVATE.search(source), source
