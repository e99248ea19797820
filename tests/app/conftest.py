"""What the tests of the pages share: caches survive between AppTests, so each starts with empty ones."""

from __future__ import annotations

import pytest
import streamlit as st


@pytest.fixture(autouse=True)
def _fresh_caches():
    st.cache_data.clear()
    st.cache_resource.clear()
