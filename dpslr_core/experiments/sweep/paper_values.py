"""The values at which the paper's figures on synthetic data are drawn here, by parameter."""

# The ends of n, var_x and epsilon are in print, "all varied on a logarithmic scale"; ten values each.
VALUES: dict[str, tuple[float, ...]] = {
    "n": (30, 57, 109, 207, 395, 753, 1437, 2742, 5233, 10_000),
    "var_x": (0.003, 0.00387, 0.005, 0.00646, 0.00834, 0.0108, 0.0139, 0.018, 0.0232, 0.03),
    "epsilon": (0.01, 0.0215, 0.0464, 0.1, 0.215, 0.464, 1.0, 2.15, 4.64, 10.0),
    "var_e": (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.03),  # above, too many y are clipped to the unit square
    "x_new": tuple(i / 10 for i in range(11)),
}
