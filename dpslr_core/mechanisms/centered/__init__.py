"""OLS from centred sums that are released together."""
