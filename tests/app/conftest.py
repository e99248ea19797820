"""What the tests of the pages share: the caches of the app, as its users do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import streamlit as st

from tests.cases.taken import Files, save_into


@pytest.fixture(autouse=True)
def _caches(request) -> Iterator[None]:
    """A test that replaces a part of the app starts with empty caches and leaves nothing of it in them."""
    replaces = "monkeypatch" in request.fixturenames
    if replaces:
        clear()
    yield
    if replaces:
        clear()


def clear() -> None:
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture
def saved_files(monkeypatch: pytest.MonkeyPatch) -> Files:
    """What the buttons of a page save, by name."""
    saved: Files = {}

    save_into(saved, monkeypatch)
    return saved
