"""What all tests share: hypothesis without deadlines, for a busy machine must not fail a test, and who runs what."""

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """One worker for the browser and its server, one for the pages and their caches, one for each file of the core."""
    from xdist.scheduler import LoadScopeScheduling

    class BySharedParts(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path = nodeid.split("::")[0]
            return next((part for part in ("tests/e2e", "tests/app") if path.startswith(part)), path)

    return BySharedParts(config, log)
