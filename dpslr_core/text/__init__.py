"""The sentences that say what the numbers say, without any user interface."""
