"""What a guarantee promises, seen on one pair of neighbours: losses, odds, tests between them, and the worst pair."""
