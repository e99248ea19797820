"""What all tests share: hypothesis without deadlines, for a busy machine must not fail a test, and who runs what."""

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


# What shares a browser and its server, in two halves, for much of the time is spent waiting; what shares page caches.
ALONE = ("tests/e2e/test_access", "tests/e2e/test_injection", "tests/e2e/test_lesson")
LONGEST = {
    "first half of e2e": ALONE,
    "second half of e2e": ("tests/e2e",),
    "hostile input": ("tests/app/test_hostile",),
    "app": ("tests/app",),
}


def part_of(nodeid: str) -> str:
    """The part that a test runs with on one worker: one of the longest, or its file."""
    return next((part for part, starts in LONGEST.items() if nodeid.startswith(starts)), nodeid.split("::")[0])


def pytest_collection_modifyitems(items):
    """The longest parts first, so that no worker is left with one of them at the end."""
    places = {part: place for place, part in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(part_of(item.nodeid), len(LONGEST)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """One worker for each of the longest parts, then one for each file of the core."""
    from xdist.scheduler import LoadScopeScheduling

    class ByParts(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return part_of(nodeid)

    return ByParts(config, log)
