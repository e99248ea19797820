"""What all tests share: hypothesis without deadlines, for a busy machine must not fail a test, and who runs what."""

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


LONGEST = ("tests/e2e", "tests/app")  # what shares a browser and its server, and what shares the caches of pages


def pytest_collection_modifyitems(items):
    """The longest parts first, so that no worker is left with one of them at the end."""
    items.sort(
        key=lambda item: next((i for i, part in enumerate(LONGEST) if item.nodeid.startswith(part)), len(LONGEST))
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """One worker for each of the longest parts, then one for each file of the core."""
    from xdist.scheduler import LoadScopeScheduling

    class BySharedParts(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path = nodeid.split("::")[0]
            return next((part for part in LONGEST if path.startswith(part)), path)

    return BySharedParts(config, log)
