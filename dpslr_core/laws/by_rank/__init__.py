"""Laws of private medians of all N = n(n-1)/2 pairwise estimates of many records, without forming the pairs.

One rank query says how many estimates lie at or below a point of the public grid, exactly, in time O(n log n)
(``pairwise.ranks``; ``pairwise.cell_counts`` keeps the answers). A law needs a few hundred of them:

- ``exponential_law`` and ``widened_law``: density proportional to exp(-rate u(r)), rate = epsilon' / 4, u from
  the ranks. Queries bound it between two staircases, so that draws by rejection are exact (``StaircaseLaw``).
- ``smooth_median``: the middle estimate z_m and its smooth sensitivity S, both exact, from the estimates that stand
  around the median; ``within_reach`` says from public numbers whether it can be asked for.

They are the laws that ``medians`` computes from the sorted list of all estimates on the same grid.
"""

from .exponential import exponential_law, widened_law
from .smooth import smooth_median, within_reach
from .staircase import StaircaseLaw

__all__ = ["StaircaseLaw", "exponential_law", "smooth_median", "widened_law", "within_reach"]
