"""The audit catches every seeded fault, and raises no false alarm at a sound algorithm under the same plan.

`make test` tries each fourth fault and one algorithm of each family, `make test-all` every one, once.
"""

import pytest

from tests.audit.suite import (
    DRAWS,
    SIZES,
    SPENDING,
    TRAINED,
    AuditPlan,
    audit_units,
    examine,
    joined,
    label,
    plan,
    promising,
    table,
    variants,
)
from tests.cases.faults import FAULTS

REDUCED = AuditPlan(full=False)
QUICKEST_FIRST = [*((part, 0) for part in (SIZES, DRAWS, SPENDING)), *plan(60), (TRAINED, 0)]
SOUND = [*promising(), *variants()]
ONE_A_FAMILY = {mechanism.family: mechanism for mechanism in SOUND}.values()  # the last of each


def marked(items, name, quick):
    """Each as a parameter; those that are not quick are left to `make test-all`."""
    slow = pytest.mark.slow
    return [
        pytest.param(item, id=name(item), marks=() if item in quick else slow) for item in items
    ]


@pytest.mark.parametrize("fault", marked(FAULTS, lambda fault: fault.name, FAULTS[::4]))
def test_a_seeded_fault_is_caught(fault, monkeypatch):
    for where, name, by in fault.replaced:
        monkeypatch.setattr(where, name, by)
    parts = audit_units([fault.mechanism], REDUCED, QUICKEST_FIRST)
    assert any(not row.holds for rows in parts for row in rows)


@pytest.mark.parametrize("mechanism", marked(SOUND, label, ONE_A_FAMILY))
def test_a_sound_algorithm_raises_no_alarm(mechanism):
    """With a loss near what is promised somewhere: a fault of 25% would be an alarm."""
    rows = list(examine(mechanism, REDUCED))
    assert rows and all(row.holds for row in rows), [row for row in rows if not row.holds]
    assert max(row.worst.loss.share for row in rows) > 0.95


@pytest.mark.night
@pytest.mark.parametrize(
    "audit_plan", [AuditPlan(), AuditPlan(full=False, seed=1), AuditPlan(full=False, seed=2)]
)
@pytest.mark.parametrize("mechanism", SOUND, ids=label)
def test_no_plan_raises_an_alarm(mechanism, audit_plan):
    """Neighbours apart: test_suite."""
    rows = list(examine(mechanism, audit_plan))
    assert all(row.holds for row in rows), [row for row in rows if not row.holds]


def test_an_algorithm_of_a_file_keeps_its_promise(own):
    """``pytest tests/audit --mechanism mine.py``: every part of the audit, and 1,000 pairs of neighbours."""
    rows = joined([[row] for row in examine(own, AuditPlan(), plan(1_000))])
    print(table(rows).to_string(index=False))
    assert rows and all(row.holds for row in rows), "The promise is broken."
