"""Exact losses show what is broken."""

import pytest

from dpslr_core.audit import worst_loss
from tests.cases.faults import FAULTS

SHOWN = [fault for fault in FAULTS if fault.over is not None]


@pytest.mark.parametrize("fault", SHOWN, ids=lambda fault: fault.name)
def test_a_broken_variant_is_caught(fault):
    """Sound algorithms over such neighbours: test_loss."""
    loss = worst_loss(fault.mechanism, **{"epsilon": 1.0, **fault.over}).loss
    assert loss.share >= fault.least and not loss.holds
