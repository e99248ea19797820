"""The audit catches every seeded fault, and raises no false alarm at a sound algorithm under the same plan."""

import pytest

from dpslr_core.audit.suite import AuditPlan, examine, label, plan, promising, variants
from tests.cases.faults import FAULTS

REDUCED = AuditPlan(full=False)
EVERY_DAY = 4  # each fourth fault is tried by ``make test``, all of them by ``make test-all``


def marked(items, names, often):
    return [
        pytest.param(item, id=name, marks=() if often(place) else pytest.mark.slow)
        for place, (item, name) in enumerate(zip(items, names, strict=True))
    ]


SOUND = [*promising(), *variants()]
ONE_A_FAMILY = list({mechanism.family: mechanism for mechanism in promising()}.values())


def test_the_list_of_faults_is_long_and_holds_every_family():
    names = [fault.name for fault in FAULTS]
    assert len(set(names)) == len(names) >= 40
    families = {type(fault.mechanism).__mro__[-2] for fault in FAULTS} | {fault.mechanism.family for fault in FAULTS}
    assert {mechanism.family for mechanism in promising()} <= families
    assert sum(fault.mechanism != type(fault.mechanism)() for fault in FAULTS) > 10


@pytest.mark.parametrize(
    "fault", marked(FAULTS, [fault.name for fault in FAULTS], lambda place: place % EVERY_DAY == 0)
)
def test_a_seeded_fault_is_caught(fault, monkeypatch):
    for where, name, by in fault.replaced:
        monkeypatch.setattr(where, name, by)
    assert any(not row.holds for row in examine(fault.mechanism, REDUCED, plan(60)))


@pytest.mark.parametrize("mechanism", marked(SOUND, map(label, SOUND), lambda place: SOUND[place] in ONE_A_FAMILY))
def test_a_sound_algorithm_raises_no_alarm(mechanism):
    """With a loss near what is promised somewhere: a fault of 25% would be an alarm."""
    rows = list(examine(mechanism, REDUCED))
    assert rows and all(row.holds for row in rows), [row for row in rows if not row.holds]
    assert max(row.worst.loss.share for row in rows) > 0.95


@pytest.mark.night
@pytest.mark.parametrize("mechanism", SOUND, ids=label)
def test_the_full_plan_raises_no_alarm(mechanism):
    """Neighbours apart: tests/core/audit/test_suite.py."""
    rows = list(examine(mechanism, AuditPlan()))
    assert all(row.holds for row in rows), [row for row in rows if not row.holds]


@pytest.mark.night
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("mechanism", SOUND, ids=label)
def test_other_seeds_raise_no_alarm(mechanism, seed):
    rows = list(examine(mechanism, AuditPlan(full=False, seed=seed)))
    assert all(row.holds for row in rows), [row for row in rows if not row.holds]
