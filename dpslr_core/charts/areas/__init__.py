"""Charts of many areas."""
