"""``pytest tests/audit --mechanism mine.py``: the audit of the algorithms in a file, and of nothing else."""

import os

from dpslr_core.mechanisms import FILE_VARIABLE, MECHANISMS
from tests.audit.suite import label, promising


def pytest_addoption(parser):
    parser.addoption(
        "--mechanism",
        metavar="FILE",
        help="audit the algorithms that this file defines, and no others",
    )


def pytest_configure(config):
    if file := config.getoption("--mechanism", default=None):
        os.environ[FILE_VARIABLE] = file


def pytest_generate_tests(metafunc):
    """A test that takes "own" runs for each algorithm of the file."""
    if "own" in metafunc.fixturenames:
        given = metafunc.config.getoption("--mechanism", default=None)
        metafunc.parametrize(
            "own",
            [each for each in promising() if given and type(each) not in MECHANISMS],
            ids=label,
        )


def pytest_collection_modifyitems(config, items):
    given = config.getoption("--mechanism", default=None) is not None
    items[:] = [item for item in items if ("own" in getattr(item, "fixturenames", ())) == given]
