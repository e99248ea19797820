"""What every floor may use: checks of arguments, random streams, workers, and two small values."""
