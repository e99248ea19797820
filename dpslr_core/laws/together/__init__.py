"""Laws of numbers that one draw releases together: private medians at several points, from lists and rank queries."""
