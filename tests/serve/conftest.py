"""A server of the app for visitors without a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.served import served


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    with served() as (_, where):
        yield where
