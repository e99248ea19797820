"""Families of data sets: samples, CSV files, and the paper's UCI data."""

from .families import ONE_GROUP, SAMPLE_FOLDER, SAMPLES, UNIT_X, UNIT_Y, Axis, Family, build_family, load_sample

__all__ = [
    "ONE_GROUP",
    "SAMPLES",
    "SAMPLE_FOLDER",
    "UNIT_X",
    "UNIT_Y",
    "Axis",
    "Family",
    "build_family",
    "load_sample",
]
