"""What mechanisms hand out beside predictions, and the equation that intervals are made from."""
