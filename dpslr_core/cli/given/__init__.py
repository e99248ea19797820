"""What the options of a command say: its data and scenario, or the guesses that guidance goes by."""
