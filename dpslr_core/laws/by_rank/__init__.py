"""Laws of private medians of all N = n(n-1)/2 pairwise estimates of many records, without forming the pairs.

What a private median needs of the estimates z_1 <= ... <= z_N is mostly rank(r), the number of z_i <= r, at points r of
a public grid. A rank query gives it exactly in time O(n log n) (``pairs.ranks``; ``pairs.cell_counts`` keeps the
answers).

- ``exponential_law`` and ``widened_law``: the density at r is proportional to exp(-rate |#above - #below|), with
  #below = rank(r), #above = N - rank(r) and rate = epsilon / 4 for epsilon per changed estimate. It rises to the median
  and falls from it, so that between two queried points it lies between its values there: a few hundred queries bound it
  by two step functions, and rejection makes the draws exact (``StaircaseLaw``).
- ``smooth_median``: the lower median z_m and its smooth sensitivity S, the largest exp(-l t) W((n-1)(l+1)) over the
  levels l, where W(w) is the widest distance of two estimates w ranks apart, one on either side of z_m. Both are exact,
  from a list of the estimates around the median; ``within_reach`` says from public numbers whether it is short enough.
- ``refined_counts``: the counts behind those laws, for laws of several medians together (``laws.together``).

They are the laws that ``medians`` computes from the sorted list of all estimates on the same grid.
"""

from .divergence import joint_median_divergences, joint_median_renyi, renyi, staircase_divergences, staircase_renyi
from .exponential import exponential_law, refined_counts, widened_law
from .smooth import smooth_median, within_reach
from .staircase import StaircaseLaw

__all__ = [
    "StaircaseLaw",
    "exponential_law",
    "joint_median_divergences",
    "joint_median_renyi",
    "refined_counts",
    "renyi",
    "smooth_median",
    "staircase_divergences",
    "staircase_renyi",
    "widened_law",
    "within_reach",
]
