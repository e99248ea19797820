"""With how many data sets and trials, and from which seed, the claims are computed."""

SEED, TRIALS = 0, 200  # of draws where there is no law
ALL_DATASETS, PAIR_DATASETS = 40, 100  # simulated data sets for a panel of all algorithms, and of two and their limits
SETTINGS = {
    "seed": SEED,
    "trials": TRIALS,
    "data sets, all algorithms": ALL_DATASETS,
    "data sets, two algorithms": PAIR_DATASETS,
}
