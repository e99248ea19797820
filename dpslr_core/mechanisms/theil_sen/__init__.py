"""Private medians of pairwise estimates: the Theil-Sen family (Algorithm 2 of the paper)."""
