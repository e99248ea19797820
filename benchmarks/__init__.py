"""Measurements of speed and coverage, and the tables that pages show: ``python -m benchmarks``."""
