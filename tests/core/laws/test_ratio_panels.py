"""What the quadrature leaves out to save time does not change its numbers."""

import numpy as np
import pytest
from noisy_reference import EVERY_LAW

from dpslr_core.laws.ratio import _Table, averaged_tails, over_panels


@pytest.mark.parametrize(("law", "centre", "width"), EVERY_LAW.values(), ids=EVERY_LAW)
def test_light_panels_do_not_matter_where_they_are_left_out(law, centre, width):
    t = centre + width * np.r_[-np.geomspace(100, 1e-3, 40), 0, np.geomspace(1e-3, 100, 40)]
    steps, pull = (t - law._origin) / law.scale, np.full(t.size, law._pull)
    number, table = np.zeros(t.size, dtype=int), _Table.of([law.slopes], [law.slopes.panels])
    all_panels = over_panels(table, number, pull, steps, True)
    np.testing.assert_allclose(averaged_tails([law.slopes], number, pull, steps, True), all_panels, rtol=1e-13)
