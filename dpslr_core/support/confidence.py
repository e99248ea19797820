"""The number of standard errors on either side of an estimate that makes a 95% confidence interval."""

Z95 = 1.959963984540054  # the 97.5% quantile of the standard normal distribution
