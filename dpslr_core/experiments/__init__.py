"""Run mechanisms on given data and measure them: one data set (``comparison``) or thousands (``areas``)."""

from ..intervals import confidence_interval, privacy_interval, slope_test
from .areas import by_group, shares_below
from .comparison import SUMMARY_COLUMNS, Comparison, compare
from .errors import (
    ErrorSummary,
    error_bound,
    error_bound_interval,
    measure,
    release_stream,
    summarise,
)

__all__ = [
    "SUMMARY_COLUMNS",
    "Comparison",
    "ErrorSummary",
    "by_group",
    "compare",
    "confidence_interval",
    "error_bound",
    "error_bound_interval",
    "measure",
    "privacy_interval",
    "release_stream",
    "shares_below",
    "slope_test",
    "summarise",
]
